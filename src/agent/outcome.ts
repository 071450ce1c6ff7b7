/** Concludes a step with an outcome, a title, a text, advice and a colour, by one ordered list of rules: the first match decides. */
import { type Conclusion, MISSING_KEY } from '../action/step.ts'
import { CHECK_BEFORE_RESENDING, UNKNOWN_DELIVERY_HINT } from '../docs-service/client.ts'
import { isTerminal } from '../docs-service/schemas.ts'
import { STATUS_PHRASES, type TerminalStatus } from '../docs-service/interface.ts'
import { type ActionError, ERROR_TITLES } from '../runtime/errors.ts'
import { formatCount, formatDuration, joinSentences } from '../text/format.ts'
import { quoteName } from '../text/markdown.ts'
import { MAX_NAME_CHARS, oneLine } from '../text/untrusted.ts'
import { DEFAULT_LABEL, type FailOn } from './facts.ts'
import {
  adviseOnPullRequest,
  checkGates,
  describeChecks,
  describeOperation,
  formatPullRequest,
  formatPullRequestTitle,
} from './words.ts'
import {
  getError,
  getJob,
  getJobId,
  getOperation,
  getOwnTurn,
  hasChangedInRound,
  isFixRoundRunning,
  isPullRequestRead,
  listWarnings,
  mayHaveUnseenChanges,
  type Outcome,
  type Run,
  type Turn,
} from './record.ts'
import { ASK_IN_AN_ISSUE, RUN_AGAIN, WITHOUT_JOB_ID } from './turn/target.ts'

export const TURN_MAY_RUN =
  'The service accepted the follow-up and cannot cancel it, so the agent may be working on it.'

type Text = (run: Run) => string | undefined

/** How a step is reported if no earlier rule matches. */
interface Rule {
  readonly when: (run: Run) => boolean
  readonly outcome: Outcome
  /** A word of `fail-on`: red if the input contains this word, otherwise green. */
  readonly colour: 'green' | 'red' | FailOn
  readonly title: Text
  /** What happened, in full sentences. The state of the pull request follows. */
  readonly text: Text
  /** What to do now; undefined if there is nothing to do. */
  readonly advice?: Text
  /** Whether the step's work is in a pull request: the output `changed`. By default it is not known. */
  readonly changed?: (run: Run) => boolean | undefined
}

const isFollowUp = (run: Run): boolean => getOwnTurn(run)?.task.kind === 'follow-up'
const isUnsent = (run: Run): boolean => getOwnTurn(run)?.sent === undefined && getOwnTurn(run)?.task.kind !== 'attach'
const isDeliveryUnknown = (run: Run): boolean => getOwnTurn(run)?.sent === 'maybe'
const adviseOnUnknownDelivery = (run: Run): string => (isFollowUp(run) ? CHECK_BEFORE_RESENDING : UNKNOWN_DELIVERY_HINT)

/** The service accepted a follow-up whose turn was not seen to start. */
const isUnconfirmed = (run: Run): boolean => isFollowUp(run) && getOwnTurn(run)?.sent === 'accepted'

/** Whether the newest read shows that the job has not ended. */
function isJobRunning(run: Run): boolean {
  const job = getJob(run)
  return job !== undefined && !isTerminal(job)
}

const hasEnd =
  (end: Turn['end']) =>
  (run: Run): boolean =>
    getOwnTurn(run)?.end === end
const hasFinishedAs =
  (status: TerminalStatus) =>
  (run: Run): boolean =>
    hasEnd('finished')(run) && getJob(run)?.status === status
const hasError =
  (isWanted: (error: ActionError) => boolean) =>
  (run: Run): boolean => {
    const error = getError(run)
    return error !== undefined && isWanted(error)
  }

/** Whether the turn left the pull request as it was, and so did all rounds. */
function hasChangedNothing(run: Run): boolean {
  const { effect, job } = getOwnTurn(run) ?? {}
  const isUnchanged = effect?.kind === 'unchanged' || effect?.kind === 'none' || job?.prLink === undefined
  return isUnchanged && !hasChangedInRound(run)
}

