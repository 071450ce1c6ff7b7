/** Concludes a step with a title, a text, advice and a colour. Hides the rules and the texts of each outcome. */
import { type Conclusion, MISSING_KEY } from '../../action/step.ts'
import { CHECK_BEFORE_RESENDING, UNKNOWN_DELIVERY_HINT } from '../../docs-service/client.ts'
import { type JobStatus, STATUS_PHRASES } from '../../docs-service/schemas.ts'
import { ERROR_TITLES, type ActionError } from '../../runtime/errors.ts'
import { formatCount, formatDuration, joinSentences } from '../../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import type { FailOn } from '../inputs.ts'
import {
  adviseOnPullRequest,
  formatPullRequest,
  checkGates,
  describeOperation,
  formatPullRequestTitle,
  CHECKS_TEXTS,
} from './pull-request-status.ts'
import { listWarnings, type Outcome, type Report } from './report.ts'
import {
  isFixRoundRunning,
  mayHaveUnseenChanges,
  type Previewed,
  type EndedState,
  getTurnEnd,
  getFindings,
  getNewest,
  getProgress,
  isSent,
  type Stopped,
  type Turn,
  type Turns,
  type Work,
} from './turn.ts'
import {
  getError,
  getJob,
  getJobId,
  getLastProblem,
  getOperation,
  getOutcome,
  getRounds,
  getStepEnd,
  getStepProgress,
  getTask,
  isDeliveryUnknown,
  isPullRequestInspected,
  getStopOutcome,
} from './turns.ts'

type FromReport<T = string> = (report: Report) => T

/** The colour, icons and texts of an outcome. If the step has an error, the error's message and hint replace the texts. */
interface OutcomeRules {
  /** A word of `fail-on`: red if the input contains this word, otherwise green. */
  readonly colour: 'green' | 'red' | FailOn
  readonly icons: readonly [green: string, red: string]
  /** The result of a turn, for the log of the run and the log in the pull request. */
  readonly end: string
  readonly title: FromReport
  /** What happened, in full sentences. The state of the pull request follows. */
  readonly text: FromReport
  readonly advice?: FromReport<string | undefined>
  /**
   * The output `changed`, if the service may have accepted the prompt, and the heads of the pull request were not compared.
   * `undefined` if it is unknown.
   */
  readonly changed: FromReport<boolean | undefined>
}

/** The words after `The job` for a status in which the agent can still be working. Undefined for a terminal status. */
function getRunningPhrase(status: JobStatus): string | undefined {
  switch (status) {
    case 'active':
      return 'still runs'
    case 'completed':
    case 'failed':
    case 'archived':
      return undefined
  }
}

/** Says that the job `still runs`, if the newest read shows that. */
function formatStillRunning(report: Report): string | undefined {
  const job = getJob(report)
  return job === undefined || getOutcome(report) === 'no-changes' ? undefined : getRunningPhrase(job.status)
}

const isStillRunning = (report: Report): boolean => formatStillRunning(report) !== undefined

export const TURN_MAY_RUN =
  'The service accepted the follow-up and cannot cancel it, so the agent may be working on it.'

/** For a step with `command`, which cannot be combined with `job-id`. */
export const ASK_IN_AN_ISSUE = 'To start over, write the command in an issue: this starts a new job.'

/** The agent may push commits before a job fails or is archived. */
const formatUnsuccessfulEnd =
  (end: string): FromReport =>
  (report) => {
    if (getOperation(report) === 'updated') return `${end} However, its pull request has new commits.`
    const isDescribed = isPullRequestInspected(report) && formatPullRequest(report) !== ''
    return isDescribed ? `${end} Its pull request was checked anyway.` : end
  }

const isFollowUp = (report: Report): boolean => getTask(report)?.kind === 'follow-up'

/** Unknown for a follow-up: an earlier turn may have opened the job's pull request. */
const hasPullRequest: OutcomeRules['changed'] = (report) => {
  const job = getJob(report)
  return isFollowUp(report) || job?.hasUnsafeLink === true ? undefined : job?.prLink !== undefined
}

function getPreview(report: Report): Previewed | undefined {
  const end = getStepEnd(report)
  return end.kind === 'previewed' ? end : undefined
}

function formatPreviewTitle(report: Report): string {
  const preview = getPreview(report)
  if (preview?.pullRequest !== undefined) return 'Dry run, the prompt would go to an open pull request'
  if ((preview?.undecided ?? []).length > 0) return 'Dry run, the prompt may start a new job'
  return `Dry run, the prompt would ${isFollowUp(report) ? 'go to an existing job' : 'start a new job'}`
}

