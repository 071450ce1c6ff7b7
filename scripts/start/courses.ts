import {
  GITHUB_SCENARIOS,
  GITHUB_SCENARIO_NAMES,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIOS, SCENARIO_NAMES, type ScenarioName } from '../../src/emulator/scenarios.ts'

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
const RED = { 'fail-on': 'failed, archived, timeout, checks, out-of-scope' }

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
  flaky: { shows: 'that failing reads are tried again' },
  'rate-limited': { shows: 'that rate limits are waited for' },
  'unauthorized-later': { shows: 'a key that is revoked while the step waits' },
  unavailable: { shows: 'a service that is down' },
  redirecting: { shows: 'that no redirect is followed' },
  stalled: { shows: 'answers that never come', inputs: SHORT },
  'lost-answer': { shows: 'a prompt of which nobody knows whether it was taken' },
  'bad-id': { shows: 'a job that was taken and cannot be looked at' },
  'other-job': { shows: 'that the answer for another job is not believed' },
  sparse: { shows: 'what is left where the service tells only what it must' },
  hostile: { shows: 'that texts of strangers cannot steer the log, the outputs or the summary' },
  'hostile-link': { shows: 'that a link of strangers is checked and encoded' },
}

const GITHUB: Readonly<Record<GitHubScenarioName, Course>> = {
  'checks-pass': { shows: 'checks that pass' },
  'checks-fail': { shows: 'a red step because of `fail-on: checks`', inputs: RED },
  'checks-mended': { shows: 'a follow-up that mends the checks', inputs: { ...FOLLOW_UP, ...RED } },
  mended: { shows: 'failing checks that go back to the agent, who mends them', inputs: { ...RED, 'fix-rounds': '2' } },
  'checks-mended-late': { shows: 'a follow-up after which they still fail', inputs: { ...FOLLOW_UP, ...RED } },
  'checks-fail-for-ever': { shows: 'a follow-up that cannot help', inputs: { ...FOLLOW_UP, ...RED } },
  'checks-red-before': { shows: 'checks that the agent did not break', inputs: RED },
  'checks-late': { shows: 'that checks which come late are waited for' },
  'checks-none': { shows: '`none`, which is not the same as passed', inputs: RED },
  'checks-pending': { shows: 'checks that are not done in time', inputs: { ...RED, ...SHORT } },
  'checks-wait-for-approval': { shows: 'checks that nobody allowed to run', inputs: RED },
  'head-moves': { shows: 'that the newest commit counts' },
  'person-commits': { shows: 'that the commit of a person is looked at, too' },
  'commit-lost': { shows: 'a follow-up that takes out what a person committed', inputs: FOLLOW_UP },
  'merged-meanwhile': { shows: 'that a merged pull request is not waited for' },
  'closed-meanwhile': { shows: 'that a closed pull request is not waited for' },
  conflict: { shows: 'a pull request that cannot be merged' },
  draft: { shows: 'a pull request that is a draft' },
  blocked: { shows: 'a pull request that GitHub does not allow to be merged yet' },
  'out-of-scope': { shows: 'a red step because of `fail-on: out-of-scope`', inputs: RED },
  'open-pull-request': { shows: 'a run that finds what an earlier one left' },
  'comment-of-maintainer': { shows: 'a pull request on which somebody asks for more' },
  'comment-of-stranger': { shows: 'the same by somebody who may not write' },
  'comment-of-bot': { shows: 'the same by a bot' },
  'no-permission': { shows: 'the notice of what is not done without permissions' },
  'read-only': { shows: 'that the label and the comment need a permission of their own' },
  'github-lagging': { shows: 'that what GitHub does not know yet is asked for again' },
  'github-down': { shows: 'that the result of the job stands where GitHub is down' },
  'github-slow': { shows: 'that a slow GitHub is waited for' },
  'github-limited': { shows: 'that GitHub’s rate limits are waited for' },
}

/** The inputs that let the action meet with a scenario. */
export function inputsOf(scenario: ScenarioName, gitHubScenarios: readonly GitHubScenarioName[]): Texts {
  return Object.assign({}, SERVICE[scenario].inputs, ...gitHubScenarios.map((name) => GITHUB[name].inputs)) as Texts
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
    GITHUB_SCENARIO_NAMES,
    GITHUB_SCENARIOS,
    GITHUB,
  ),
  'Several have commas between them: npm start -- --scenario late-link,checks-late,out-of-scope',
].join('\n\n')}
`
