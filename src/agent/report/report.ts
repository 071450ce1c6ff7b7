/** Everything that a step records, from which log, outputs, summary and exit code derive. */
import type { Job } from '../../docs-service/schemas.ts'
import type { CommentAddress } from '../../github/comments.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { LinkedText } from '../../text/markdown.ts'
import { type Redact, redactAll } from '../../text/redact.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { AgentInputs } from '../inputs.ts'
import { type PullRequestFindings, type Turn, type Turns, withJob } from './turn.ts'

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

/** What the step did to the job's pull request: the values of `operation` in `result`. */
export type PullRequestOperation = 'created' | 'updated' | 'unchanged'

export interface TimelineEntry {
  readonly at: Date
  /** Time since the step began. */
  readonly elapsedMs: number
  readonly event: string
}

/** The files that a step changed in its pull request. */
export interface Changes {
  readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[]
  /** If not, there may be more files. */
  readonly isComplete: boolean
}

/** What the step knows about the marker comment of a job. */
export type LogComment =
  | { readonly kind: 'known'; readonly id: number }
  /** The step has not written it yet. */
  | { readonly kind: 'missing' }
  /** The step has tried to write it, but does not know its id, and it may be missing. */
  | { readonly kind: 'id-unknown' }
  /** Only comments by untrusted authors name the job. These are never edited. */
  | { readonly kind: 'untrusted' }

/** The comment as the list of comments shows it. */
export type ListedLogComment = Extract<LogComment, { kind: 'known' | 'untrusted' }>

/** The comment that the step has written. */
export type WrittenComment = Extract<LogComment, { kind: 'known' | 'id-unknown' }>

/** The marker comment, which names the job of a pull request and contains the log. */
export interface LogPlace<Comment extends LogComment = LogComment> {
  readonly pullRequest: PullRequestAddress
  readonly jobId: string
  readonly comment: Comment
  /** How many follow-ups other steps have counted in it, according to the newest read. */
  readonly followUps: number
  /** The signature of the follow-up that this step has counted in it. */
  readonly signature?: string
}

/** Something on GitHub that could not be done. It never changes the result of the job. */
export interface Warning {
  /** What was not done, without a period, such as `The label was not added to the pull request`. */
  readonly message: string
  readonly error: ActionError
}

/** Undefined if the inputs are invalid. */
type InputFacts = Pick<AgentInputs, 'projectId' | 'dryRun' | 'failOn' | 'waitForChecks' | 'allowedPaths'>

/** Everything that a step records besides its turns. */
export interface Facts extends Partial<InputFacts> {
  /** The id in the workflow, to distinguish several steps on one page. Empty if the step has none. */
  readonly stepId?: string
  readonly isRehearsal?: boolean
  readonly startedBy?: LinkedText
  /** The comment with the command, if its author has write access. It gets a reply. */
  readonly comment?: CommentAddress | undefined
  /** Why the step sent nothing, as a full sentence, if it was skipped. */
  readonly skipReason?: string | undefined
  /** A description of the change that started the run, and of the part that was sent. */
  readonly change?: string | undefined
  readonly changes?: Changes | undefined
  /** The pull request as it was read at the end of the step. */
  readonly pullRequestAtEnd?: PullRequestFindings
  readonly log?: LogPlace | undefined
  /** The pull requests that the change comes from, newest first. */
  readonly sources?: readonly PullRequestAddress[] | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly warnings: readonly Warning[]
  readonly durationMs: number
}

/**
 * Everything that a step records. Log, outputs, summary and exit code derive from this alone.
 */
export type Report =
  /** Skipped before any request, because there is no key. */
  | ({ readonly kind: 'no-key' } & Facts)
  /** Failed before it started, for example because an input is invalid. */
  | ({ readonly kind: 'not-started'; readonly error: ActionError } & Facts)
  /** The step has not ended. */
  | ({ readonly kind: 'running'; readonly turns: Turns } & Facts)
  | ({ readonly kind: 'ran'; readonly turns: Turns } & Facts)

/** Creates the report of a step that did not run because of an error, or because there is no key. */
export function createSkippedReport(error: ActionError | undefined, durationMs: number, isRehearsal = false): Report {
  const facts: Facts = { timeline: [], warnings: [], durationMs, isRehearsal }
  return error === undefined ? { kind: 'no-key', ...facts } : { kind: 'not-started', error, ...facts }
}

/** No output or summary shows more of a field. */
const MAX_FIELD_CHARS = 1_000

/**
 * Redacts secrets in a report before outputs and summary are created from it. These truncate and escape texts, and a
 * truncated or escaped secret can no longer be recognized. Links are redacted but not cleaned: they were validated before.
 */
export function redactReport(report: Report, redact: Redact): Report {
  switch (report.kind) {
    case 'no-key':
    case 'not-started':
      return report
    case 'running':
    case 'ran': {
      const [own, ...rounds] = report.turns
      return { ...report, turns: [redactTurn(own, redact), ...rounds.map((round) => redactTurn(round, redact))] }
    }
  }
}

function redactTurn({ task, state, ...turn }: Turn, redact: Redact): Turn {
  return {
    ...turn,
    task: task.kind === 'attach' ? task : { ...task, prompt: redact(task.prompt) },
    state: withJob(state, (job) => redactJob(job, redact)),
  }
}

/** Does not redact the fields that decide the outcome: a secret may be a word such as `active`. */
function redactJob<J extends Job>(job: J, redact: Redact): J {
  const { id, status, prLink } = job
  const line = (text: string): string => oneLine(text, MAX_FIELD_CHARS, redact)
  const repository = prLink?.repository && line(prLink.repository)
  return { ...redactAll(job, line), id, status, prLink: prLink && { ...prLink, href: redact(prLink.href), repository } }
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