/** Describes the size of a dry run's prompt and where it would be sent. */
function formatPreview(report: Report): string {
  const [task, preview] = [getTask(report), getPreview(report)]
  if (task === undefined || task.kind === 'attach') return ''
  const size = formatCount(Buffer.byteLength(task.prompt), 'byte')
  const sent = `Nothing was sent. A run without \`dry-run\` would send a prompt of ${size}`
  const unconfirmed = 'not confirmed by the service, because a dry run without a key sends it no requests'
  if (task.kind === 'create') return `${sent} to a new job${formatUndecided(preview?.undecided, unconfirmed)}.`
  const number = preview?.pullRequest?.number ?? preview?.ofJob
  const place = number === undefined ? '' : `, which belongs to pull request #${number}`
  return `${sent} to job ${task.jobId}${place}${preview?.isJobRead === true ? '' : ` (${unconfirmed})`}.`
}

/** @param undecided pull requests whose marker comment names a job, but was written by an untrusted author */
function formatUndecided(undecided: readonly number[] = [], unconfirmed: string): string {
  if (undecided.length === 0) return ''
  const named = undecided.map((number) => `#${number}`).join(', ')
  return ` (${unconfirmed}: pull request ${named} may be the agent's)`
}

export const OUTCOME_RULES: Readonly<Record<Outcome, OutcomeRules>> = {
  'pull-request': {
    colour: 'green',
    icons: ['✅', '❌'],
    end: 'its changes are in the pull request',
    title: formatPullRequestTitle,
    text: (report) => describeOperation(report)[1],
    advice: adviseOnPullRequest,
    changed: (report) => (isFollowUp(report) ? undefined : true),
  },
  'no-changes': {
    colour: 'no-changes',
    icons: ['✅', '❌'],
    end: 'nothing to change',
    title: (report) =>
      adviseOnPullRequest(report) === undefined ? 'No changes were made' : formatPullRequestTitle(report),
    text: (report) =>
      isPullRequestInspected(report)
        ? 'The agent finished and added no commit to the pull request.'
        : 'The agent finished and changed no file, so there is no pull request.',
    advice: (report) =>
      adviseOnPullRequest(report) ?? 'If you expected changes, send a follow-up that names the pages.',
    // The job may have worked in another pull request that this step did not inspect.
    changed: (report) =>
      mayHaveUnseenChanges(getRounds(report)) || getJob(report)?.prLink !== undefined ? undefined : false,
  },
  failed: {
    colour: 'failed',
    icons: ['⚪', '❌'],
    end: 'failed',
    title: () => 'The job failed',
    text: formatUnsuccessfulEnd('The agent hit an error that it could not recover from.'),
    advice: () =>
      "Look at the job in the service's dashboard, then send a follow-up or start a new job with a different prompt.",
    changed: hasPullRequest,
  },
  archived: {
    colour: 'archived',
    icons: ['⚪', '❌'],
    end: 'the job is archived',
    title: () => 'The job is archived',
    text: formatUnsuccessfulEnd('The job was archived, so the agent no longer works on it.'),
    advice: ({ comment }) =>
      comment === undefined ? 'Start a new job: run the same step without `job-id`.' : ASK_IN_AN_ISSUE,
    changed: hasPullRequest,
  },
  'timed-out': {
    colour: 'timeout',
    icons: ['⚪', '⏰'],
    end: 'did not finish in time',
    title: (report) => {
      const error = getError(report)
      return error === undefined ? 'The agent did not finish in time' : ERROR_TITLES[error.code]
    },
    text: (report) => {
      const waited = `The step waited ${formatDuration(report.durationMs)}.`
      const running = formatStillRunning(report)
      if (running !== undefined) return `${waited} The job ${running}.`
      if (getStepProgress(report) === undefined)
        return `${waited} The job has ended, but it is not known whether it has a pull request.`
      return `${waited} The job has ended, but it is not known whether it had finished this follow-up.`
    },
    advice: (report) =>
      isStillRunning(report)
        ? undefined
        : "Look at the job in the service's dashboard, and raise `timeout-minutes` for the next run.",
    changed: () => undefined,
  },
  unconfirmed: {
    colour: 'red',
    icons: ['❓', '❓'],
    end: 'sent, but not seen to start',
    title: () => 'The follow-up was sent, but the agent may not have started it',
    text: () => 'The service accepted the prompt, but the step never saw the agent start on it.',
    advice: () => CHECK_BEFORE_RESENDING,
    changed: () => undefined,
  },
  submitted: {
    colour: 'green',
    icons: ['🚀', '🚀'],
    end: 'sent, without waiting for the result',
    title: () => 'The agent is working',
    text: (report) =>
      getTask(report)?.kind === 'attach'
        ? 'This step does not wait for the job.'
        : 'This step does not wait for the result.',
    changed: () => undefined,
  },
  previewed: {
    colour: 'green',
    icons: ['🔎', '🔎'],
    end: 'not sent, because this is a dry run',
    title: formatPreviewTitle,
    text: formatPreview,
    changed: () => false,
  },
  cancelled: {
    colour: 'red',
    icons: ['🛑', '🛑'],
    end: 'cancelled',
    title: () => 'Cancelled',
    text: (report) => {
      if (isDeliveryUnknown(report))
        return 'The run was cancelled. It is not known whether the service accepted the prompt.'
      if (getJobId(report) === undefined) return 'The run was cancelled before the service accepted the prompt.'
      const [progress, job] = [getStepProgress(report), getJob(report)]
      if (progress === 'unsent') return 'The run was cancelled before the follow-up was sent.'
      if (progress === 'accepted' || isFixRoundRunning(getRounds(report)))
        return `The run was cancelled. ${TURN_MAY_RUN}`
      const running = formatStillRunning(report)
      if (running !== undefined)
        return `The run was cancelled. The service has no way to cancel a job, so the job ${running}.`
      return `The run was cancelled. The job ${job === undefined ? 'had not been read yet' : STATUS_PHRASES[job.status]}.`
    },
    advice: () => 'Run the step again if you still need it.',
    // The step may have seen the end of the job, and been cancelled while it waited for checks.
    changed: (report) => {
      const job = getJob(report)
      return getTask(report)?.kind === 'attach' && job?.status === 'completed' && job.prLink !== undefined
        ? true
        : undefined
    },
  },
  skipped: {
    colour: 'green',
    icons: ['⏭️', '⏭️'],
    end: 'skipped',
    title: ({ skipReason }) => (skipReason === undefined ? MISSING_KEY.title : 'Skipped, nothing to do'),
    text: ({ skipReason }) => (skipReason === undefined ? MISSING_KEY.text : `No prompt was sent. ${skipReason}`),
    changed: () => false,
  },
  error: {
    colour: 'red',
    icons: ['❌', '❌'],
    end: 'failed',
    title: (report) => ERROR_TITLES[getError(report)?.code ?? 'bad-answer'],
    text: () => '',
    changed: () => undefined,
  },
}

