import type { CommentAddress } from '../../github/comments.ts'
import type { Check } from '../../github/commit-checks.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import type { PullRequestLink } from '../../docs-service/pull-request-link.ts'
import type { Job } from '../../docs-service/schemas.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { Told } from '../../text/markdown.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { FixStop } from './fixing.ts'

/** What became of the step; the value of the output `outcome`. */
export const OUTCOMES = [
  'pull-request',
  'no-changes',
  'failed',
  'archived',
  'timed-out',
  'unconfirmed',
  'submitted',
  'cancelled',
  'skipped',
  'error',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What made the prompt a follow-up; the value of the output `continued`. */
export type Continued = 'pull-request' | 'comment'

export interface TimelineEntry {
  readonly at: Date
  /** Since the step began, in milliseconds. */
  readonly elapsedMs: number
  readonly event: string
}

/** A terminal state of a job that every read since `sinceMs` has shown, up to the newest read at `lastMs`. */
export interface StandingEnd {
  readonly end: Job
  readonly sinceMs: number
  readonly lastMs: number
}

/** How one task ended. */
export interface TaskResult {
  readonly outcome: Outcome
  /** The answer that decided it, if one did. Whatever is read later does not change it. */
  readonly job?: Job | undefined
  /** What became of the job's pull request; the value of the output `pr-operation`. */
  readonly operation?: 'created' | 'updated' | 'unchanged' | undefined
  /** What the agent has added to the pull request, and the head that it had before. */
  readonly added?: { readonly commits: number; readonly since: string }
  /** That the pull request has another head, though the turn has added nothing to it. */
  readonly hasOtherHead?: boolean
  /** What kept the step from doing what it was asked to. Such a step is red whatever `fail-on` says. */
  readonly error?: ActionError
}

/** The value of the output `checks`. That none are registered is never the same as that all have passed. */
export type ChecksState = 'success' | 'failure' | 'pending' | 'none'

/** The files that a step has changed in its pull request. */
export interface Changes {
  readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[]
  /** Otherwise there may be others. */
  readonly isWhole: boolean
}

/** What GitHub knows of the pull request when the step ends. What is undefined was not asked, or not to be found out. */
export interface PullRequestFindings extends Partial<Pick<PullRequest, 'title' | 'state' | 'branch' | 'isBlocked'>> {
  /** The commit that `checks` and `outside` are about. */
  readonly headSha?: string
  readonly mergeable?: boolean
  /** Set if they were waited for; `failure` if one of `checkList` failed. */
  readonly checks?: ChecksState
  /** That nothing is expected of them before somebody approves them. */
  readonly waitsForApproval?: boolean
  /** All that count, if they were waited for. */
  readonly checkList?: readonly Check[]
  /** What does not match `allowed-paths`. */
  readonly outside?: readonly string[]
}

export function failedOf(checks: readonly Check[] = []): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/** Whether all its files match `allowed-paths`; undefined if that is not known. */
export function isInScope({ outside }: PullRequestFindings): boolean | undefined {
  return outside === undefined ? undefined : outside.length === 0
}

export function describePullRequest(pullRequest: PullRequest): PullRequestFindings {
  const { title, state, branch, headSha, mergeable, isBlocked } = pullRequest
  return { title, state, branch, headSha, isBlocked, ...(mergeable === undefined ? {} : { mergeable }) }
}

/** The marker comment, which names the job of a pull request and has the log. */
export interface LogPlace {
  readonly pullRequest: PullRequestAddress
  readonly jobId: string
  /** Undefined if it is not known, or there is none. */
  readonly commentId: number | undefined
  /** How many follow-ups other steps have counted in it, as far as this one knows. */
  readonly followUps: number
  /** Of the follow-up that this step has counted in it. */
  readonly signature?: string
}

/** One prompt, or one wait for a job, and what is known of it. */
export interface Turn extends Pick<Report, 'progress' | 'continued' | 'job' | 'lastProblem' | 'pullRequest' | 'stop'> {
  readonly task: Task
  /** The checks that a round tells. */
  readonly failing?: readonly Check[] | undefined
  /** When it began; undefined if it has not. */
  readonly at?: Date
  /** The pull request of the job before the prompt, if what a follow-up does to it is to be known. */
  readonly head?: PullRequest | undefined
  /** The newest commit of that pull request's branch before the prompt, if the pull request was merged or closed by then. */
  readonly branchTip?: string | undefined
  readonly result?: TaskResult
  /** What stopped it before its end, or what was to follow its end. */
  readonly stopped?: TaskResult & { readonly error: ActionError }
}

/** Something that was to be done on GitHub and could not be. Nothing else is lost, and never the job's result. */
export interface Shortfall {
  /** What is lost, such as `The label was not put on the pull request`. */
  readonly lost: string
  readonly error: ActionError
}

/** Undefined where the inputs could not be read. */
type SaidByInputs = Pick<AgentInputs, 'projectId' | 'failOn' | 'waitForChecks' | 'allowedPaths'>

/** What a step remembers besides its turns. */
export interface Recorded extends Partial<SaidByInputs> {
  /** Where the step stands, so that two on one page can be told apart; empty if it has no id. */
  readonly stepId?: string
  readonly startedBy?: Told
  /** The comment of somebody who may ask, which gets an answer. */
  readonly comment?: CommentAddress | undefined
  /** Why nothing was asked of the service, as a full sentence, if the change that started the run was no reason to. */
  readonly skipReason?: string | undefined
  /** What was found of the change that started the run, and what of it was sent. */
  readonly change?: string | undefined
  readonly changes?: Changes | undefined
  readonly log?: LogPlace | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly shortfalls: readonly Shortfall[]
  readonly durationMs: number
}

/** All that the step knows at its end. Log, outputs, summary and exit code are made of this and of nothing else. */
export interface Report extends Recorded, TaskResult {
  /** Undefined if the inputs did not say what to do. */
  readonly task?: Task | undefined
  /** The job by which the result was decided, or as it was last read. */
  readonly job?: Job | undefined
  /** The job as it was last read in a round. */
  readonly jobInRound?: Job | undefined
  /** Why the last read of the job failed, if it did. */
  readonly lastProblem?: ActionError | undefined
  /** How far a follow-up has come. One that is taken, but not seen, may leave the job as the turn before had left it. */
  readonly progress?: 'unsent' | 'taken' | 'seen' | undefined
  /** Set directly before such a prompt is sent. */
  readonly continued?: Continued | undefined
  readonly pullRequest?: PullRequestFindings | undefined
  /** The turns in which failing checks went back to the job; one whose fate is unknown is among them. */
  readonly rounds: readonly Turn[]
  readonly stop?: FixStop | undefined
}

/** The id that a later step can follow up on or attach to. */
export function jobIdOf({ job, task }: Report): string | undefined {
  return job?.id ?? (task?.kind === 'create' ? undefined : task?.jobId)
}

export const lastReadJob = ({ job, jobInRound = job }: Report): Job | undefined => jobInRound

const ENDED: readonly Outcome[] = ['pull-request', 'no-changes', 'failed', 'archived']

/** Whether the step looks at the pull request of its job: it has seen the end of a turn, however that came out. */
export function isLookedAt({ outcome, error, job }: TaskResult): boolean {
  return ENDED.includes(outcome) && error === undefined && job?.prLink !== undefined
}

/** The pull request to show for this step. That of a follow-up without a good end is an earlier turn's, and shown if GitHub told of it. */
export function ownPullRequest(report: Report): PullRequestLink | undefined {
  const { outcome, operation, progress, job, pullRequest } = report
  const hasEnded = operation !== undefined || outcome === 'pull-request' || outcome === 'no-changes'
  const isOwn = progress === undefined || hasEnded || pullRequest?.state !== undefined
  return isOwn ? job?.prLink : undefined
}
