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

type Texts = Readonly<Record<string, string>>

/** What a scenario is good for, and what the action must be given to meet with it. */
interface Course {
  /** The end of a sentence that begins with "Shows". */
  readonly shows: string
  readonly inputs?: Texts
}

/** If the point is that something does not end in time, nobody wants to wait for an hour to see it. */
const SHORT = { 'timeout-minutes': '2' }
/** A job that has ended, with a pull request. */
const FOLLOW_UP = { 'job-id': 'job_finished' }
/** The comment itself is the instruction. */
const ASKED = { command: '/docs', prompt: '', 'change-range': '', paths: '' }
/** What GitHub has to be asked for before the job: without an answer, nothing would be sent. */
const UNASKED = { 'change-range': '', paths: '', 'on-open-pr': 'new' }

const SERVICE: Readonly<Record<ScenarioName, Course>> = {
  'pull-request': { shows: 'the usual course, from the push to a pull request whose checks have passed' },
  'no-changes': { shows: 'a green step without a pull request' },
  failed: { shows: 'a red step, and what to do then' },
  archived: { shows: 'a red step because somebody archived the job' },
  slow: { shows: 'a deadline that passes while the job runs, and how to attach to it', inputs: SHORT },
  'late-link': { shows: 'that a completed job is looked at again until its link is there' },
  'unlisted-status': { shows: 'that an unknown status counts as still running' },
  'stale-follow-up': { shows: 'that a follow-up is over only when its turn was seen', inputs: FOLLOW_UP },
  'never-starts': { shows: 'a follow-up whose turn is never seen to begin', inputs: { ...FOLLOW_UP, ...SHORT } },
  'idle-follow-up': { shows: 'a follow-up that changes nothing', inputs: FOLLOW_UP },
  'pushes-in-turn': { shows: 'that the last of several pushes counts' },
  'fails-after-push': { shows: 'a follow-up that fails although it has pushed', inputs: FOLLOW_UP },
  lagging: { shows: 'that an old copy of a job ends nothing', inputs: FOLLOW_UP },
  flaky: { shows: 'that failing reads are tried again' },
  'rate-limited': { shows: 'that rate limits are waited for' },
  'rate-limited-for-hours': { shows: 'a rate limit that outlasts the deadline' },
  'unauthorized-later': { shows: 'a key that is revoked while the step waits' },
  unavailable: { shows: 'a service that is down' },
  'payment-required': { shows: 'a plan without credits' },
  'too-large': { shows: 'a prompt that the service finds too long' },
  rejected: { shows: 'a prompt that the service does not take' },
  'login-page': { shows: 'that something else answers in the place of the service' },
  redirecting: { shows: 'that no redirect is followed' },
  stalled: { shows: 'answers that never come', inputs: SHORT },
  'lost-answer': { shows: 'a prompt of which nobody knows whether it was taken' },
  'bad-id': { shows: 'a job that was taken and cannot be looked at' },
  'other-job': { shows: 'that the answer for another job is not believed' },
  sparse: { shows: 'what is left if the service tells only what it must' },
  hostile: { shows: 'that texts of strangers cannot steer the log, the outputs or the summary' },
  'hostile-link': { shows: 'that a link of strangers is checked and encoded' },
  'moving-pages': { shows: 'that the export of visitors says what may be missing' },
  'stuck-pages': { shows: 'that the export of visitors ends although its pages do not' },
  'long-path': { shows: 'that the export of visitors takes only what can be a path' },
  'endless-pages': { shows: 'that the export of visitors writes no file of more than 512 MiB' },
}