/** Unknown for a follow-up: an earlier turn may have opened the job's pull request. */
function hasPullRequest(run: Run): boolean | undefined {
  return isFollowUp(run) ? undefined : getJob(run)?.prLink !== undefined
}

/** The agent may push commits before a job fails or is archived. */
const describeUnsuccessfulEnd =
  (end: string): Text =>
  (run) => {
    if (getOperation(run) === 'updated') return `${end} However, its pull request has new commits.`
    const isDescribed = isPullRequestRead(run) && formatPullRequest(run) !== ''
    return isDescribed ? `${end} Its pull request was checked anyway.` : end
  }

/** What the error says, and what is known of the job. */
function describeFailure(run: Run): string {
  return joinSentences([
    getError(run)?.message,
    isUnconfirmed(run) ? TURN_MAY_RUN : isJobRunning(run) && 'The job still runs.',
    formatLastProblem(run),
  ])
}

/** Why the job could not be read before the deadline. */
function getLastProblem(run: Run): ActionError | undefined {
  const { end, lastProblem, error } = getOwnTurn(run) ?? {}
  return end === 'timed-out' || error?.code === 'deadline' ? lastProblem : undefined
}

function formatLastProblem(run: Run): string | undefined {
  const problem = getLastProblem(run)
  return problem && `The last attempt to read the job failed: ${problem.message}`
}

/** The service's own reason for the result. */
export const getQuote = (run: Run): string | undefined => getError(run)?.quote ?? getLastProblem(run)?.quote

function describeCancelled(run: Run): string {
  const error = getError(run)
  if (error !== undefined && error.code !== 'cancelled') return `The run was cancelled. ${describeFailure(run)}`
  if (isUnsent(run)) return 'The run was cancelled before the service accepted the prompt.'
  if (isDeliveryUnknown(run)) return 'The run was cancelled. It is not known whether the service accepted the prompt.'
  const job = isUnconfirmed(run) || isFixRoundRunning(run) ? undefined : getJob(run)
  if (job !== undefined && isTerminal(job)) return `The run was cancelled. The job ${STATUS_PHRASES[job.status]}.`
  const state = job === undefined ? 'it may still run' : 'the job still runs'
  return `The run was cancelled. The service has no way to cancel a job, so ${state}.`
}

function describeTimeout(run: Run): string {
  const waited = `The step waited ${formatDuration(run.durationMs)}.`
  if (isJobRunning(run)) return joinSentences([`${waited} The job still runs.`, formatLastProblem(run)])
  const unknown = isFollowUp(run) ? 'it had finished this follow-up' : 'it has a pull request'
  return joinSentences([`${waited} The job has ended, but it is not known whether ${unknown}.`, formatLastProblem(run)])
}

const titlePreview: Text = (run) => {
  const { preview } = getOwnTurn(run) ?? {}
  if (preview?.isContinued === true) return 'Dry run, the prompt would go to an open pull request'
  return `Dry run, the prompt would ${isFollowUp(run) ? 'go to an existing job' : 'start a new job'}`
}

/** Describes the size of a dry run's prompt and where it would be sent. */
const describePreview: Text = (run) => {
  const { preview, task } = getOwnTurn(run) ?? {}
  if (task === undefined || task.kind === 'attach') return ''
  const size = formatCount(Buffer.byteLength(task.prompt), 'byte')
  const sent = `Nothing was sent. A run without \`dry-run\` would send a prompt of ${size}`
  const unconfirmed = 'not confirmed by the service, because a dry run without a key sends it no requests'
  if (task.kind === 'create') return `${sent} to a new job.`
  const number = preview?.pullRequest
  const belonging = number === undefined ? '' : `, which belongs to pull request #${number}`
  return `${sent} to job ${task.jobId}${belonging}${preview?.isJobRead === true ? '' : ` (${unconfirmed})`}.`
}

