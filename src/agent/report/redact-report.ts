import { type Redact, redactAll } from '../../text/redact.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { Job } from '../../docs-service/schemas.ts'
import type { Task } from '../inputs/task.ts'
import type { Report } from './report.ts'

/** More than is shown of a field anywhere, in code points. */
const LONGEST_FIELD = 1_000

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
  const line = (text: string): string => oneLine(text, LONGEST_FIELD, redact)
  const repository = prLink?.repository && line(prLink.repository)
  return { ...redactAll(job, line), id, status, prLink: prLink && { ...prLink, href: redact(prLink.href), repository } }
}
