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
import { ASKED } from './workflow-runs.ts'

type Texts = Readonly<Record<string, string>>
type Described = Readonly<Record<string, { readonly description: string }>>

/** Courses for which `npm start` needs more than a scenario of GitHub: other inputs, or several runs. */
const STORIES = {
  mended: {
    plays: 'checks-mended',
    description: 'The checks of the first commit fail, go back to the agent, and pass on its next one.',
  },
  rolling: {
    plays: 'checks-fail-once',
    description: 'Three pushes and a comment make one pull request, and a failing check goes back once.',
  },
} as const
type Story = keyof typeof STORIES

const DESCRIBED: Described = { ...SCENARIOS, ...GITHUB_SCENARIOS, ...RUNNER_SCENARIOS, ...STORIES }

/** If the point is that something does not end in time, nobody wants to wait for an hour to see it. */
const SHORT = { 'timeout-minutes': '2' }
/** A job that has ended, with a pull request. */
const FOLLOW_UP = { 'job-id': 'job_finished' }
/** Of GitHub nothing is asked before the job: without an answer, nothing would be sent. */
const UNASKED = { 'change-range': '', paths: '', 'on-open-pr': 'new' }

/** What the action must be given to meet with a scenario. */
const INPUTS: Readonly<Partial<Record<ScenarioName | GitHubScenarioName | RunnerScenarioName | Story, Texts>>> = {
  slow: SHORT,
  'stale-follow-up': FOLLOW_UP,
  'never-starts': { ...FOLLOW_UP, ...SHORT },
  'idle-follow-up': FOLLOW_UP,
  'fails-after-push': FOLLOW_UP,
  lagging: FOLLOW_UP,
  stalled: { 'timeout-minutes': '5' },
  'checks-mended': FOLLOW_UP,
  mended: { 'fix-rounds': '2' },
  rolling: { 'fix-rounds': '1', reviewers: 'change-authors' },
  'checks-mended-late': FOLLOW_UP,
  'checks-pending': SHORT,
  'checks-wait-for-approval': { 'timeout-minutes': '10' },
  'checks-wait-for-environment': { 'timeout-minutes': '10' },
  'commit-lost': FOLLOW_UP,
  'comment-of-maintainer': ASKED,
  'comment-of-stranger': ASKED,
  'comment-of-bot': ASKED,
  'no-permission': UNASKED,
  'proxy-refuses': UNASKED,
  'socks-proxy': UNASKED,
  'github-down': UNASKED,
}

/** What only the export of visitors meets with. */
const OF_VISITORS: readonly string[] = ['moving-pages', 'stuck-pages', 'long-path', 'endless-pages', 'full-disk']

export interface ChosenCourse {
  readonly scenario: ScenarioName
  readonly gitHubScenarios: readonly GitHubScenarioName[]
  readonly runnerScenarios: readonly RunnerScenarioName[]
  /** Whether several runs follow one another. */
  readonly isRolling: boolean
  /** What lets the action meet with them. */
  readonly inputs: Texts
}

const isStory = (name: string): name is Story => Object.hasOwn(STORIES, name)

/** What is played for these names, or a sentence that says what is wrong with them. */
export function chooseCourse(names: readonly string[], action: 'agent' | 'visitors' = 'agent'): ChosenCourse | string {
  const unknown = names.find((name) => !Object.hasOwn(DESCRIBED, name))
  if (unknown !== undefined)
    return `There is no scenario «${unknown}».${askForNearest(unknown, Object.keys(DESCRIBED))} «npm start -- --list» lists all.`
  const ofOther = names.find((name) => OF_VISITORS.includes(name))
  if (ofOther !== undefined && action === 'agent')
    return `${ofOther} is about the export of visitors: npm start -- --action visitors --scenario ${ofOther}`
  const [scenario = DEFAULT_SCENARIO, second] = names.filter(isScenarioName)
  if (second !== undefined)
    return `${scenario} and ${second} are both scenarios of the service, which plays one. See: npm start -- --list`
  return {
    scenario,
    gitHubScenarios: names.map((name) => (isStory(name) ? STORIES[name].plays : name)).filter(isGitHubScenarioName),
    runnerScenarios: names.filter(isRunnerScenarioName),
    isRolling: names.includes('rolling'),
    inputs: Object.assign({}, ...names.map((name) => (INPUTS as Readonly<Record<string, Texts>>)[name])) as Texts,
  }
}

const TO_BEGIN_WITH = ['pull-request', 'mended', 'rolling', 'comment-of-maintainer', 'slow']

/** Each group with its title; a scenario stands in the first one that has it. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['To begin with:', TO_BEGIN_WITH],
  ['With --action visitors:', OF_VISITORS],
  ['At the service, one of them:', SCENARIO_NAMES],
  ['On GitHub, with any of the others:', GITHUB_SCENARIO_NAMES],
  ['On the runner and its network, with any of the others:', RUNNER_SCENARIO_NAMES],
]

/** All scenarios, for a person who has to choose: a line for each. */
export function listScenarios(): string {
  const shown = new Set<string>()
  const groups = GROUPS.map(([title, names]) => {
    const rows = names.filter((name) => !shown.has(name) && shown.add(name))
    return [title, ...rows.map((name) => `  ${name.padEnd(24)}  ${DESCRIBED[name]?.description ?? ''}`)].join('\n')
  })
  return `${groups.join('\n\n')}\n\nSeveral have commas between them: npm start -- --scenario "late-link, checks-late"\n`
}
