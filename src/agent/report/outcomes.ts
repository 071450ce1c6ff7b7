import { type Conclusion, MISSING_KEY } from '../../action/step-result.ts'
import { UNKNOWN_DELIVERY_HINT } from '../../docs-service/client.ts'
import { isTerminal, STATUS_PHRASES } from '../../docs-service/schemas.ts'
import { ERROR_TITLES } from '../../runtime/errors.ts'
import { formatCount, formatDuration, joinSentences } from '../../text/format.ts'
import type { FailOn } from '../inputs.ts'
import { listWarnings } from './warnings.ts'
import {
  adviseOnPullRequest,
  formatPullRequest,
  checkGates,
  describeOperation,
  formatPullRequestTitle,
} from './pull-request-status.ts'
import type { Outcome, Report } from './report.ts'
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
} from './step-end.ts'
import { isFixRoundRunning, mayHaveChangedUnseen, type Previewed } from './turn.ts'

type Say<T = string> = (report: Report) => T

/** All that an outcome means, as far as no error tells it. */
interface OutcomeRules {
  /** Green or red by itself, or red if `fail-on` has a certain word. */
  readonly colour: 'green' | 'red' | FailOn
  readonly icons: readonly [green: string, red: string]
  /** What came of a turn that ended so. */
  readonly end: string
  readonly title: Say
  /** What happened, as full sentences. What is known of the pull request follows. */
  readonly text: Say
  readonly advice?: Say<string | undefined>
  /** The output `changed` if a prompt was sent and nobody compared heads. Undefined if nobody knows. */
  readonly changed: Say<boolean | undefined>
}

/** Whether the job goes on without this step. */
function isStillRunning(report: Report): boolean {
  const job = getJob(report)
  return job !== undefined && !isTerminal(job) && getOutcome(report) !== 'no-changes'
}

export const TURN_MAY_RUN =
  'The service accepted the follow-up and cannot cancel it, so the agent may be working on it.'
export const CHECK_BEFORE_RESENDING =
  "See the job on the service's dashboard before you send the prompt again: it may still begin."

/** For a step with `command`, which cannot take `job-id`. */
export const ASK_IN_AN_ISSUE = 'To start over, ask in an issue: that starts a new job.'

/** A turn may push before it comes to a bad end. */
const formatUnsuccessfulEnd =
  (end: string): Say =>
  (report) => {
    if (getOperation(report) === 'updated') return `${end} Its pull request has new commits all the same.`
    const isTold = isPullRequestInspected(report) && formatPullRequest(report) !== ''
    return isTold ? `${end} Its pull request was looked at all the same.` : end
  }

const isFollowUp = (report: Report): boolean => getTask(report)?.kind === 'follow-up'

/** However a job ended, its pull request holds its work. Of a follow-up, an earlier turn may have opened it. */
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

/** How large the prompt of a dry run is, and where it would go. */
function formatPreview(report: Report): string {
  const [task, preview] = [getTask(report), getPreview(report)]
  if (task === undefined || task.kind === 'attach') return ''
  const size = formatCount(Buffer.byteLength(task.prompt), 'byte')
  const sent = `Nothing was sent. A run without \`dry-run\` would send a prompt of ${size}`
  const unread = 'not confirmed by the service, which a dry run without a key cannot ask'
  if (task.kind === 'create') return `${sent} to a new job${formatUndecided(preview?.undecided, unread)}.`
  const number = preview?.pullRequest?.number
  const place = number === undefined ? '' : `, which belongs to pull request #${number}`
  return `${sent} to job ${task.jobId}${place}${preview?.isJobRead === true ? '' : ` (${unread})`}.`
}

/** In these pull requests, somebody whose marker does not count names a job, which may be theirs. */
function formatUndecided(undecided: readonly number[] = [], unread: string): string {
  if (undecided.length === 0) return ''
  const named = undecided.map((number) => `#${number}`).join(', ')
  return ` (${unread}: pull request ${named} may be the agent's)`
}

