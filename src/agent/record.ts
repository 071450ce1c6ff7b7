/**
 * What is known of a step so far: facts in fields, alternatives in unions. Log, outputs, summary, history and exit code derive
 * from this alone. A run can be cancelled at any time, so the record can be reported at any moment.
 */
import { requireGitHub, type Step } from '../action/step.ts'
import { createTryReadJob, type TryReadJob } from '../docs-service/retry.ts'
import {
  getUnsuccessfulStatus,
  isSamePullRequest,
  type Job,
  parsePullRequestLink,
  type PullRequestLink,
} from '../docs-service/schemas.ts'
import type { Check } from '../github/checks.ts'
import type { CommentAddress } from '../github/comments.ts'
import { type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../github/pull-requests.ts'
import { isSameRepository } from '../github/schemas.ts'
import { ActionError, describeError, logCauses, catchExpected, orUndefined } from '../runtime/errors.ts'
import type { LinkedText } from '../text/markdown.ts'
import { type Redact, redactAll } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import type { AgentInputs, Facts, Task } from './facts.ts'
import { formatGrant } from './permissions.ts'

/** The value of the output `checks`. `none`: no check is registered. Never treat this as `success`. */
export type ChecksState = 'success' | 'failure' | 'pending' | 'none'

/** The last known state of a pull request. A field is undefined if it was not read or could not be read. */
export interface PullRequestFacts extends Partial<
  Pick<PullRequest, 'title' | 'state' | 'branch' | 'isBlocked' | 'isBehind' | 'headSha'>
> {
  readonly mergeable?: boolean
  /** Set with `wait-for-checks`, and about `headSha`. */
  readonly checks?: ChecksState
  /** Whether the pending checks stay pending until they are approved. */
  readonly waitsForApproval?: boolean
  /** Set with `wait-for-checks`: the checks that count. */
  readonly checkList?: readonly Check[]
  /** Set if `ignore-checks` excludes some. */
  readonly ignoredChecks?: readonly Check[]
  /** The paths that do not match `allowed-paths`. */
  readonly outside?: readonly string[]
}

/** What a turn did to the job's pull request. */
export type Effect =
  | { readonly kind: 'created' }
  /** `commits`: the number of the agent's new commits. */
  | { readonly kind: 'updated'; readonly commits: number }
  /** The agent added no commit. Others may have. */
  | { readonly kind: 'unchanged' }
  /** The job names no pull request, and the agent added no commit to the one that the job named before. */
  | { readonly kind: 'none' }

/** Why a prompt is a follow-up to a pull request; the field `continued` of `result`. */
export type FollowUpReason = 'pull-request' | 'comment'

/** Why no further fix round follows although checks have failed, and what to do. */
export const ROUND_STOP_REASONS = {
  'used-up': 'All fix rounds are used up: fix what still fails by hand.',
  'not-fixable':
    'No commit can fix what failed: it also fails without these changes, or somebody has to act, such as to sign an agreement, or to run the check again.',
  'no-difference': 'The last round made no difference, the same checks fail in the same way: fix them by hand.',
  'not-open': 'The pull request is closed or merged: look at its branch for commits that were not merged.',
  'head-moved': 'The head commit changed before its failed checks could be sent: look at the checks of the new commit.',
  'no-time': 'Less than ten minutes of `timeout-minutes` are left: increase it.',
  failed:
    'A round could not be sent, or the last one failed, was not seen to end, or added no commit: look at the job and the pull request.',
}

export type RoundStopReason = keyof typeof ROUND_STOP_REASONS

/** `nothing-failed` needs no sentence: outputs and summary show the state of the checks. */
export type RoundStop = RoundStopReason | 'nothing-failed'

export const explainRoundStop = (stop: RoundStop | undefined): string | undefined =>
  stop === undefined || stop === 'nothing-failed' ? undefined : ROUND_STOP_REASONS[stop]

/** The result of the step: the values of the output `outcome`. */
export const OUTCOMES = [
  'pull-request',
  'no-changes',
  'failed',
  'archived',
  'timed-out',
  'unconfirmed',
  'submitted',
  'previewed',
  'cancelled',
  'skipped',
  'error',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** One prompt, or one wait for a job. */
export interface Turn {
  readonly task: Task
  /** Undefined: the step has not chosen the target yet. */
  readonly startedAt?: Date
  readonly followUpReason?: FollowUpReason | undefined
  /** The failed checks that a fix round sends. */
  readonly failing?: readonly Check[] | undefined
  /** Whether the pull request conflicted with its base branch, so that the prompt asks to resolve that first. */
  readonly hadConflict?: true
  /** Whether the history may say that the agent is working on it, so that its row must be completed. */
  readonly isAnnounced?: true
  /**
   * Undefined: nothing was sent, or the service refused it without processing it. `maybe`: no response proves that the service
   * accepted the prompt. `started`: the turn was seen to start, or the job has no earlier turn to confuse it with.
   */
  readonly sent?: 'maybe' | 'accepted' | 'started' | undefined
  /** As last read, or the response to the prompt. */
  readonly job?: Job | undefined
  /** Set if the latest read failed. */
  readonly lastProblem?: ActionError | undefined
  /**
   * How the turn ended, as far as the step is concerned. `not-awaited`: `wait` is `false`. `unconfirmed`: the prompt was accepted,
   * but the turn was not seen to start. `finished`: the end was seen, and later reads of the job do not change it.
   */
  readonly end?: 'previewed' | 'not-awaited' | 'unconfirmed' | 'timed-out' | 'finished'
  /** What a dry run would do. */
  readonly preview?: Preview
  /** The head commit of the pull request before the turn; undefined if the turn has opened it, or it was not read. */
  readonly headBefore?: string | undefined
  /** Undefined if unknown: the heads were not compared, or could not be read. */
  readonly effect?: Effect
  readonly pullRequest?: PullRequestFacts
  /** Why no further round follows; undefined if that is not decided yet, or without `fix-rounds`. */
  readonly roundStop?: RoundStop | undefined
  /** What stopped the turn, or the work after its end. */
  readonly error?: ActionError
  /** Whether the run was cancelled when the error occurred. */
  readonly isCancelled?: boolean
}

/** Where a dry run would send the prompt. */
export interface Preview {
  /** The number of the open pull request whose job would receive it, or of the one that the job names. */
  readonly pullRequest?: number | undefined
  readonly isContinued: boolean
  /** Whether the job that would receive the prompt was read, which requires a key. */
  readonly isJobRead: boolean
}

export interface TimelineEntry {
  readonly at: Date
  /** Time since the step began. */
  readonly elapsedMs: number
  readonly event: string
}

/** The files that a step changed in its pull request. */
export interface ChangedFiles {
  readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[]
  /** If not, there may be more files. */
  readonly isComplete: boolean
}

/** Where the history of a pull request is. */
export interface HistoryRef {
  readonly pullRequest: PullRequestAddress
  readonly jobId: string
  /** Undefined: the comment has not been written yet. */
  readonly commentId?: number | undefined
  /** Whether an attempt to write the comment failed, so that it may exist nevertheless. */
  readonly mayExist?: boolean
  /** What this step has written to it last. */
  readonly written?: string
}

/** What a change came from: a pull request, or a commit that was pushed without one. */
export type Source = Pick<PullRequestAddress, 'repository' | 'visibility'> &
  ({ readonly number: number; readonly sha?: never } | { readonly sha: string; readonly number?: never })

/** Something on GitHub that could not be done. It never changes the result of the job. */
export interface Warning {
  /** What was not done, without a period, such as `The label was not added to the pull request`. */
  readonly message: string
  readonly error: ActionError
}

/** Undefined if the inputs are invalid. */
type InputFacts = Pick<AgentInputs, 'projectId' | 'dryRun' | 'failOn' | 'waitForChecks' | 'allowedPaths' | 'label'>

/** Everything that is known of a step. */
export interface Run extends Partial<InputFacts> {
  /** `no-key`: skipped before any request. `not-started`: for example because an input is invalid. */
  readonly state: 'no-key' | 'not-started' | 'running' | 'ended'
  /** Oldest first: the step's own turn, then the fix rounds. Empty if the step did not start. */
  readonly turns: readonly Turn[]
  /** Why it did not start. */
  readonly startError?: ActionError | undefined
  /** Whether the embedded service and GitHub take the place of the real ones. */
  readonly isRehearsal?: boolean
  /** Where the agent opens its pull requests, if that is another repository. */
  readonly otherRepository?: string | undefined
  /** The id in the workflow, to distinguish several steps on one page. Empty if the step has none. */
  readonly stepId?: string
  readonly startedBy?: LinkedText
  /** The comment with the command, if its author has write access. It gets a reply. */
  readonly comment?: CommentAddress
  /** Whether the comment was written by mail, and the text that it quotes was left out. */
  readonly isMailReply?: boolean
  /** Why the step sent nothing, as a full sentence, if it was skipped. */
  readonly skipReason?: string | undefined
  /** A description of the change that started the run, and of the part that was sent. */
  readonly change?: string | undefined
  /** What the change came from, newest first, without the pull requests that `skip-labels` exempts. */
  readonly sources?: readonly Source[]
  readonly files?: ChangedFiles | undefined
  /** The pull request as it was read at the end of the step. */
  readonly pullRequestAtEnd?: PullRequestFacts
  readonly history?: HistoryRef
  /** Why the pull request could not be marked, if the next run depends on its mark. The step is then red. */
  readonly untracked?: ActionError | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly warnings: readonly Warning[]
  readonly durationMs: number
}

/** Completes the advice to grant a permission: whoever lists only that one in a workflow takes all others away. */
function completeGrant(error: ActionError, inputs: AgentInputs, { repository }: Step['context']): ActionError {
  if (!isSameRepository(error.lacksPermissionIn ?? '', repository)) return error
  return new ActionError(error.code, error.message, { cause: error, hint: formatGrant(inputs) })
}

/** A read that is older is repeated before a prompt is sent. */
const MAX_READ_AGE_MS = 2_000

/** The only writer of the record of a step. */
export class Recorder {
  readonly #inputs: AgentInputs
  readonly #step: Step
  readonly #timeline: TimelineEntry[] = []
  readonly #warnings: Warning[] = []
  readonly #turns: Turn[]
  #facts: Partial<Run>
  /** The current names of renamed or transferred repositories, by their old names in lower case. */
  readonly #currentNames = new Map<string, string>()
  #newestRead: { readonly pullRequest: PullRequest; readonly atMs: number } | undefined

  constructor(inputs: AgentInputs, step: Step) {
    this.#inputs = inputs
    this.#step = step
    const { task, projectId, dryRun, failOn, waitForChecks, allowedPaths, label, prRepository } = inputs
    const { stepId, isRehearsal, repository } = step.context
    const otherRepository = isSameRepository(prRepository || repository, repository) ? undefined : prRepository
    const given = { projectId, dryRun, failOn, waitForChecks, allowedPaths, label }
    this.#turns = [{ task }]
    this.#facts = { ...given, otherRepository, stepId, isRehearsal }
  }

  get turns(): readonly Turn[] {
    return this.#turns
  }

  get newest(): Turn {
    const newest = this.#turns.at(-1)
    if (newest === undefined) throw new Error('A step has a turn.')
    return newest
  }

  /** Begins a turn: the step's own, or a fix round, which continues with the job as it was last read. */
  begin(turn: Pick<Turn, 'task' | 'followUpReason' | 'failing'>): void {
    const started = { ...turn, startedAt: this.#step.clock.wallTime() }
    if (this.newest.startedAt === undefined) this.#turns[0] = started
    else this.#turns.push({ ...started, job: this.newest.job })
  }

  /** Adds facts to the newest turn. */
  update(facts: Partial<Turn>): void {
    this.#turns[this.#turns.length - 1] = { ...this.newest, ...facts }
  }

  /** Records the error that stopped the newest turn or the work after it. */
  fail(error: ActionError): void {
    logCauses(error, this.#step.runner.debug)
    this.update({ error, isCancelled: this.#step.signal.aborted })
  }

  /** Adds facts about the step. */
  add(facts: Partial<Omit<Run, 'turns' | 'timeline' | 'warnings'>>): void {
    this.#facts = { ...this.#facts, ...facts }
  }

  get history(): HistoryRef | undefined {
    return this.#facts.history
  }

  /** Adds what the step did or decided to the log and the timeline. */
  note(event: string): void {
    this.#addToTimeline(event)
    this.#step.runner.log(event)
  }

  /** Adds a notice, which readers see without opening the log, and a timeline entry. */
  notice(title: string, text: string): void {
    this.#addToTimeline(text)
    this.#step.runner.notice(title, text)
  }

  /** Records that something on GitHub could not be done. The same warning, such as one for each check, is logged once. */
  warn(message: string, error: ActionError): void {
    const isLogged = this.#warnings.some((one) => one.message === message && one.error.message === error.message)
    this.#warnings.push({ message, error: completeGrant(error, this.#inputs, this.#step.context) })
    if (isLogged) return
    this.#step.runner.log(`${message}: ${describeError(error)}`)
    logCauses(error, this.#step.runner.debug)
  }

  /**
   * Returns the result of `perform`, or records a warning and returns `undefined` if it fails.
   * @param message of the warning
   * @throws ActionError `cancelled`: a cancelled step does not continue
   */
  async orWarn<T>(message: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      this.warn(message, catchExpected(error))
      return undefined
    }
  }

  /** Records a read of a pull request. @param address with the name under which its repository was read */
  addRead(address: PullRequestAddress, pullRequest: PullRequest): void {
    this.#newestRead = { pullRequest, atMs: this.#step.clock.now() }
    this.addCurrentName(address.repository, pullRequest.repository)
  }

  /** Records the current name of a repository. From now on, its links lead there. */
  addCurrentName(name: string, current: string): void {
    if (isSameRepository(name, current)) return
    this.#currentNames.set(name.toLowerCase(), current)
    for (const [index, turn] of this.#turns.entries())
      if (turn.job !== undefined) this.#turns[index] = { ...turn, job: this.toCurrent(turn.job) }
  }

  /** Returns the job with the current URL of its pull request. Services keep the old name of a renamed repository. */
  toCurrent(job: Job): Job {
    const { host, repository = '', number = '' } = job.prLink ?? {}
    const current = this.#currentNames.get(repository.toLowerCase())
    const link = current && parsePullRequestLink(`${this.#step.context.serverUrl}/${current}/pull/${number}`)
    return link && link.host === host ? { ...job, prLink: link } : job
  }

  /** Returns the newest read of this pull request. */
  getNewestRead({ number }: PullRequestAddress): PullRequest | undefined {
    const read = this.#newestRead?.pullRequest
    return read?.number === number ? read : undefined
  }

  /** Returns the newest read of this pull request, unless it is so old that it must be repeated before a prompt. */
  getRecentRead(address: PullRequestAddress): PullRequest | undefined {
    const isRecent = this.#newestRead !== undefined && this.#step.clock.now() - this.#newestRead.atMs < MAX_READ_AGE_MS
    return isRecent ? this.getNewestRead(address) : undefined
  }

  /** Returns everything that is known about the step. @param state `running`: the step has not ended */
  read(state: 'running' | 'ended' = 'ended'): Run {
    return {
      ...this.#facts,
      state,
      turns: [...this.#turns],
      timeline: [...this.#timeline],
      warnings: [...this.#warnings],
      durationMs: this.#elapsedMs(),
    }
  }

  #addToTimeline(event: string): void {
    this.#timeline.push({ at: this.#step.clock.wallTime(), elapsedMs: this.#elapsedMs(), event })
  }

  #elapsedMs(): number {
    return this.#step.clock.now() - this.#step.startedAt
  }
}

/** The record of a step that did not run because of an error, or because there is no key. */
export function createUnstartedRun(error: ActionError | undefined, durationMs: number, isRehearsal = false): Run {
  const state = error === undefined ? 'no-key' : 'not-started'
  return { state, turns: [], startError: error, timeline: [], warnings: [], durationMs, isRehearsal }
}

/** Adds the clients, the clock and the log. A function that takes this cannot change the record. */
export interface Reads extends Facts, Step {
  /** The only one of the step, because it remembers which jobs were read. */
  readonly tryReadJob: TryReadJob
}

/** Adds the record, from which everything that the step reports is derived. */
export interface Acts extends Reads {
  readonly record: Recorder
  /** Writes the outputs as far as they are known, because the step can be killed. */
  readonly writeMilestone: () => void
}

/** @param write writes the outputs that the record gives before the end of the step */
export function openAgentStep(inputs: AgentInputs, given: Step, write: (step: Acts) => void): Acts {
  const record = new Recorder(inputs, given)
  const getJob: Step['client']['getJob'] = async (...args) => record.toCurrent(await given.client.getJob(...args))
  const step: Acts = {
    ...given,
    client: { ...given.client, getJob },
    inputs,
    record,
    tryReadJob: createTryReadJob(given.clock, given.signal),
    writeMilestone: () => {
      write(step)
    },
  }
  return step
}

/**
 * Reads a pull request and records the read.
 * @throws ActionError if it cannot be read
 */
export async function readAndRecordPullRequest(address: PullRequestAddress, step: Acts): Promise<PullRequest> {
  const pullRequest = await requireGitHub(step).readPullRequest(address)
  step.record.addRead(address, pullRequest)
  return pullRequest
}

/**
 * Whether a job's link leads to a pull request. If only the name of its repository differs, the repository may have been renamed
 * or transferred: GitHub redirects the old name, and its response has the current one.
 * @throws ActionError if GitHub cannot tell
 */
export async function leadsTo(
  link: PullRequestLink,
  { repository, number }: PullRequestAddress,
  step: Acts,
): Promise<boolean> {
  const { context, record } = step
  const requested = parsePullRequestLink(`${context.serverUrl}/${repository}/pull/${number}`)
  if (requested === undefined || isSamePullRequest(link, requested)) return requested !== undefined
  if (link.host !== requested.host || link.number !== requested.number || link.repository?.split('/').length !== 2)
    return false
  const address = toPullRequestAddress(link, context)
  const pullRequest = await orUndefined(requireGitHub(step).readPullRequest(address), 'not-found')
  if (pullRequest === undefined || !isSameRepository(pullRequest.repository, repository)) return false
  record.addCurrentName(address.repository, pullRequest.repository)
  return true
}

export function describePullRequest(pullRequest: PullRequest): PullRequestFacts {
  const { title, state, branch, headSha, mergeable, isBlocked, isBehind } = pullRequest
  return { title, state, branch, headSha, isBlocked, isBehind, ...(mergeable === undefined ? {} : { mergeable }) }
}

export function listFailedChecks(checks: readonly Check[] = []): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/** Whether all files match `allowed-paths`; undefined if unknown. */
export function isInScope({ outside }: PullRequestFacts): boolean | undefined {
  return outside === undefined ? undefined : outside.length === 0
}

// What follows from the record.

/** The step's own turn; undefined if the step did not start. */
export const getOwnTurn = ({ turns }: Run): Turn | undefined => turns[0]

/** Whether the agent may still be working on the turn when the step ends. */
export const mayStillRun = ({ sent, end }: Turn): boolean => sent !== undefined && end !== 'finished'

/** Returns the job of the step's own turn. A dry run has none, even if it has read a job. */
export function getJob(run: Run): Job | undefined {
  return run.dryRun === true ? undefined : getOwnTurn(run)?.job
}

/** Returns the job as it was last read, including in fix rounds. */
export const getLastReadJob = (run: Run): Job | undefined => (run.dryRun === true ? undefined : run.turns.at(-1)?.job)

/** Returns the id of the job for later steps to follow up on or attach to. A dry run has none. */
export function getJobId(run: Run): string | undefined {
  const task = getOwnTurn(run)?.task
  if (run.dryRun === true || task === undefined) return undefined
  return getJob(run)?.id ?? (task.kind === 'create' ? undefined : task.jobId)
}

/** Returns the newest findings about the pull request. Empty if the step has not examined it. */
export function getPullRequestFacts({ pullRequestAtEnd, turns }: Run): PullRequestFacts {
  return pullRequestAtEnd ?? turns.findLast(({ pullRequest }) => pullRequest !== undefined)?.pullRequest ?? {}
}

/** Returns the fix rounds that were sent. */
export const listSentRounds = ({ turns }: Pick<Run, 'turns'>): readonly Turn[] =>
  turns.slice(1).filter(({ sent }) => sent !== undefined)

/** Errors that change the result of a step although the end of its turn was seen. */
const DECIDING_CODES: readonly string[] = ['merged-too-early', 'cancelled', 'internal']

/** Returns the error that decides the outcome of the step. It is then red regardless of `fail-on`. */
export function getError({ turns, startError }: Pick<Run, 'turns' | 'startError'>): ActionError | undefined {
  const [firstTurn, ...rounds] = turns
  if (firstTurn?.error !== undefined && (firstTurn.end !== 'finished' || DECIDING_CODES.includes(firstTurn.error.code)))
    return firstTurn.error
  const inRound = rounds.at(-1)?.error
  return inRound !== undefined && ['cancelled', 'internal'].includes(inRound.code) ? inRound : startError
}

/** Returns why no fix round follows a round, or `undefined` if one may follow. */
function getStopAfterRound({ end, error, job, effect }: Turn): RoundStop | undefined {
  if (error?.code === 'merged-too-early') return 'not-open'
  if (end === undefined && error === undefined) return undefined
  const hasFinished =
    end === 'finished' && error === undefined && (job && getUnsuccessfulStatus(job.status)) === undefined
  // Without a new commit too: the agent may have changed the title of the pull request, which starts its checks again.
  const mayFollow = effect === undefined || effect.kind === 'updated' || effect.kind === 'unchanged'
  return hasFinished && mayFollow ? undefined : 'failed'
}

/** Returns why no further fix round follows; undefined if nothing has ruled one out, or the step has no `fix-rounds`. */
export function getRoundStop({ turns }: Pick<Run, 'turns'>): RoundStop | undefined {
  const [firstTurn, newest] = [turns[0], turns.at(-1)]
  if (firstTurn === undefined || newest === undefined) return undefined
  if (newest.roundStop !== undefined) return newest.roundStop
  if (firstTurn.end !== 'finished' || getError({ turns }) !== undefined) return undefined
  if (newest === firstTurn) return firstTurn.error === undefined ? undefined : 'failed'
  return getStopAfterRound(newest)
}

/** Whether failing checks were sent to the job, and the end of its turn was not seen. */
export const isFixRoundRunning = (run: Run): boolean =>
  listSentRounds(run).length > 0 && getRoundStop(run) === undefined

/** Whether a round may have pushed after the pull request was last read, or to another pull request. */
export function mayHaveUnseenChanges(run: Run): boolean {
  const round = listSentRounds(run).at(-1)
  if (round === undefined) return false
  const { end, effect } = round
  return end !== 'finished' || effect?.kind === 'created' || effect?.kind === 'none'
}

/** What the step did to the pull request: the field `operation` of `result`. */
export type Operation = 'created' | 'updated' | 'unchanged'

/**
 * Returns what the step did to the pull request. Commits from fix rounds count as the step's work. While a round may still
 * push, or may have pushed, the result is not `unchanged`.
 */
export function getOperation(run: Run): Operation | undefined {
  const [firstTurn, ...rounds] = run.turns
  const kind = firstTurn?.effect?.kind
  const operation = kind === 'none' ? undefined : kind
  if (operation === 'created' || firstTurn?.end === undefined) return operation
  if (rounds.some(({ effect }) => effect?.kind === 'updated')) return 'updated'
  const isUnknown = rounds.some(({ end, effect }) => end === 'finished' && effect === undefined)
  return operation === 'unchanged' && (mayHaveUnseenChanges(run) || isUnknown) ? undefined : operation
}

/** Whether a round changed the pull request, or may have changed it. */
export function hasChangedInRound({ turns }: Run): boolean {
  const mayHave = ({ end, effect }: Turn): boolean =>
    effect?.kind === 'updated' || (end === 'finished' && effect === undefined)
  return turns.slice(1).some(mayHave)
}

/**
 * Counts the commits that the agent has added to existing pull requests, in all turns. Those of a new pull request, and of turns
 * whose effect is unknown, are not counted.
 */
export const countCommitsOfUpdates = ({ turns }: Pick<Run, 'turns'>): number =>
  turns.reduce((sum, { effect }) => sum + (effect?.kind === 'updated' ? effect.commits : 0), 0)

/** Whether the step has seen the end of its own turn, and may look after a pull request. */
export function shouldTrackPullRequest({ turns }: Pick<Run, 'turns'>): boolean {
  const [firstTurn] = turns
  const isDecided = getError({ turns }) !== undefined || getRoundStop({ turns }) !== undefined
  return firstTurn?.end === 'finished' && firstTurn.job?.prLink !== undefined && !isDecided
}

/** Whether the step has examined the pull request of its job, because it has seen the end of a turn. */
export const isPullRequestRead = (run: Run): boolean =>
  getOwnTurn(run)?.end === 'finished' && getError(run) === undefined && getJob(run)?.prLink !== undefined

/**
 * Returns the pull request to show for this step. After a follow-up that did not complete, the job's pull request comes from an
 * earlier turn: it is shown only if its state was read from GitHub.
 */
export function getOwnLink(run: Run): PullRequestLink | undefined {
  const firstTurn = getOwnTurn(run)
  const job = getJob(run)
  if (firstTurn === undefined || job === undefined) return undefined
  const isFollowUp = firstTurn.task.kind === 'follow-up'
  const hasEnded = getOperation(run) !== undefined || (firstTurn.end === 'finished' && job.status === 'completed')
  return !isFollowUp || hasEnded || getPullRequestFacts(run).state !== undefined ? job.prLink : undefined
}

/** No output or summary shows more of a field. */
const MAX_FIELD_CHARS = 1_000

/** Does not redact the fields that decide the outcome: a secret may be a word such as `active`. */
function redactJob(job: Job, redact: Redact): Job {
  const { id, status, prLink } = job
  const line = (text: string): string => oneLine(text, MAX_FIELD_CHARS, redact)
  const repository = prLink?.repository && line(prLink.repository)
  return { ...redactAll(job, line), id, status, prLink: prLink && { ...prLink, href: redact(prLink.href), repository } }
}

/**
 * Redacts secrets in a record before outputs and summary are created from it. These truncate and escape texts, and a truncated
 * or escaped secret can no longer be recognized. Links are redacted but not cleaned: they were validated before.
 */
export function redactRun(run: Run, redact: Redact): Run {
  const turns = run.turns.map(({ task, job, ...turn }) => ({
    ...turn,
    task: task.kind === 'attach' ? task : { ...task, prompt: redact(task.prompt) },
    job: job && redactJob(job, redact),
  }))
  return { ...run, turns }
}

/** Lists the warnings by reason, each once: a fix round may repeat the warning of the preceding one. */
export function listWarnings(warnings: readonly Warning[]): string[] {
  const reasons = new Set(warnings.map(({ error }) => error.message))
  return Array.from(reasons, (reason) => {
    const messages = new Set(warnings.filter(({ error }) => error.message === reason).map(({ message }) => message))
    return `${[...messages].join('. ')}: ${reason}`
  })
}

/**
 * Formats the warnings as one text, followed by each hint once. Returns `undefined` if the text would be empty.
 * @param shownText warnings in this text are left out
 */
export function formatWarnings(warnings: readonly Warning[], shownText = ''): string | undefined {
  const texts = listWarnings(warnings).filter((text) => !shownText.includes(text))
  const hints = new Set(warnings.flatMap(({ error }) => error.hint ?? []))
  return [...texts, ...hints].join(' ') || undefined
}