const titleError: Text = (run) => ERROR_TITLES[getError(run)?.code ?? 'invalid-response']
const hintOfError: Text = (run) => getError(run)?.hint

const RULES: readonly Rule[] = [
  {
    when: ({ state }) => state === 'no-key',
    outcome: 'skipped',
    colour: 'green',
    title: () => MISSING_KEY.title,
    text: () => MISSING_KEY.text,
    changed: () => false,
  },
  {
    when: (run) => isCancelled(run),
    outcome: 'cancelled',
    colour: 'red',
    title: () => 'Cancelled',
    text: describeCancelled,
    advice: (run) => {
      if (getError(run)?.code !== 'cancelled') return hintOfError(run)
      if (isDeliveryUnknown(run)) return adviseOnUnknownDelivery(run)
      return isUnconfirmed(run) ? CHECK_BEFORE_RESENDING : 'Run the step again if you still need it.'
    },
    // The step may have seen the end of the job, and been cancelled while it waited for checks.
    changed: (run) => {
      const { task } = getOwnTurn(run) ?? {}
      const job = getJob(run)
      return task?.kind === 'attach' && job?.status === 'completed' && job.prLink !== undefined ? true : undefined
    },
  },
  {
    when: (run) => hasError(({ code }) => code === 'not-sent')(run) && getOwnTurn(run)?.job?.status === 'archived',
    outcome: 'archived',
    colour: 'red',
    title: titleError,
    text: describeFailure,
    advice: hintOfError,
  },
  {
    when: hasError(({ code }) => code === 'deadline'),
    outcome: 'timed-out',
    colour: 'red',
    title: titleError,
    text: describeFailure,
    advice: hintOfError,
  },
  {
    when: hasError(() => true),
    outcome: 'error',
    colour: 'red',
    title: titleError,
    text: describeFailure,
    advice: (run) =>
      joinSentences([
        isUnconfirmed(run) && CHECK_BEFORE_RESENDING,
        // The hint of any other error says this already.
        isDeliveryUnknown(run) && getError(run)?.code === 'internal' && adviseOnUnknownDelivery(run),
        (!isUnconfirmed(run) || getError(run)?.code === 'internal') && hintOfError(run),
      ]),
  },
  {
    when: ({ skipReason }) => skipReason !== undefined,
    outcome: 'skipped',
    colour: 'green',
    title: () => 'Skipped, nothing to do',
    text: ({ skipReason }) => `No prompt was sent. ${skipReason ?? ''}`,
    changed: () => false,
  },
  {
    when: (run) => run.state === 'running' && (getOwnTurn(run)?.end === undefined || mayStillChange(run)),
    outcome: 'submitted',
    colour: 'green',
    title: () => 'The agent is working',
    text: () => 'The step has not ended.',
  },
  {
    when: (run) => getOwnTurn(run)?.end === undefined,
    outcome: 'error',
    colour: 'red',
    title: titleError,
    text: () => '',
  },
  {
    when: hasEnd('previewed'),
    outcome: 'previewed',
    colour: 'green',
    title: titlePreview,
    text: describePreview,
    changed: () => false,
  },
  {
    when: hasEnd('not-awaited'),
    outcome: 'submitted',
    colour: 'green',
    title: () => 'The agent is working',
    text: (run) => `This step does not wait for the ${getOwnTurn(run)?.task.kind === 'attach' ? 'job' : 'result'}.`,
  },
  {
    when: hasEnd('unconfirmed'),
    outcome: 'unconfirmed',
    colour: 'red',
    title: () => 'The follow-up was sent, but the agent may not have started it',
    text: () => 'The service accepted the prompt, but the step never saw the agent start on it.',
    advice: () => CHECK_BEFORE_RESENDING,
  },
  {
    when: hasEnd('timed-out'),
    outcome: 'timed-out',
    colour: 'timed-out',
    title: () => 'The agent did not finish in time',
    text: describeTimeout,
    advice: (run) =>
      isJobRunning(run)
        ? undefined
        : "Look at the job in the service's dashboard, and raise `timeout-minutes` for the next run.",
  },
  {
    when: (run) => hasFinishedAs('failed')(run) && !hasChangedInRound(run),
    outcome: 'failed',
    colour: 'failed',
    title: () => 'The job failed',
    text: describeUnsuccessfulEnd('The agent hit an error that it could not recover from.'),
    advice: () => "Look at the job in the service's dashboard, then try again with a different prompt.",
    changed: hasPullRequest,
  },
  {
    when: (run) => hasFinishedAs('archived')(run) && !hasChangedInRound(run),
    outcome: 'archived',
    colour: 'archived',
    title: () => 'The job is archived',
    text: describeUnsuccessfulEnd('The job was archived, so the agent no longer works on it.'),
    advice: (run) => {
      if (run.comment !== undefined) return ASK_IN_AN_ISSUE
      const { task, followUpReason } = getOwnTurn(run) ?? {}
      return task?.kind === 'create' || followUpReason !== undefined ? RUN_AGAIN : WITHOUT_JOB_ID
    },
    changed: hasPullRequest,
  },
  {
    when: (run) => hasFinishedAs('completed')(run) && hasChangedNothing(run),
    outcome: 'no-changes',
    colour: 'no-changes',
    title: (run) => (adviseOnPullRequest(run) === undefined ? 'No changes were made' : formatPullRequestTitle(run)),
    text: (run) =>
      isPullRequestRead(run)
        ? 'The agent finished and added no commit to the pull request.'
        : 'The agent finished and changed no file, so there is no pull request.',
    advice: (run) => adviseOnPullRequest(run) ?? 'If you expected changes, ask again and name the pages.',
    // The job may have worked in another pull request that this step did not inspect.
    changed: (run) => (mayHaveUnseenChanges(run) || getJob(run)?.prLink !== undefined ? undefined : false),
  },
  {
    when: (run) => hasFinishedAs('completed')(run) || hasChangedInRound(run),
    outcome: 'pull-request',
    colour: 'green',
    title: formatPullRequestTitle,
    text: (run) => describeOperation(run)[1],
    advice: adviseOnPullRequest,
    changed: (run) => (isFollowUp(run) ? undefined : true),
  },
]

