import { mostUrgent, type Conclusion } from '../../shared/conclusion.ts'
import { formatDuration } from '../../shared/duration.ts'
import { ERROR_TITLES } from '../../shared/error-titles.ts'
import { joinSentences } from '../../shared/sentences.ts'
import type { FailOn } from '../inputs/fail-on.ts'
import { adviseOnBlock, BLOCK_TITLES, findBlocks, tellCause, tellPullRequest } from './merge-blocks.ts'
import { jobIdOf, type Outcome, type Report } from './report.ts'

/** Whether an outcome is green or red by itself, or red if `fail-on` has a certain word. */
const COLOUR: Readonly<Record<Outcome, 'green' | 'red' | FailOn>> = {
  'pull-request': 'green',
  'no-changes': 'no-changes',
  failed: 'failed',
  archived: 'archived',
  'timed-out': 'timeout',
  unconfirmed: 'red',
  submitted: 'green',
  cancelled: 'red',
  skipped: 'green',
  error: 'red',
}

/** `fail-on` is about what became of an accepted job. If the step could not do its own part, it is red anyway. */
export function isGreen(report: Report, failOn: ReadonlySet<FailOn>): boolean {
  const { outcome, error } = report
  const colour = COLOUR[outcome]
  if (error !== undefined || colour === 'red') return false
  if (findBlocks(report, failOn).length > 0) return false
  return colour === 'green' || !failOn.has(colour)
}

const TITLES: Readonly<Record<Exclude<Outcome, 'error'>, string>> = {
  'pull-request': 'The pull request is ready',
  'no-changes': 'Nothing had to change',
  failed: 'The agent failed',
  archived: 'The job is archived',
  'timed-out': 'The agent did not finish in time',
  unconfirmed: 'The follow-up was sent, but its turn was never seen',
  submitted: 'The agent is at work',
  cancelled: 'Cancelled',
  skipped: 'Skipped, as there is no API key here',
}

type Say = (report: Report) => string

const TURN_MAY_RUN =
  'The service has taken the follow-up and has no way to cancel it, so the agent may be at work on it.'

/** What this step has done to the pull request. `changed` is made of the same. */
const tellOperation: Say = ({ operation, task }) => {
  if (operation === 'created') return 'The agent opened it.'
  if (operation === 'updated') return 'It has new commits.'
  if (task?.kind === 'follow-up') return 'It is not known whether this follow-up changed it.'
  return "The agent's changes are in it."
}

/** A turn may push before it comes to a bad end. */
const tellPush: Say = ({ operation }) =>
  operation === 'updated' ? ' Its pull request has new commits all the same.' : ''

const TEXTS: Readonly<Record<Outcome, Say>> = {
  'pull-request': (report) => [tellOperation(report), ...tellPullRequest(report)].join(' '),
  'no-changes': ({ job, operation }) => {
    if (job?.hasUnsafeLink === true)
      return 'The agent finished. The service gave an address for the pull request that is not safe to link, so there is none to show.'
    if (operation === 'unchanged') return 'The agent finished and added no commit to the pull request.'
    return 'The agent finished and changed no file, so there is no pull request.'
  },
  failed: (report) => `It hit an error that it could not recover from.${tellPush(report)}`,
  archived: (report) => `Somebody archived it, so nothing more will come of it.${tellPush(report)}`,
  'timed-out': (report) =>
    [
      `The step waited ${formatDuration(report.durationMs)}.`,
      goesOn(report)
        ? 'The job still runs.'
        : 'The job has ended, and it is not known whether that is the end of this follow-up.',
    ].join(' '),
  unconfirmed: () => 'The service took the prompt, but the job was never seen to work on it.',
  submitted: (report) =>
    report.task?.kind === 'attach' ? 'This step does not wait for the job.' : 'This step does not wait for the result.',
  cancelled: (report) => {
    if (jobIdOf(report) === undefined) return 'The run was cancelled before the service had taken the prompt.'
    if (report.turn === 'unsent') return 'The run was cancelled before the follow-up was sent.'
    if (report.turn === 'taken' || isFixing(report)) return `The run was cancelled. ${TURN_MAY_RUN}`
    if (goesOn(report)) return 'The run was cancelled. The service has no way to cancel a job, so the job still runs.'
    return `The run was cancelled. The job was ${report.job?.status ?? 'not read yet'}.`
  },
  skipped: ({ skipReason }) =>
    skipReason === undefined
      ? 'No prompt was sent, because `api-key` is empty and `on-missing-key` is `skip`.'
      : `No prompt was sent. ${skipReason}`,
  error: () => '',
}

/** Whether failing checks were sent back to the job, and no end of that was seen. */
function isFixing({ fixing }: Report): boolean {
  return fixing !== undefined && fixing.sent > 0 && fixing.stop === undefined
}

