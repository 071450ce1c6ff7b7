import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import {
  GITHUB_SCENARIOS,
  GITHUB_SCENARIO_NAMES,
  isGitHubScenarioName,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIOS, SCENARIO_NAMES, isScenarioName, type ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { askForNearest } from './nearest.ts'
import {
  RUNNER_SCENARIOS,
  RUNNER_SCENARIO_NAMES,
  isRunnerScenarioName,
  type RunnerScenarioName,
} from './runner-scenarios.ts'
import { showCommand } from './terminal.ts'
import { BY_COMMENT } from './workflow-runs.ts'

type Texts = Readonly<Record<string, string>>
type Described = Readonly<Record<string, { readonly description: string }>>

/** Scenarios that need more than the embedded GitHub: other inputs, or several runs. */
const STORIES = {
  fixed: {
    plays: ['checks-fixed'],
    description: 'The checks of the first commit fail, are sent back to the agent, and pass on its next commit.',
  },
  rolling: {
    plays: ['checks-fail-once', 'reviewed-change'],
    description: 'Three pushes and a comment lead to one pull request, and a failed check is sent back once.',
  },
  working: {
    plays: ['open-pull-request'],
    description: 'The log of an open pull request says that the agent is working on a follow-up, and not to merge yet.',
  },
} as const satisfies Readonly<
  Record<string, { readonly plays: readonly GitHubScenarioName[]; readonly description: string }>
>
type Story = keyof typeof STORIES

const DESCRIBED: Described = { ...SCENARIOS, ...GITHUB_SCENARIOS, ...RUNNER_SCENARIOS, ...STORIES }

type AnyScenarioName = ScenarioName | GitHubScenarioName | RunnerScenarioName | Story

/** The inputs that a scenario needs. */
const INPUTS: readonly (readonly [given: Texts, names: readonly AnyScenarioName[]])[] = [
  // A short timeout for scenarios that end in one.
  [{ 'timeout-minutes': '2' }, ['slow', 'never-starts', 'checks-pending']],
  [{ 'timeout-minutes': '5' }, ['stalled']],
  [{ 'timeout-minutes': '10' }, ['checks-wait-for-approval', 'checks-wait-for-environment']],
  [
    { 'job-id': 'job_finished' },
    [
      ...(['stale-follow-up', 'never-starts', 'idle-follow-up', 'fails-after-push', 'lagging'] as const),
      ...(['checks-fixed', 'checks-fixed-late', 'commit-lost'] as const),
    ],
  ],
  [{ 'fix-rounds': '2' }, ['fixed']],
  [{ 'fix-rounds': '1', reviewers: 'change-authors' }, ['rolling']],
  [{ reviewers: 'change-reviewers' }, ['reviewed-change']],
  [{ 'skip-labels': 'no-docs' }, ['no-docs-label', 'no-docs-label-in-part']],
  [BY_COMMENT, ['comment-by-maintainer', 'comment-by-outsider', 'comment-by-bot']],
  // No request to GitHub before the job: a failed request would stop the step before the prompt.
  [
    { 'change-context': 'none', 'change-range': '', paths: '', 'on-open-pr': 'new' },
    ['no-permission', 'proxy-refuses', 'socks-proxy', 'github-down'],
  ],
]

/** Scenarios that only the export of visitors can meet. */
const VISITORS_SCENARIOS: readonly string[] = [
  ...['moving-pages', 'stuck-pages', 'long-path', 'endless-pages', 'short-history', 'full-disk'],
]

export interface ChosenScenarios {
  readonly scenario: ScenarioName
  readonly gitHubScenarios: readonly GitHubScenarioName[]
  readonly runnerScenarios: readonly RunnerScenarioName[]
  readonly isRolling: boolean
  readonly inputs: Texts
}

const isStory = (name: string): name is Story => Object.hasOwn(STORIES, name)

/** @returns what to play for these names, or an error message */
export function chooseScenarios(
  names: readonly string[],
  action: 'agent' | 'visitors' = 'agent',
): ChosenScenarios | string {
  const unknown = names.find((name) => !Object.hasOwn(DESCRIBED, name))
  if (unknown !== undefined)
    return `There is no scenario «${unknown}».${askForNearest(unknown, Object.keys(DESCRIBED))} This lists all:${showCommand('--list')}`
  const visitorsOnly = names.find((name) => VISITORS_SCENARIOS.includes(name))
  if (visitorsOnly !== undefined && action === 'agent')
    return `${visitorsOnly} is about the export of visitors:${showCommand(`--action visitors --scenario ${visitorsOnly}`)}`
  const [scenario = DEFAULT_SCENARIO, second] = names.filter(isScenarioName)
  if (second !== undefined)
    return `${scenario} and ${second} are both scenarios of the service, which plays one. This lists all:${showCommand('--list')}`
  const given = INPUTS.filter(([, of]) => of.some((name) => names.includes(name))).map(([inputs]) => inputs)
  return {
    scenario,
    gitHubScenarios: names.flatMap((name) => (isStory(name) ? STORIES[name].plays : name)).filter(isGitHubScenarioName),
    runnerScenarios: names.filter(isRunnerScenarioName),
    isRolling: names.includes('rolling'),
    inputs: Object.assign({}, ...given) as Texts,
  }
}

const FIRST_SCENARIOS = ['pull-request', 'fixed', 'rolling', 'comment-by-maintainer', 'slow', 'working']

/** Each scenario is listed in the first group that contains it. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['To begin with:', FIRST_SCENARIOS],
  ['With --action visitors:', VISITORS_SCENARIOS],
  ['At the service, one of them:', SCENARIO_NAMES],
  ['On GitHub, with any of the others:', GITHUB_SCENARIO_NAMES],
  ['On the runner and its network, with any of the others:', RUNNER_SCENARIO_NAMES],
]

/** All scenarios for `--list`, one a line. */
export function listScenarios(): string {
  const shown = new Set<string>()
  const width = Math.max(...GROUPS.flatMap(([, names]) => names.map(({ length }) => length)))
  const groups = GROUPS.map(([title, names]) => {
    const rows = names.filter((name) => !shown.has(name) && shown.add(name))
    return [title, ...rows.map((name) => `  ${name.padEnd(width)}  ${DESCRIBED[name]?.description ?? ''}`)].join('\n')
  })
  return `${groups.join('\n\n')}\n\nSeveral have commas between them:${showCommand('--scenario "late-link, checks-late"')}\n`
}