/**
 * Describes the step that waits for a job whose end this step did not see. A step that attaches reports the state of the job,
 * which does not show the result of a follow-up that was not seen to start. So the result is `undefined` for such a follow-up.
 */
export function adviseAttaching(report: Report): string | undefined {
  const [outcome, progress, id] = [getOutcome(report), getStepProgress(report), getJobId(report)]
  const isUnseen = progress === 'unsent' || (progress === 'accepted' && outcome !== 'submitted')
  const mayEnd =
    isStillRunning(report) ||
    outcome === 'cancelled' ||
    (outcome === 'timed-out' && getTask(report)?.kind !== 'follow-up')
  if (id === undefined || isUnseen || isFixRoundRunning(getRounds(report)) || !mayEnd) return undefined
  const limits =
    progress === undefined ? '' : ' It reports how the job ends, which may be the result of a later prompt.'
  const withoutPrompt = `with \`job-id: ${id}\` and without a prompt`
  // `command` cannot be combined with `job-id`.
  if (report.comment !== undefined)
    return `To wait for the job, run the action in a step ${withoutPrompt} and \`command\`.${limits}`
  return `To wait for the job, run the same step ${withoutPrompt}.${limits}`
}

function getText(report: Report): string {
  const [outcome, error, lastProblem] = [getOutcome(report), getError(report), getLastProblem(report)]
  const last =
    outcome === 'timed-out' && lastProblem && `The last attempt to read the job failed: ${lastProblem.message}`
  if (error === undefined || error.code === 'cancelled')
    return joinSentences([
      OUTCOME_RULES[outcome].text(report),
      isPullRequestInspected(report) && formatPullRequest(report),
      last,
    ])
  const cancelled = outcome === 'cancelled' && 'The run was cancelled.'
  const running = formatStillRunning(report)
  return joinSentences([
    cancelled,
    error.message,
    getStepProgress(report) === 'accepted' ? TURN_MAY_RUN : running && `The job ${running}.`,
    last,
  ])
}

const CHECK_BEFORE_NEXT_PROMPT = "Look at the job in the service's dashboard before you send it another prompt."

/** Returns the most important advice only. */
function getAdvice(report: Report): string | undefined {
  const [outcome, error, progress] = [getOutcome(report), getError(report), getStepProgress(report)]
  const isUnknown = isDeliveryUnknown(report)
  const unknownDelivery = isFollowUp(report) ? CHECK_BEFORE_RESENDING : UNKNOWN_DELIVERY_HINT
  const isUntouched =
    error?.code === 'cancelled' && !isUnknown && (getJobId(report) === undefined || progress === 'unsent')
  const inOrder = [
    error?.code === 'cancelled' && isUnknown ? unknownDelivery : undefined,
    error !== undefined && progress === 'accepted' ? CHECK_BEFORE_RESENDING : undefined,
    isStillRunning(report) && outcome !== 'error' ? adviseAttaching(report) : undefined,
    error?.hint,
    isFixRoundRunning(getRounds(report)) ? CHECK_BEFORE_NEXT_PROMPT : undefined,
    adviseAttaching(report),
    error === undefined || isUntouched ? OUTCOME_RULES[outcome].advice?.(report) : undefined,
  ]
  return inOrder.find(Boolean)
}

