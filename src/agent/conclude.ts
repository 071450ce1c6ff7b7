/**
 * Concludes a step with an outcome, `changed`, a colour, a title, a text and advice, by one ordered list of rules: the first match
 * decides. Everything that reports a step takes this conclusion.
 */
import { type Conclusion, MISSING_KEY } from '../action/step.ts'
import { CHECK_BEFORE_RESENDING, UNKNOWN_DELIVERY_HINT } from '../docs-service/client.ts'
import { isTerminal } from '../docs-service/schemas.ts'
import { STATUS_PHRASES, type TerminalStatus } from '../docs-service/interface.ts'
import { type ActionError, ERROR_TITLES } from '../runtime/errors.ts'
import { formatCount, formatDuration, joinSentences } from '../text/format.ts'
import type { FailOn } from './facts.ts'
import {
  adviseOnPullRequest,
  describeChecks,
  describeOperation,
  formatAttaching,
  formatPullRequest,
  formatPullRequestTitle,
  isPullRequestClosed,
} from './words.ts'
import {
  getError,
  getJob,
  getJobId,
  getOperation,
  getOwnTurn,
  getPullRequestFacts,
  hasChangedInRound,
  isFixRoundRunning,
  isInScope,
  isPullRequestRead,
  listSentRounds,
  mayBeSent,
  mayHaveUnseenChanges,
} from './selectors.ts'
import { listWarnings } from './journal.ts'
import type { Outcome, Run, Turn } from './record.ts'
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
  /** Whether the step's work is in a pull request, if no comparison of commits shows it. By default it is not known. */
  readonly changed?: (run: Run) => boolean | undefined
  /** How one turn ended, for the log and a row of the history; undefined if no prompt is sent. */
  readonly words?: (turn: Turn) => string
}

const isFollowUp = (run: Run): boolean => getOwnTurn(run)?.task.kind === 'follow-up'
const isUnsent = (run: Run): boolean => !mayBeSent(getOwnTurn(run) ?? {}) && getOwnTurn(run)?.task.kind !== 'attach'
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

const OPENED = 'opened'
const UNFINISHED_IN_TIME = 'did not finish in time'

const countCommits = ({ effect }: Turn): string | undefined =>
  effect?.kind === 'updated' ? formatCount(effect.commits, 'new commit') : undefined

/** The agent may push commits before a turn fails. */
function addCommits(end: string, turn: Turn): string {
  const commits = countCommits(turn)
  return commits === undefined ? end : `${end} after ${commits}`
}

