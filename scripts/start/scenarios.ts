import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import {
  GITHUB_SCENARIOS,
  GITHUB_SCENARIO_NAMES,
  isGitHubScenarioName,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIOS, isScenarioName, type ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { askForNearest } from './nearest.ts'
import {
  RUNNER_SCENARIOS,
  RUNNER_SCENARIO_NAMES,
  isRunnerScenarioName,
  type RunnerScenarioName,
} from './runner-scenarios.ts'
import { showCommand } from './terminal.ts'
import { BY_COMMENT, ROLLING, type StoryEvent } from './stories.ts'

type Texts = Readonly<Record<string, string>>
type Described = Readonly<Record<string, { readonly description: string }>>

/** Scenarios that need more than the embedded GitHub: other inputs, or several runs. */
const STORIES = {
  fixed: {
    scenarios: ['checks-fixed'],
    description: 'The checks of the first commit fail, are sent back to the agent, and pass on its next commit.',
  },
  rolling: {
    scenarios: ['checks-fail-once', 'reviewed-change'],
    description: 'Three changes and a comment lead to one pull request, and a failed check is sent back once.',
  },
  working: {
    scenarios: ['open-pull-request'],
    description: 'The log of an open pull request says that the agent is working on a follow-up, and not to merge yet.',
  },
} as const satisfies Readonly<
  Record<string, { readonly scenarios: readonly GitHubScenarioName[]; readonly description: string }>
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
  // No request to GitHub before the job: a failed request would stop the step before the prompt.
  [
    { 'change-context': 'none', 'change-range': '', paths: '', 'on-open-pr': 'new' },
    ['no-permission', 'proxy-refuses', 'socks-proxy', 'github-down'],
  ],
]

/** Scenarios that only the export of visitors can meet. */
const VISITORS_SCENARIOS: readonly AnyScenarioName[] = [
  'moving-pages',
  'stuck-pages',
  'long-path',
  'endless-pages',
  'short-history',
  'full-disk',
]

export interface ChosenScenarios {
  readonly scenario: ScenarioName
  readonly gitHubScenarios: readonly GitHubScenarioName[]
  readonly runnerScenarios: readonly RunnerScenarioName[]
  /** What happens, in order. Every event but a comment starts the workflow as its file says. */
  readonly story: readonly StoryEvent[]
  readonly inputs: Texts
}

const isAboutComment = (name: string): boolean => name.startsWith('comment-by-')

const isStory = (name: string): name is Story => Object.hasOwn(STORIES, name)

/**
 * Chooses what to run for these names.
 * @throws Error for names that cannot be combined
 */
export function chooseScenarios(
  names: readonly string[],
  action: 'agent' | 'visitors' | 'report' = 'agent',
): ChosenScenarios {
  const unknown = names.find((name) => !Object.hasOwn(DESCRIBED, name))
  if (unknown !== undefined)
    throw new Error(
      `There is no scenario «${unknown}».${askForNearest(unknown, Object.keys(DESCRIBED))} This lists all:${showCommand('--list')}`,
    )
  const visitorsOnly = names.find((name) => VISITORS_SCENARIOS.some((one) => one === name))
  if (visitorsOnly !== undefined && action !== 'visitors')
    throw new Error(
      `${visitorsOnly} is about the export of visitors:${showCommand(`--action visitors --scenario ${visitorsOnly}`)}`,
    )
  const [scenario = DEFAULT_SCENARIO, second] = names.filter(isScenarioName)
  if (second !== undefined)
    throw new Error(
      `${scenario} and ${second} are both scenarios of the service. Name only one. This lists all:${showCommand('--list')}`,
    )
  const given = INPUTS.filter(([, of]) => of.some((name) => names.includes(name))).map(([inputs]) => inputs)
  return {
    scenario,
    gitHubScenarios: [...names, ...(action === 'report' ? (['agent-history'] as const) : [])]
      .flatMap((name) => (isStory(name) ? STORIES[name].scenarios : name))
      .filter(isGitHubScenarioName),
    runnerScenarios: names.filter(isRunnerScenarioName),
    story: names.includes('rolling') ? ROLLING : [names.some(isAboutComment) ? { inputs: BY_COMMENT } : {}],
    inputs: Object.assign({}, ...given) as Texts,
  }
}

const listChecks = (): readonly AnyScenarioName[] => GITHUB_SCENARIO_NAMES.filter((name) => name.startsWith('checks-'))

/** By task, the ones that a newcomer wants first. */
const GROUPS: readonly (readonly [title: string, names: readonly AnyScenarioName[]])[] = [
  ['To begin with:', ['pull-request', 'rolling', 'fixed', 'comment-by-maintainer', 'failed']],
  [
    'How a job can go:',
    ['no-changes', 'archived', 'slow', 'late-link', 'unlisted-status', 'pushes-in-turn', 'lagging'],
  ],
  [
    'One pull request for many changes:',
    [
      ...(['open-pull-request', 'working', 'follow-ups-used-up', 'marker-by-outsider', 'stale-follow-up'] as const),
      ...(['never-starts', 'idle-follow-up', 'fails-after-push', 'commit-lost'] as const),
    ],
  ],
  [
    'Where the change comes from:',
    ['web-edit', 'colleague-commit', 'reviewed-change', 'no-docs-label', 'no-docs-label-in-part'],
  ],
  ['Checks:', [...listChecks(), 'head-moves', 'person-commits']],
  [
    'Merging:',
    [
      ...(['out-of-scope', 'draft', 'blocked', 'conflict', 'merged-meanwhile', 'closed-meanwhile'] as const),
      ...(['from-fork', 'agent-is-user'] as const),
    ],
  ],
  ['What a report tells, with --action report:', ['agent-history']],
  ['Comments that ask for a change:', ['comment-by-outsider', 'comment-by-bot']],
  ['What the token may do:', ['read-only', 'no-permission', 'label-not-created', 'token-expires']],
  ['GitHub has a problem:', ['github-down', 'github-slow', 'github-limited', 'github-lagging', 'run-lists-stale']],
  [
    'The service has a problem:',
    [
      ...(['flaky', 'unavailable', 'stalled', 'rate-limited', 'rate-limited-for-hours', 'unauthorized-later'] as const),
      ...(['payment-required', 'too-large', 'rejected', 'lost-answer', 'login-page', 'redirecting'] as const),
      ...(['bad-id', 'other-job', 'sparse', 'hostile'] as const),
    ],
  ],
  [
    'The runner or its network has a problem:',
    RUNNER_SCENARIO_NAMES.filter((name) => !VISITORS_SCENARIOS.includes(name)),
  ],
  ['The export of visitors, with --action visitors:', VISITORS_SCENARIOS],
]

/** All scenarios for `--list`, one a line. */
export function listScenarios(): string {
  const width = Math.max(...GROUPS.flatMap(([, names]) => names.map(({ length }) => length)))
  const groups = GROUPS.map(([title, names]) => {
    return [title, ...names.map((name) => `  ${name.padEnd(width)}  ${DESCRIBED[name]?.description ?? ''}`)].join('\n')
  })
  return `${groups.join('\n\n')}\n\nCombine them with commas, one of them about the job or the service:${showCommand('--scenario "late-link, checks-late"')}\n`
}