function getRule(run: Run): Rule {
  const rule = RULES.find(({ when }) => when(run))
  if (rule === undefined) throw new Error('No rule matches the step.')
  return rule
}

/** A cancellation can surface as the error of the request that it aborted, but a bug stays a bug. */
function isCancelled(run: Run): boolean {
  const error = getError(run)
  if (error === undefined || error.code === 'internal') return false
  return error.code === 'cancelled' || run.turns.at(-1)?.isCancelled === true
}

/** A running fix round may still add commits to a pull request that the step's own turn left unchanged. */
const mayStillChange = (run: Run): boolean => hasChangedNothing(run) && isFixRoundRunning(run)

export const getOutcome = (run: Run): Outcome => getRule(run).outcome

/** Whether the step's work is in a pull request: the output `changed`. Undefined if that is unknown. */
export function getChanged(run: Run): boolean | undefined {
  const operation = getOperation(run)
  if (operation !== undefined) return operation !== 'unchanged'
  const { task, sent } = getOwnTurn(run) ?? {}
  if (task === undefined) return false
  const code = getError(run)?.code
  const mayBeAccepted = task.kind === 'attach' || sent !== undefined || code === 'maybe-sent' || code === 'internal'
  return mayBeAccepted ? getRule(run).changed?.(run) : false
}

/** The icon of the summary's heading: of a green and of a red step. */
export const ICONS: Readonly<Record<Outcome, readonly [green: string, red: string]>> = {
  'pull-request': ['✅', '❌'],
  'no-changes': ['✅', '❌'],
  failed: ['⚪', '❌'],
  archived: ['⚪', '❌'],
  'timed-out': ['⚪', '⏰'],
  unconfirmed: ['❓', '❓'],
  submitted: ['🚀', '🚀'],
  previewed: ['🔎', '🔎'],
  cancelled: ['🛑', '🛑'],
  skipped: ['⏭️', '⏭️'],
  error: ['❌', '❌'],
}