const describeErrorOfTurn = (turn: Turn): string =>
  `${addCommits('failed', turn)}${turn.error === undefined ? '' : `: ${ERROR_TITLES[turn.error.code]}`}`

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
    // A cancellation can surface as the error of the request that it aborted, but a bug stays a bug.
    when: (run) => {
      const error = getError(run)
      if (error === undefined || error.code === 'internal') return false
      return error.code === 'cancelled' || run.turns.at(-1)?.isCancelled === true
    },
    outcome: 'cancelled',
    colour: 'red',
    title: () => 'Cancelled',
    words: () => 'cancelled',
    text: (run) => {
      const error = getError(run)
      if (error !== undefined && error.code !== 'cancelled') return `The run was cancelled. ${describeFailure(run)}`
      if (isUnsent(run)) return 'The run was cancelled before the service accepted the prompt.'
      if (isDeliveryUnknown(run))
        return 'The run was cancelled. It is not known whether the service accepted the prompt.'
      const job = isUnconfirmed(run) || isFixRoundRunning(run) ? undefined : getJob(run)
      if (job !== undefined && isTerminal(job)) return `The run was cancelled. The job ${STATUS_PHRASES[job.status]}.`
      const state = job === undefined ? 'it may still run' : 'the job still runs'
      return `The run was cancelled. The service has no way to cancel a job, so ${state}.`
    },
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
    when: (run) => getError(run)?.code === 'not-sent' && getOwnTurn(run)?.job?.status === 'archived',
    outcome: 'archived',
    colour: 'red',
    title: titleError,
    words: () => 'the job is archived',
    text: describeFailure,
    advice: hintOfError,
  },
  {
    when: (run) => getError(run)?.code === 'deadline',
    outcome: 'timed-out',
    colour: 'red',
    title: titleError,
    words: () => UNFINISHED_IN_TIME,
    text: describeFailure,
    advice: hintOfError,
  },
  {
    when: (run) => getError(run) !== undefined,
    outcome: 'error',
    colour: 'red',
    title: titleError,
    words: describeErrorOfTurn,
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
    // A running fix round may still add commits to a pull request that the step's own turn left unchanged.
    when: (run) =>
      run.state === 'running' &&
      (getOwnTurn(run)?.end === undefined || (hasChangedNothing(run) && isFixRoundRunning(run))),
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
    words: describeErrorOfTurn,
    text: () => '',
  },
  {
    when: hasEnd('previewed'),
    outcome: 'previewed',
    colour: 'green',
    title: (run) => {
      const { preview } = getOwnTurn(run) ?? {}
      if (preview?.isContinued === true) return 'Dry run, the prompt would go to an open pull request'
      return `Dry run, the prompt would ${isFollowUp(run) ? 'go to an existing job' : 'start a new job'}`
    },
    words: () => 'not sent, because this is a dry run',
    text: (run) => {
      const { preview, task } = getOwnTurn(run) ?? {}
      if (task === undefined || task.kind === 'attach') return ''
      const size = formatCount(Buffer.byteLength(task.prompt), 'byte')
      const sent = `Nothing was sent. A run without \`dry-run\` would send a prompt of ${size}`
      const unconfirmed = 'not confirmed by the service, because a dry run without a key sends it no requests'
      if (task.kind === 'create') return `${sent} to a new job.`
      const number = preview?.pullRequest
      const belonging = number === undefined ? '' : `, which belongs to pull request #${number}`
      return `${sent} to job ${task.jobId}${belonging}${preview?.isJobRead === true ? '' : ` (${unconfirmed})`}.`
    },
    changed: () => false,
  },
  {
    when: hasEnd('not-awaited'),
    outcome: 'submitted',
    colour: 'green',
    title: () => 'The agent is working',
    words: () => 'sent, without waiting for the result',
    text: (run) => `This step does not wait for the ${getOwnTurn(run)?.task.kind === 'attach' ? 'job' : 'result'}.`,
  },
  {
    when: hasEnd('unconfirmed'),
    outcome: 'unconfirmed',
    colour: 'red',
    title: () => 'The follow-up was sent, but the agent may not have started it',
    words: () => 'sent, but not seen to start',
    text: () => 'The service accepted the prompt, but the step never saw the agent start on it.',
    advice: () => CHECK_BEFORE_RESENDING,
  },
  {
    when: hasEnd('timed-out'),
    outcome: 'timed-out',
    colour: 'timed-out',
    title: () => `The agent ${UNFINISHED_IN_TIME}`,
    words: () => UNFINISHED_IN_TIME,
    text: (run) => {
      const waited = `The step waited ${formatDuration(run.durationMs)}.`
      if (isJobRunning(run)) return joinSentences([`${waited} The job still runs.`, formatLastProblem(run)])
      const unknown = isFollowUp(run) ? 'it had finished this follow-up' : 'it has a pull request'
      return joinSentences([
        `${waited} The job has ended, but it is not known whether ${unknown}.`,
        formatLastProblem(run),
      ])
    },
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
    words: (turn) => addCommits('failed', turn),
    text: describeUnsuccessfulEnd('The agent hit an error that it could not recover from.'),
    advice: () => "Look at the job in the service's dashboard, then try again with a different prompt.",
    changed: hasPullRequest,
  },
  {
    when: (run) => hasFinishedAs('archived')(run) && !hasChangedInRound(run),
    outcome: 'archived',
    colour: 'archived',
    title: () => 'The job is archived',
    words: (turn) => addCommits('the job is archived', turn),
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
    words: () => 'nothing to change',
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
    words: (turn) => {
      if (turn.effect?.kind === 'created') return OPENED
      const unknown = turn.task.kind === 'follow-up' ? 'changes unknown' : 'its changes are in the pull request'
      return countCommits(turn) ?? unknown
    },
    text: (run) => describeOperation(run)[1],
    advice: adviseOnPullRequest,
    changed: (run) => (isFollowUp(run) ? undefined : true),
  },
]

