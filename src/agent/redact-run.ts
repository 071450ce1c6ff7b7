import type { Job } from '../docs-service/schemas.ts'
import { type Redact, redactAll } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import type { Run } from './record.ts'

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