/** The label that a step which continues the job must be given; undefined if it is the default. */
const getGivenLabel = ({ label = '' }: Run): string | undefined =>
  label === '' || label === DEFAULT_LABEL ? undefined : label

/** Formats how to wait for a job, and how to mark its pull request with the label of this step. */
export function formatAttaching(id: string, run: Run): string {
  const [label, { otherRepository }] = [getGivenLabel(run), run]
  const inputs = `\`job-id: ${id}\`${label === undefined ? '' : ` and ${quoteName(`label: ${label}`)}`}`
  const name = otherRepository?.split('/')[1] ?? ''
  const there =
    otherRepository === undefined ? '' : `, and outside of \`${otherRepository}\` also \`repository: ${name}\``
  return `run the workflow of the recipe \`attach.yml\` with ${inputs}${there}`
}

/**
 * Describes how to wait for a job whose end this step did not see. An attached step reports the state of the job, which does not
 * show the result of a follow-up that was not seen to start. So the result is `undefined` for such a follow-up.
 */
export function adviseAttaching(run: Run): string | undefined {
  const [outcome, id, task] = [getOutcome(run), getJobId(run), getOwnTurn(run)?.task]
  const isHidden =
    isFollowUp(run) && (isUnsent(run) || isDeliveryUnknown(run) || (isUnconfirmed(run) && outcome !== 'submitted'))
  const mayEnd = isJobRunning(run) || outcome === 'cancelled' || (outcome === 'timed-out' && task?.kind !== 'follow-up')
  if (id === undefined || isHidden || isFixRoundRunning(run) || !mayEnd) return undefined
  const limits = isFollowUp(run) ? ' It reports how the job ends, which may be the result of a later prompt.' : ''
  return `To wait for the job without a commit, ${formatAttaching(id, run)}.${limits}`
}

/** The errors of a key that was revoked, or restricted, while the step waited. */
const KEY_ERRORS: readonly (string | undefined)[] = ['unauthorized', 'forbidden']

/** Says what a re-run would do, if the service has accepted a prompt whose end the step has not seen. */
function adviseOnReRun(run: Run): string | undefined {
  const { task, sent } = getOwnTurn(run) ?? {}
  const outcome = getOutcome(run)
  const isInterrupted = outcome === 'timed-out' || outcome === 'cancelled' || KEY_ERRORS.includes(getError(run)?.code)
  if (!isInterrupted || sent === undefined || sent === 'maybe') return undefined
  if (task?.kind === 'create') return 'Do not re-run: that starts a second job.'
  return task?.kind === 'follow-up' ? 'A re-run sends the prompt again.' : undefined
}

const CHECK_BEFORE_NEXT_PROMPT = "Look at the job in the service's dashboard before you send it another prompt."

/** What a re-run would do, the most important advice, and how to wait for a job that may still run. */
function getAdvice(run: Run): string | undefined {
  const { advice, outcome } = getRule(run)
  const attaching = adviseAttaching(run)
  const isEnough = attaching !== undefined && (isCancelled(run) || (isJobRunning(run) && outcome !== 'error'))
  const main = isFixRoundRunning(run) ? CHECK_BEFORE_NEXT_PROMPT : !isEnough && advice?.(run)
  return joinSentences([adviseOnReRun(run), main, attaching]) || undefined
}

