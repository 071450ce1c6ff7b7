import type { Job, PullRequestLink } from '../../docs-service/schemas.ts'
import type { CommentAddress } from '../../github/comments.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { LinkedText } from '../../text/markdown.ts'
import { type Redact, redactAll } from '../../text/redact.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { AgentInputs, Task } from '../inputs.ts'
import type { Warning } from './warnings.ts'
import type { FollowUpReason, JobReads, Previewed, Progress, PullRequestFindings, RoundStop, Turn } from './turn.ts'

/** What became of the step; the value of the output `outcome`. */
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

/** What became of the job's pull request; the value of the output `pr-operation`. */
export type PullRequestOperation = 'created' | 'updated' | 'unchanged'

export interface TimelineEntry {
  readonly at: Date
  /** Since the step began, in milliseconds. */
  readonly elapsedMs: number
  readonly event: string
}

/** The files that a step has changed in its pull request. */
export interface Changes {
  readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[]
  /** Otherwise there may be others. */
  readonly isWhole: boolean
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

/** Undefined where the inputs could not be read. */
type InputFacts = Pick<AgentInputs, 'projectId' | 'dryRun' | 'failOn' | 'waitForChecks' | 'allowedPaths'>

/** What a step remembers besides its turns. */
export interface Facts extends Partial<InputFacts> {
  /** Where the step stands, so that two on one page can be told apart; empty if it has no id. */
  readonly stepId?: string
  readonly startedBy?: LinkedText
  /** The comment of somebody who may ask, which gets an answer. */
  readonly comment?: CommentAddress | undefined
  /** Why nothing was asked of the service, as a full sentence, if the change that started the run was no reason to. */
  readonly skipReason?: string | undefined
  /** What was found of the change that started the run, and what of it was sent. */
  readonly change?: string | undefined
  readonly changes?: Changes | undefined
  readonly log?: LogPlace | undefined
  /** Pull requests that the change that started the run came from, newest first. */
  readonly sources?: readonly PullRequestAddress[] | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly warnings: readonly Warning[]
  readonly durationMs: number
}

/** All that the step knows at its end. Log, outputs, summary and exit code are made of this and of nothing else. */
export interface Report extends Facts, JobReads {
  readonly outcome: Outcome
  /** Undefined if the inputs did not say what to do. */
  readonly task?: Task | undefined
  /** The job as it was last read in a round. */
  readonly jobInRound?: Job | undefined
  readonly operation?: PullRequestOperation | undefined
  /** Where the prompt of a dry run would go. */
  readonly preview?: Previewed | undefined
  /** What kept the step from doing what it was asked to. Such a step is red whatever `fail-on` says. */
  readonly error?: ActionError | undefined
  readonly progress?: Progress | undefined
  readonly continued?: FollowUpReason | undefined
  readonly pullRequest?: PullRequestFindings | undefined
  /** The turns in which failing checks went back to the job; one whose delivery is unknown is among them. */
  readonly rounds: readonly Turn[]
  readonly stop?: RoundStop | undefined
}

/** The id that a later step can follow up on or attach to. A dry run has done nothing that a later step could build on. */
export function getJobId({ job, task, dryRun }: Report): string | undefined {
  if (dryRun === true) return undefined
  return job?.id ?? (task?.kind === 'create' ? undefined : task?.jobId)
}

export const lastReadJob = ({ job, jobInRound = job }: Report): Job | undefined => jobInRound

const ENDED: readonly Outcome[] = ['pull-request', 'no-changes', 'failed', 'archived']

/** Whether the step looks at the pull request of its job: it has seen the end of a turn, however that came out. */
export function isLookedAt({ outcome, error, job }: Report): boolean {
  return ENDED.includes(outcome) && error === undefined && job?.prLink !== undefined
}

/** The pull request to show for this step. That of a follow-up without a good end is an earlier turn's, and shown if GitHub told of it. */
export function ownPullRequest(report: Report): PullRequestLink | undefined {
  const { outcome, operation, progress, job, pullRequest } = report
  const hasEnded = operation !== undefined || outcome === 'pull-request' || outcome === 'no-changes'
  const isOwn = progress === undefined || hasEnded || pullRequest?.state !== undefined
  return isOwn ? job?.prLink : undefined
}

/** More than is shown of a field anywhere, in code points. */
const MAX_FIELD = 1_000

/**
 * Takes secrets out of a report before outputs and summary are made of it: these cut long texts, and a secret that was
 * cut in half, or encoded twice, is found by nobody any more. The link is not cleaned: it is judged as it came.
 */
export function redactReport(report: Report, redact: Redact): Report {
  const { task, job, rounds } = report
  const redactTask = (one: Task): Task => (one.kind === 'attach' ? one : { ...one, prompt: redact(one.prompt) })
  return {
    ...report,
    task: task && redactTask(task),
    rounds: rounds.map((turn) => ({ ...turn, task: redactTask(turn.task) })),
    ...(job && { job: redactJob(job, redact) }),
  }
}

/** What the verdict rests on stays as it is: a secret may be a word such as `active`. */
function redactJob(job: Job, redact: Redact): Job {
  const { id, status, prLink } = job
  const line = (text: string): string => oneLine(text, MAX_FIELD, redact)
  const repository = prLink?.repository && line(prLink.repository)
  return { ...redactAll(job, line), id, status, prLink: prLink && { ...prLink, href: redact(prLink.href), repository } }
}
