/**
 * What is known of a step so far: facts in fields, alternatives in unions. Log, outputs, summary, history and exit code derive
 * from this alone. A run can be cancelled at any time, so the record can be reported at any moment.
 */
import type { Step } from '../action/step.ts'
import type { Job } from '../docs-service/schemas.ts'
import type { Check } from '../github/checks.ts'
import type { CommentAddress } from '../github/comments.ts'
import type { PullRequest, PullRequestAddress } from '../github/pull-requests.ts'
import { type ActionError, logCauses } from '../runtime/errors.ts'
import type { LinkedText } from '../text/markdown.ts'
import { type AgentInputs, type Facts, getOtherRepository, type Task } from './facts.ts'
import type { Journal, TimelineEntry, Warning } from './journal.ts'

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
  readonly hadConflict?: boolean
  /**
   * What is last known of the delivery; undefined before the first attempt. `no`: the service did not process the prompt. `maybe`:
   * no response proves that it accepted the prompt. `started`: the turn was seen to start, or the job has no earlier turn to
   * confuse it with.
   */
  readonly sent?: 'no' | 'maybe' | 'accepted' | 'started'
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

/** The files that a step changed in its pull request. */
export interface ChangedFiles {
  readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[]
  /** If not, there may be more files. */
  readonly isComplete: boolean
}

/** What a change came from: a pull request, or a commit that was pushed without one. */
export type Source = Pick<PullRequestAddress, 'repository' | 'visibility'> &
  ({ readonly number: number; readonly sha?: never } | { readonly sha: string; readonly number?: never })

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
  /** Why the pull request could not be marked, if the next run depends on its mark. The step is then red. */
  readonly untracked?: ActionError | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly warnings: readonly Warning[]
  readonly durationMs: number
}

/**
 * The only writer of the record of a step. Only `run.ts` holds it, and passes `add` or `update` to what learns facts before it can
 * fail or be cancelled.
 */
export class Recorder {
  readonly #step: Facts & Step
  readonly #journal: Pick<Journal, 'timeline' | 'warnings'>
  readonly #toCurrent: (job: Job) => Job
  readonly #turns: Turn[]
  #facts: Partial<Run>

  /** @param toCurrent returns a job with the current name of its repository */
  constructor(step: Facts & Step, journal: Pick<Journal, 'timeline' | 'warnings'>, toCurrent: (job: Job) => Job) {
    this.#step = step
    this.#journal = journal
    this.#toCurrent = toCurrent
    const { task, projectId, dryRun, failOn, waitForChecks, allowedPaths, label } = step.inputs
    const { stepId, isRehearsal } = step.context
    const given = { projectId, dryRun, failOn, waitForChecks, allowedPaths, label }
    this.#turns = [{ task }]
    this.#facts = { ...given, otherRepository: getOtherRepository(step), stepId, isRehearsal }
  }

  get turns(): readonly Turn[] {
    return this.#turns.map((turn) => (turn.job === undefined ? turn : { ...turn, job: this.#toCurrent(turn.job) }))
  }

  get newest(): Turn {
    const newest = this.turns.at(-1)
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
  readonly update = (facts: Partial<Turn>): void => {
    this.#turns[this.#turns.length - 1] = { ...this.newest, ...facts }
  }

  /** Adds facts about the step. */
  readonly add = (facts: Partial<Omit<Run, 'turns' | 'timeline' | 'warnings'>>): void => {
    this.#facts = { ...this.#facts, ...facts }
  }

  /** Records the error that stopped the newest turn or the work after it. */
  fail(error: ActionError): void {
    logCauses(error, this.#step.runner.debug)
    this.update({ error, isCancelled: this.#step.signal.aborted })
  }

  /** Returns everything that is known about the step. @param state `running`: the step has not ended */
  read(state: 'running' | 'ended' = 'ended'): Run {
    const { clock, startedAt } = this.#step
    const { timeline, warnings } = this.#journal
    const durationMs = clock.now() - startedAt
    return { ...this.#facts, state, turns: this.turns, timeline: [...timeline], warnings: [...warnings], durationMs }
  }
}

/** The record of a step that did not run because of an error, or because there is no key. */
export function createUnstartedRun(error: ActionError | undefined, durationMs: number, isRehearsal = false): Run {
  const state = error === undefined ? 'no-key' : 'not-started'
  return { state, turns: [], startError: error, timeline: [], warnings: [], durationMs, isRehearsal }
}