export function conclude(run: Run): Conclusion {
  const { colour, title, text } = getRule(run)
  const gates = checkGates(run)
  const isGood = colour === 'green' || (colour !== 'red' && run.failOn?.has(colour) !== true)
  // `fail-on` only covers the result of a job that the service accepted. A step with an error is always red.
  const isGreen = isGood && gates.every((isPassed) => isPassed === true)
  // A step with an error says itself what to do before the next run.
  const unmarked = getError(run) === undefined ? run.untracked : undefined
  const isSaid = ({ message }: ActionError): boolean => unmarked?.message.includes(message) === true
  const advice = getAdvice(run)
  const isRepeated = advice !== undefined && unmarked?.hint?.includes(advice) === true
  const isLost = isGreen && unmarked !== undefined
  const heading = (isLost ? 'The next run would not find the pull request' : title(run)) ?? ''
  return {
    isGreen: isGreen && !isLost,
    title: heading,
    text: joinSentences([
      text(run),
      isPullRequestRead(run) && formatPullRequest(run, heading),
      unmarked?.message,
      // If a gate is red because its state is unknown, the warnings say why.
      ...(gates.includes(undefined) ? listWarnings(run.warnings.filter(({ error }) => !isSaid(error))) : []),
    ]),
    advice: joinSentences([unmarked?.hint, !isRepeated && advice]) || undefined,
  }
}

/** Returns how a turn ended, as a value of the output `outcome`. */
export const getTurnOutcome = (turn: Turn): Outcome =>
  getOutcome({ state: 'ended', turns: [turn], timeline: [], warnings: [], durationMs: 0 })

const OPENED = 'opened'

/**
 * Formats the end of a turn, for a row of the history and for the log. The text contains nothing that the service or other users
 * wrote.
 */
export function formatEnd(turn: Turn): string {
  const { error, ...result } = turn
  const { task, sent, end, effect } = result
  // A cancellation after the end of the turn does not change its result.
  const outcome = getTurnOutcome(end === 'finished' && error?.code === 'cancelled' ? result : turn)
  const hasFailed = outcome === 'error' && error !== undefined && error.code !== 'not-sent'
  if (sent === undefined && task.kind !== 'attach' && outcome !== 'previewed' && !hasFailed) return 'not sent'
  const commits = effect?.kind === 'updated' ? formatCount(effect.commits, 'new commit') : undefined
  const after = commits === undefined ? '' : ` after ${commits}`
  const unknown = task.kind === 'follow-up' ? 'changes unknown' : 'its changes are in the pull request'
  const texts: Readonly<Record<Outcome, string>> = {
    'pull-request': effect?.kind === 'created' ? OPENED : (commits ?? unknown),
    'no-changes': 'nothing to change',
    failed: `failed${after}`,
    archived: `the job is archived${after}`,
    'timed-out': 'did not finish in time',
    unconfirmed: 'sent, but not seen to start',
    submitted: 'sent, without waiting for the result',
    previewed: 'not sent, because this is a dry run',
    cancelled: 'cancelled',
    skipped: 'not sent',
    error: `failed${after}${error === undefined ? '' : `: ${ERROR_TITLES[error.code]}`}`,
  }
  return texts[outcome]
}

/** Returns the name of the newest turn in the log. */
export function nameTurn(turns: readonly Turn[], maxRounds: number): string {
  const turn = turns.at(-1)
  if (turn === undefined) return ''
  const { task, failing } = turn
  if (failing !== undefined) return `Round ${turns.length - 1} of ${maxRounds}`
  if (task.kind === 'create') return 'New job'
  return `${task.kind === 'attach' ? 'Attach' : 'Follow-up'} to ${task.jobId}`
}

/** Returns the title of a turn's group in the log. The title of a fix round names the failed checks. */
export function titleTurn(name: string, { failing }: Turn): string {
  if (failing === undefined) return name
  return `${name}: ${failing.map((check) => oneLine(check.name, MAX_NAME_CHARS)).join(', ')}`
}

/** Formats the end of a turn for the log of the run, with the state of the checks. */
export function formatVerdict(turn: Turn): string {
  const checks = describeChecks(turn.pullRequest ?? {})
  const text = formatEnd(turn)
  // Unlike a row of the history, the log line does not name the pull request.
  const end = text === OPENED ? `pull request ${OPENED}` : text
  return checks === undefined ? end : `${end}, ${checks}`
}