/** Whether the job goes on without this step. */
function goesOn({ job, outcome }: Report): boolean {
  return job?.status === 'active' && outcome !== 'no-changes'
}

/** Whether a step that attaches could see the end that this one did not see. It tells the job's state, so never of a turn that was not seen. */
function mayStillEnd(report: Report): boolean {
  const { outcome, task, turn } = report
  if (isFixing(report) || turn === 'unsent' || (turn === 'taken' && outcome !== 'submitted')) return false
  if (goesOn(report)) return true
  return outcome === 'cancelled' || (outcome === 'timed-out' && task?.kind === 'attach')
}

/** What to run to wait for the job's end. */
export function adviseAttaching(report: Report): string | undefined {
  const id = jobIdOf(report)
  if (id === undefined || !mayStillEnd(report)) return undefined
  const tells =
    report.turn === undefined ? '' : ' It tells how the job ends, and not whether this follow-up was its last turn.'
  return `To wait for the job, run the same step with \`job-id: ${id}\` and without a prompt.${tells}`
}

function textOf(report: Report): string {
  const { outcome, error, lastProblem } = report
  const sentences: string[] = []
  if (error === undefined || error.code === 'cancelled') sentences.push(TEXTS[outcome](report))
  else {
    if (outcome === 'cancelled') sentences.push('The run was cancelled.')
    sentences.push(error.message)
    if (report.turn === 'taken') sentences.push(TURN_MAY_RUN)
    else if (goesOn(report)) sentences.push('The job itself goes on.')
  }
  if (outcome === 'timed-out' && lastProblem !== undefined)
    sentences.push(`The last look at it failed: ${lastProblem.message}`)
  return joinSentences(sentences)
}

const LOOK_AT_THE_END =
  "See the job on the service's dashboard, and allow more time in `timeout-minutes` the next time."
const LOOK_BEFORE_SENDING =
  "See the job on the service's dashboard before you send the prompt again: it may still begin."
const LOOK_AT_THE_ROUND = "See on the service's dashboard what becomes of it, before you send the job anything else."

const ADVICE: Readonly<Record<Outcome, string | undefined>> = {
  'pull-request': undefined,
  'no-changes': 'If you expected changes, send a follow-up that names the pages.',
  failed: "See the job on the service's dashboard, then send a follow-up or start a new job with another prompt.",
  archived: 'Start a new job: run the same step without `job-id`.',
  'timed-out': undefined,
  unconfirmed: LOOK_BEFORE_SENDING,
  submitted: undefined,
  cancelled: 'Run the step again when you want it: nothing came of this one.',
  skipped:
    'Pull requests from forks and from Dependabot get no secrets. On any other run, check the name of the secret that `api-key` is given from.',
  error: undefined,
}

const FIND_IT = 'Look for the pull request in the repository.'

/** The first is what does the most harm if nobody does it, and the last what nobody misses. */
function adviceOf(report: Report, failOn: ReadonlySet<FailOn>): string | undefined {
  if (report.skipReason !== undefined) return undefined
  const { outcome, error, job } = report
  const id = jobIdOf(report)
  const isUntouched = error?.code === 'cancelled' && (id === undefined || report.turn === 'unsent')
  const [block] = findBlocks(report, failOn)
  return mostUrgent([
    error !== undefined && report.turn === 'taken' ? LOOK_BEFORE_SENDING : undefined,
    goesOn(report) && outcome !== 'error' ? adviseAttaching(report) : undefined,
    error?.hint,
    isFixing(report) ? LOOK_AT_THE_ROUND : undefined,
    adviseAttaching(report),
    outcome === 'no-changes' && job?.hasUnsafeLink === true ? FIND_IT : undefined,
    error === undefined || isUntouched ? ADVICE[outcome] : undefined,
    outcome === 'timed-out' && error === undefined && !goesOn(report) ? LOOK_AT_THE_END : undefined,
    block && adviseOnBlock(block, report),
  ])
}

function titleOf(report: Report, failOn: ReadonlySet<FailOn>): string {
  const { outcome, error, skipReason } = report
  const [block] = findBlocks(report, failOn)
  if (block !== undefined) return BLOCK_TITLES[block]
  if (skipReason !== undefined) return 'Skipped, as there is nothing to do now'
  if (outcome === 'no-changes' && report.job?.hasUnsafeLink === true) return 'There is no pull request to show'
  if (outcome === 'error') return ERROR_TITLES[error?.code ?? 'bad-answer']
  return outcome === 'timed-out' && error !== undefined ? ERROR_TITLES[error.code] : TITLES[outcome]
}

export function conclude(report: Report, failOn: ReadonlySet<FailOn>): Conclusion {
  return {
    isGreen: isGreen(report, failOn),
    title: titleOf(report, failOn),
    text: [textOf(report), ...tellCause(findBlocks(report, failOn), report)].join(' '),
    advice: adviceOf(report, failOn),
  }
}
