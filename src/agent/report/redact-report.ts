import type { Job } from '../../docs-service/schemas.ts'
import type { Redact } from '../../text/redact.ts'
import { safeLine } from '../../text/safe-lines.ts'
import type { Task } from '../inputs/task.ts'
import type { Report } from './report.ts'

/** More than is shown of a field anywhere, in code points. */
const LONGEST_FIELD = 1_000

function redactTask(task: Task, redact: Redact): Task {
  return task.kind === 'attach' ? task : { ...task, prompt: redact(task.prompt) }
}

function redactJob(job: Job, redact: Redact): Job {
  const text = (value: string | undefined): string | undefined => value && safeLine(value, redact, LONGEST_FIELD)
  return {
    ...job,
    unlistedStatus: text(job.unlistedStatus),
    repository: text(job.repository),
    ref: text(job.ref),
    model: text(job.model),
    createdAt: text(job.createdAt),
    prLink: job.prLink && { ...job.prLink, href: redact(job.prLink.href), repository: text(job.prLink.repository) },
  }
}

/**
 * Takes secrets out of a report before outputs and summary are made of it: these cut long texts, and a secret that was
 * cut in half, or encoded twice, is found by nobody any more. The raw link is not cleaned: it is judged as it came.
 */
export function redactReport(report: Report, redact: Redact): Report {
  const { task, job, rounds } = report
  return {
    ...report,
    task: task && redactTask(task, redact),
    rounds: rounds.map((turn) => ({ ...turn, task: redactTask(turn.task, redact) })),
    ...(job === undefined ? {} : { job: redactJob(job, redact) }),
  }
}