export function conclude(report: Report): Conclusion {
  const { colour, title } = OUTCOME_RULES[getOutcome(report)]
  const gates = checkGates(report)
  const isGood = colour === 'green' || (colour !== 'red' && !report.failOn?.has(colour))
  return {
    // `fail-on` only covers the result of a job that the service accepted. A step with an error is always red.
    isGreen: isGood && getError(report) === undefined && gates.every((isPassed) => isPassed === true),
    title: title(report),
    // If a gate is red because its state is unknown, the warnings say why.
    text: [getText(report), ...(gates.includes(undefined) ? listWarnings(report.warnings) : [])].join(' '),
    advice: getAdvice(report),
  }
}

/** Names the commits of a turn that did not complete. */
const formatAfterCommits = (work: Work): string =>
  work.kind === 'updated' ? ` after ${formatCount(work.commits, 'new commit')}` : ''

const OPENED = 'opened'

function formatEnded({ job, work }: EndedState, turn: Turn): string {
  switch (job.status) {
    case 'failed':
    case 'archived':
      return `${OUTCOME_RULES[job.status].end}${formatAfterCommits(work)}`
    case 'completed':
      return formatWork(work, turn)
  }
}

function formatWork(work: Work, { task }: Turn): string {
  switch (work.kind) {
    case 'created':
      return OPENED
    case 'updated':
      return formatCount(work.commits, 'new commit')
    case 'unchanged':
    case 'none':
      return OUTCOME_RULES['no-changes'].end
    case 'unknown':
      return task.kind === 'follow-up' ? 'changes unknown' : OUTCOME_RULES['pull-request'].end
  }
}

function formatStopped(stopped: Stopped, turn: Turn): string {
  if (stopped.error.code === 'not-sent') return 'not sent'
  const outcome = getStopOutcome(stopped)
  const isUnsent = turn.task.kind !== 'attach' && !isSent(turn)
  if (outcome === 'timed-out' && isUnsent) return 'not sent'
  if (outcome === 'cancelled' && isUnsent && getProgress(turn) === 'unsent') return 'cancelled before it was sent'
  return outcome === 'error' ? formatError(stopped.error) : OUTCOME_RULES[outcome].end
}

const formatError = ({ code }: ActionError, afterCommits = ''): string => `failed${afterCommits}: ${ERROR_TITLES[code]}`

/** Formats the end of a turn. The text contains nothing that the service or other users wrote. */
export function formatEnd(turn: Turn): string {
  const { state } = turn
  const end = getTurnEnd(turn)
  if (end === undefined) return state.kind === 'stopped' ? formatStopped(state, turn) : OUTCOME_RULES.error.end
  switch (end.kind) {
    case 'not-sent':
      return 'not sent'
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
      return OUTCOME_RULES[end.kind].end
    case 'ended':
      return formatEnded(end, turn)
    case 'unusable-link':
      return formatError(end.error)
    case 'left-behind':
      return formatError(end.error, formatAfterCommits(end.work))
  }
}

/** Returns the name of the newest turn in the log. */
export function nameTurn(turns: Turns, maxRounds: number): string {
  const { task, failing } = getNewest(turns)
  if (failing !== undefined) return `Round ${turns.length - 1} of ${maxRounds}`
  if (task.kind === 'create') return 'New job'
  return `${task.kind === 'attach' ? 'Attach' : 'Follow-up'} to ${task.jobId}`
}

/** Returns the title of a turn's group in the log. The title of a fix round names the failed checks. */
export function titleTurn(name: string, { failing }: Turn): string {
  if (failing === undefined) return name
  return `${name}: ${failing.map((check) => oneLine(check.name, MAX_NAME_CHARS)).join(', ')}`
}

/** Formats the end of a turn that no error stopped. A turn without an end was not sent, and another one replaces it. */
export function formatVerdict(turn: Turn): string {
  const checks = getFindings(turn)?.checks
  if (getTurnEnd(turn) === undefined) return 'not sent'
  const text = formatEnd(turn)
  // Unlike a row of the comment, the log line does not name the pull request.
  const end = text === OPENED ? `pull request ${OPENED}` : text
  return checks === undefined ? end : `${end}, ${CHECKS_TEXTS[checks][0]}`
}
