import type { Job } from '../../docs-service/schemas.ts'
import type { CommentAddress } from '../../github/comments.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { LinkedText } from '../../text/markdown.ts'
import { type Redact, redactAll } from '../../text/redact.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { AgentInputs } from '../inputs.ts'
import type { Warning } from './warnings.ts'
import { type PullRequestFindings, type Turn, type Turns, withJob } from './turn.ts'

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
  readonly isComplete: boolean
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
  /** The pull request as it was read once more at the end of the step. */
  readonly pullRequestAtEnd?: PullRequestFindings
  readonly log?: LogPlace | undefined
  /** Pull requests that the change that started the run came from, newest first. */
  readonly sources?: readonly PullRequestAddress[] | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly warnings: readonly Warning[]
  readonly durationMs: number
}

/**
 * All that a step remembers: log, outputs, summary and exit code are made of this and of nothing else. What follows from it
 * is derived where it is shown.
 */
export type Report =
  /** Skipped before anything was read, because there is no key. */
  | ({ readonly kind: 'no-key' } & Facts)
  /** Stopped before it could begin, such as by an invalid input. */
  | ({ readonly kind: 'not-started'; readonly error: ActionError } & Facts)
  /** Known before the end of the step. */
  | ({ readonly kind: 'running'; readonly turns: Turns } & Facts)
  | ({ readonly kind: 'ran'; readonly turns: Turns } & Facts)

/** The report of a step that did not run: stopped by an error, or skipped because there is no key. */
export function createSkippedReport(error: ActionError | undefined, durationMs: number): Report {
  const facts: Facts = { timeline: [], warnings: [], durationMs }
  return error === undefined ? { kind: 'no-key', ...facts } : { kind: 'not-started', error, ...facts }
}

/** More than is shown of a field anywhere, in code points. */
const MAX_FIELD = 1_000

/**
 * Takes secrets out of a report before outputs and summary are made of it: these cut long texts, and a secret that was
 * cut in half, or encoded twice, is found by nobody any more. The link is not cleaned: it is judged as it came.
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

/** What the verdict rests on stays as it is: a secret may be a word such as `active`. */
function redactJob<J extends Job>(job: J, redact: Redact): J {
  const { id, status, prLink } = job
  const line = (text: string): string => oneLine(text, MAX_FIELD, redact)
  const repository = prLink?.repository && line(prLink.repository)
  return { ...redactAll(job, line), id, status, prLink: prLink && { ...prLink, href: redact(prLink.href), repository } }
}