function findRule(run: Run): Rule {
  const rule = RULES.find(({ when }) => when(run))
  if (rule === undefined) throw new Error('No rule matches the step.')
  return rule
}

/** If no comparison of commits shows it, the rule decides, but nothing has changed unless the service may have accepted the prompt. */
function isChanged(run: Run, { changed }: Rule): boolean | undefined {
  const operation = getOperation(run)
  if (operation !== undefined) return operation !== 'unchanged'
  const turn = getOwnTurn(run)
  if (turn === undefined) return false
  const code = getError(run)?.code
  const mayBeAccepted = turn.task.kind === 'attach' || mayBeSent(turn) || code === 'maybe-sent' || code === 'internal'
  return mayBeAccepted ? changed?.(run) : false
}

/**
 * Describes how to wait for a job whose end this step did not see. An attached step reports the state of the job, which does not
 * show the result of a follow-up that was not seen to start. So the result is `undefined` for such a follow-up.
 */
function adviseAttaching(run: Run, outcome: Outcome): string | undefined {
  const [id, task] = [getJobId(run), getOwnTurn(run)?.task]
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
function adviseOnReRun(run: Run, outcome: Outcome): string | undefined {
  const { task, sent } = getOwnTurn(run) ?? {}
  const isInterrupted = outcome === 'timed-out' || outcome === 'cancelled' || KEY_ERRORS.includes(getError(run)?.code)
  if (!isInterrupted || (sent !== 'accepted' && sent !== 'started')) return undefined
  if (task?.kind === 'create') return 'Do not re-run: that starts a second job.'
  return task?.kind === 'follow-up' ? 'A re-run sends the prompt again.' : undefined
}

const CHECK_BEFORE_NEXT_PROMPT = "Look at the job in the service's dashboard before you send it another prompt."

/** What a re-run would do, the most important advice, and how to wait for a job that may still run. */
function getAdvice(run: Run, { advice, outcome }: Rule): string | undefined {
  const attaching = adviseAttaching(run, outcome)
  const isEnough = attaching !== undefined && (outcome === 'cancelled' || (isJobRunning(run) && outcome !== 'error'))
  const main = isFixRoundRunning(run) ? CHECK_BEFORE_NEXT_PROMPT : !isEnough && advice?.(run)
  return joinSentences([adviseOnReRun(run, outcome), main, attaching]) || undefined
}

/** The icon of a green and of a red step. */
const ICONS: Readonly<Record<Outcome, readonly [green: string, red: string]>> = {
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

/** The result of a step, from which outputs, summary and reply are made. */
export interface AgentConclusion extends Conclusion {
  readonly outcome: Outcome
  /** Whether the step's work is in a pull request: the output `changed`. Undefined if that is unknown. */
  readonly changed: boolean | undefined
  readonly icon: string
  /** The service's own reason for the result. */
  readonly quote: string | undefined
  /** The fix rounds that were sent, each with its end in a few words. */
  readonly rounds: readonly (Turn & Pick<TurnConclusion, 'words'>)[]
}

/**
 * Returns whether the outcome passes `fail-on`, which only covers the result of a job that the service accepted, and then for each
 * gate whether the pull request passes it, or `undefined` if that is unknown: the step is then red, too. Pull requests that were
 * closed or merged before this step could change them have no gates.
 */
function checkGates(run: Run, { colour }: Rule): readonly (boolean | undefined)[] {
  const { failOn } = run
  // A step with an error is always red.
  const isGood = colour === 'green' || (colour !== 'red' && failOn?.has(colour) !== true)
  const facts = getPullRequestFacts(run)
  const mayHaveChanged = getOperation(run) !== 'unchanged' && getJob(run)?.status === 'completed'
  if (!isPullRequestRead(run) || (isPullRequestClosed(facts) && !mayHaveChanged)) return [isGood]
  return [
    isGood,
    ...(failOn?.has('out-of-scope') ? [isInScope(facts)] : []),
    ...(failOn?.has('checks') ? [facts.checks && facts.checks === 'success'] : []),
  ]
}

/** Concludes a step. Everything that one report shows comes from one call. */
export function conclude(run: Run): AgentConclusion {
  const rule = findRule(run)
  const { outcome } = rule
  const [gates, error] = [checkGates(run, rule), getError(run)]
  const isAllowed = gates.every((isPassed) => isPassed === true)
  // A step with an error says itself what to do before the next run.
  const untracked = error === undefined ? run.untracked : undefined
  const isGreen = isAllowed && untracked === undefined
  const isSaid = ({ message }: ActionError): boolean => untracked?.message.includes(message) === true
  const advice = getAdvice(run, rule)
  const isRepeated = advice !== undefined && untracked?.hint?.includes(advice) === true
  const title = (isAllowed && !isGreen ? 'The next run would not find the pull request' : rule.title(run)) ?? ''
  const [green, red] = ICONS[outcome]
  return {
    outcome,
    changed: isChanged(run, rule),
    isGreen,
    icon: isGreen ? (adviseOnPullRequest(run) === undefined ? green : '⚠️') : red,
    title,
    text: joinSentences([
      rule.text(run),
      isPullRequestRead(run) && formatPullRequest(run, title),
      untracked?.message,
      // If a gate is red because its state is unknown, the warnings say why.
      ...(gates.includes(undefined) ? listWarnings(run.warnings.filter(({ error }) => !isSaid(error))) : []),
    ]),
    advice: joinSentences([untracked?.hint, !isRepeated && advice]) || undefined,
    quote: error?.quote ?? getLastProblem(run)?.quote,
    rounds: listSentRounds(run).map((turn) => ({ ...turn, words: concludeTurn(turn).words })),
  }
}

/** How one turn ended, by the same rules. */
interface TurnConclusion {
  readonly outcome: Outcome
  /** In a few words that neither the service nor other users wrote. */
  readonly words: string
}

/** Concludes one turn, for a row of the history, and for the log. */
export function concludeTurn(turn: Turn): TurnConclusion {
  const { error, ...result } = turn
  const { task, end } = result
  // A cancellation after the end of the turn does not change its result.
  const isCancelledAfterEnd = end === 'finished' && error?.code === 'cancelled'
  const run: Run = {
    state: 'ended',
    turns: [isCancelledAfterEnd ? result : turn],
    timeline: [],
    warnings: [],
    durationMs: 0,
  }
  const { outcome, words } = findRule(run)
  const hasFailed = outcome === 'error' && error !== undefined && error.code !== 'not-sent'
  const isNotSent = !mayBeSent(turn) && task.kind !== 'attach' && outcome !== 'previewed' && !hasFailed
  return {
    outcome: isCancelledAfterEnd ? 'cancelled' : outcome,
    words: isNotSent || words === undefined ? 'not sent' : words(turn),
  }
}

/** Formats the end of a turn for the log of the run, with the state of the checks. */
export function formatVerdict(turn: Turn): string {
  const checks = describeChecks(turn.pullRequest ?? {})
  const { words } = concludeTurn(turn)
  // Unlike a row of the history, the log line does not name the pull request.
  const end = words === OPENED ? `pull request ${OPENED}` : words
  return checks === undefined ? end : `${end}, ${checks}`
}