const GITHUB: Readonly<Record<GitHubScenarioName | 'mended', Course>> = {
  'checks-pass': { shows: 'checks that pass' },
  'checks-fail': { shows: 'a red step because its checks failed' },
  'checks-mended': { shows: 'a follow-up that mends the checks', inputs: FOLLOW_UP },
  mended: { shows: 'failing checks that go back to the agent, who mends them', inputs: { 'fix-rounds': '2' } },
  'checks-mended-late': { shows: 'a follow-up after which they still fail', inputs: FOLLOW_UP },
  'checks-red-before': { shows: 'checks that the agent did not break' },
  'checks-late': { shows: 'that checks which come late are waited for' },
  'checks-none': { shows: '`none`, which is not the same as passed' },
  'checks-pending': { shows: 'checks that are not done in time', inputs: SHORT },
  'checks-wait-for-approval': { shows: 'checks that nobody allowed to run', inputs: { 'timeout-minutes': '10' } },
  'checks-in-turn': { shows: 'that checks are over only when their workflow is' },
  'checks-of-two-events': { shows: 'that a check of one event does not hide that of another' },
  'checks-of-one-name': { shows: 'that a check does not hide another one of its name' },
  'checks-many': { shows: 'that hundreds of checks take no more requests than a few' },
  'checks-cannot-start': { shows: 'that a workflow which cannot start is a failure' },
  'checks-again': { shows: 'that a check which was started again counts as it ended last' },
  'head-moves': { shows: 'that the newest commit counts' },
  'person-commits': { shows: 'that the commit of a person is looked at, too' },
  'commit-lost': { shows: 'a follow-up that takes out what a person committed', inputs: FOLLOW_UP },
  'merged-meanwhile': { shows: 'that a merged pull request is not waited for' },
  'closed-meanwhile': { shows: 'that a closed pull request is not waited for' },
  conflict: { shows: 'a pull request that cannot be merged' },
  draft: { shows: 'a pull request that is a draft' },
  blocked: { shows: 'a pull request that GitHub does not allow to be merged yet' },
  'out-of-scope': { shows: 'a red step because of a file outside of `allowed-paths`' },
  'open-pull-request': { shows: 'a follow-up to the pull request that an earlier run left' },
  'follow-ups-used-up': { shows: 'that a rolling pull request takes 20 follow-ups' },
  'marker-of-stranger': { shows: 'that what strangers write proves nothing' },
  'comment-of-maintainer': { shows: 'a comment that asks the agent for more, and its answer', inputs: ASKED },
  'comment-of-stranger': { shows: 'the same by somebody who may not write, which is passed over', inputs: ASKED },
  'comment-of-bot': { shows: 'the same by a bot, which is passed over', inputs: ASKED },
  'no-permission': { shows: 'the notice of what is not done without permissions', inputs: UNASKED },
  'read-only': { shows: 'that the label and the comment need a permission of their own' },
  'github-lagging': { shows: 'that what GitHub does not know yet is asked for again' },
  'github-down': { shows: 'that the result of the job stands if GitHub is down', inputs: UNASKED },
  'github-slow': { shows: 'that a slow GitHub is waited for' },
  'github-limited': { shows: 'that GitHub’s rate limits are waited for' },
}

/** A course for which `npm start` needs more than a scenario: here other inputs. */
const MENDED = {
  plays: 'checks-mended',
  description: 'The checks of the first commit fail, go back to the agent, and pass on its next one.',
} as const

const COURSES: Readonly<Record<string, Course>> = { ...SERVICE, ...GITHUB, ...RUNNER_SCENARIOS }

export interface ChosenCourse {
  readonly scenario: ScenarioName
  readonly gitHubScenarios: readonly GitHubScenarioName[]
  readonly runnerScenarios: readonly RunnerScenarioName[]
  /** What lets the action meet with them. */
  readonly inputs: Texts
}

/** What is played for these names, or a sentence that says what is wrong with them. */
export function chooseCourse(names: readonly string[]): ChosenCourse | string {
  const unknown = names.find((name) => !Object.hasOwn(COURSES, name))
  if (unknown !== undefined)
    return `There is no scenario «${unknown}».${askForNearest(unknown, Object.keys(COURSES))} «npm start -- --list» tells all.`
  const [scenario = DEFAULT_SCENARIO, second] = names.filter(isScenarioName)
  if (second !== undefined)
    return `${scenario} and ${second} are both scenarios of the service, which plays one. See: npm start -- --list`
  return {
    scenario,
    gitHubScenarios: names.map((name) => (name === 'mended' ? MENDED.plays : name)).filter(isGitHubScenarioName),
    runnerScenarios: names.filter(isRunnerScenarioName),
    inputs: Object.assign({}, ...names.map((name) => COURSES[name]?.inputs)) as Texts,
  }
}

const asFlags = (inputs: Texts = {}): string[] =>
  Object.entries(inputs).map(([name, text]) => `    sets ${name}: ${text}`)

function listed<Name extends string>(
  title: string,
  names: readonly Name[],
  described: Readonly<Record<Name, { readonly description: string }>>,
  courses: Readonly<Record<Name, Course>>,
): string {
  const lines = names.flatMap((name) => [
    `  ${name}`,
    `    ${described[name].description}`,
    `    Shows ${courses[name].shows}.`,
    ...asFlags(courses[name].inputs),
  ])
  return [title, ...lines].join('\n')
}

/** All scenarios, for a person who has to choose. */
export const LIST = `${[
  listed('Scenarios of the service, of which one is played:', SCENARIO_NAMES, SCENARIOS, SERVICE),
  listed(
    'Scenarios of GitHub, which go with any of these and with each other:',
    [...GITHUB_SCENARIO_NAMES, 'mended'],
    { ...GITHUB_SCENARIOS, mended: MENDED },
    GITHUB,
  ),
  listed(
    'Scenarios of the runner and its network, which go with any of these and with each other:',
    RUNNER_SCENARIO_NAMES,
    RUNNER_SCENARIOS,
    RUNNER_SCENARIOS,
  ),
  'Several have commas between them: npm start -- --scenario "late-link, checks-late"',
].join('\n\n')}
`