export const OUTCOME_RULES: Readonly<Record<Outcome, OutcomeRules>> = {
  'pull-request': {
    colour: 'green',
    icons: ['✅', '❌'],
    end: 'the changes are in it',
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
      adviseOnPullRequest(report) === undefined ? 'Nothing had to change' : formatPullRequestTitle(report),
    text: (report) =>
      isPullRequestInspected(report)
        ? 'The agent finished and added no commit to the pull request.'
        : 'The agent finished and changed no file, so there is no pull request.',
    advice: (report) =>
      adviseOnPullRequest(report) ?? 'If you expected changes, send a follow-up that names the pages.',
    // A job that names the pull request of an earlier turn no more may have worked elsewhere.
    changed: (report) =>
      mayHaveChangedUnseen(getRounds(report)) || getJob(report)?.prLink !== undefined ? undefined : false,
  },
  failed: {
    colour: 'failed',
    icons: ['⚪', '❌'],
    end: 'failed',
    title: () => 'The job failed',
    text: formatUnsuccessfulEnd('It hit an error that it could not recover from.'),
    advice: () =>
      "See the job on the service's dashboard, then send a follow-up or start a new job with another prompt.",
    changed: hasPullRequest,
  },
  archived: {
    colour: 'archived',
    icons: ['⚪', '❌'],
    end: 'the job is archived',
    title: () => 'The job is archived',
    text: formatUnsuccessfulEnd('Somebody archived it, so the agent does nothing more.'),
    advice: ({ comment }) =>
      comment === undefined ? 'Start a new job: run the same step without `job-id`.' : ASK_IN_AN_ISSUE,
    changed: hasPullRequest,
  },
  'timed-out': {
    colour: 'timeout',
    icons: ['⚪', '⏰'],
    end: 'did not end in time',
    title: (report) => {
      const error = getError(report)
      return error === undefined ? 'The agent did not finish in time' : ERROR_TITLES[error.code]
    },
    text: (report) => {
      const waited = `The step waited ${formatDuration(report.durationMs)}.`
      if (isStillRunning(report)) return `${waited} The job still runs.`
      if (getStepProgress(report) === undefined)
        return `${waited} The job has ended, and it is not known whether it has a pull request.`
      return `${waited} The job has ended, and it is not known whether that is the end of this follow-up.`
    },
    advice: (report) =>
      isStillRunning(report)
        ? undefined
        : "See the job on the service's dashboard, and allow more time in `timeout-minutes` the next time.",
    changed: () => undefined,
  },
  unconfirmed: {
    colour: 'red',
    icons: ['❓', '❓'],
    end: 'sent, and not seen to begin',
    title: () => 'The follow-up was sent, but the agent was not seen to begin it',
    text: () => 'The service accepted the prompt, but the job was never seen to work on it.',
    advice: () => CHECK_BEFORE_RESENDING,
    changed: () => undefined,
  },
  submitted: {
    colour: 'green',
    icons: ['🚀', '🚀'],
    end: 'sent, and not waited for',
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
      if (isStillRunning(report))
        return 'The run was cancelled. The service has no way to cancel a job, so the job still runs.'
      return `The run was cancelled. The job ${job === undefined ? 'was not read yet' : STATUS_PHRASES[job.status]}.`
    },
    advice: () => 'Run the step again if you still want it: this one did nothing.',
    // Such a step may have seen the end, and waited for checks.
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
    text: ({ skipReason }) =>
      skipReason === undefined
        ? 'No prompt was sent, because `api-key` is empty and `on-missing-key` is `skip`.'
        : `No prompt was sent. ${skipReason}`,
    advice: ({ skipReason }) => (skipReason === undefined ? MISSING_KEY.advice : undefined),
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

/** What to run to wait for the job's end, if this step did not see it. It tells the job's state, so never of a turn that was not seen. */
export function adviseAttaching(report: Report): string | undefined {
  const [outcome, progress, id] = [getOutcome(report), getStepProgress(report), getJobId(report)]
  const isUnseen = progress === 'unsent' || (progress === 'accepted' && outcome !== 'submitted')
  const mayEnd =
    isStillRunning(report) ||
    outcome === 'cancelled' ||
    (outcome === 'timed-out' && getTask(report)?.kind !== 'follow-up')
  if (id === undefined || isUnseen || isFixRoundRunning(getRounds(report)) || !mayEnd) return undefined
  const tells =
    progress === undefined ? '' : ' It tells how the job ends, and not whether this follow-up was its last turn.'
  const withoutPrompt = `with \`job-id: ${id}\` and without a prompt`
  // A step with `command` cannot take `job-id`.
  if (report.comment !== undefined)
    return `To wait for the job, run the action in a step ${withoutPrompt} and \`command\`.${tells}`
  return `To wait for the job, run the same step ${withoutPrompt}.${tells}`
}

function getText(report: Report): string {
  const [outcome, error, lastProblem] = [getOutcome(report), getError(report), getLastProblem(report)]
  const last = outcome === 'timed-out' && lastProblem && `The last look at it failed: ${lastProblem.message}`
  if (error === undefined || error.code === 'cancelled')
    return joinSentences([
      OUTCOME_RULES[outcome].text(report),
      isPullRequestInspected(report) && formatPullRequest(report),
      last,
    ])
  const cancelled = outcome === 'cancelled' && 'The run was cancelled.'
  const goesOn = isStillRunning(report) && 'The job itself goes on.'
  return joinSentences([cancelled, error.message, getStepProgress(report) === 'accepted' ? TURN_MAY_RUN : goesOn, last])
}

const CHECK_BEFORE_NEXT_PROMPT = "Check the service's dashboard before you send the job anything else."

/** The first is what does the most harm if nobody does it, and the last what nobody misses. */
function getAdvice(report: Report): string | undefined {
  const [outcome, error, progress] = [getOutcome(report), getError(report), getStepProgress(report)]
  const isUnknown = isDeliveryUnknown(report)
  const isUntouched =
    error?.code === 'cancelled' && !isUnknown && (getJobId(report) === undefined || progress === 'unsent')
  const inOrder = [
    error?.code === 'cancelled' && isUnknown ? UNKNOWN_DELIVERY_HINT : undefined,
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
    // `fail-on` is about what became of an accepted job. If the step could not do its own part, it is red anyway.
    isGreen: isGood && getError(report) === undefined && gates.every((isPassed) => isPassed === true),
    title: title(report),
    // The cause of what is not known is no detail then.
    text: [getText(report), ...(gates.includes(undefined) ? listWarnings(report.warnings) : [])].join(' '),
    advice: getAdvice(report),
  }
}
