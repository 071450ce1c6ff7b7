import { type Redact, redactAll } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import type { Run } from './record.ts'

/** No output or summary shows more of a field. */
const MAX_FIELD_CHARS = 1_000

/**
 * Redacts secrets in a record before outputs and summary are created from it. These truncate and escape texts, and a truncated
 * or escaped secret can no longer be recognized. Links are redacted but not cleaned: they were validated before.
 */
export function redactRun(run: Run, redact: Redact): Run {
  const line = (text: string): string => oneLine(text, MAX_FIELD_CHARS, redact)
  const turns = run.turns.map(({ task, job, ...turn }) => {
    const prLink = job?.prLink && {
      ...job.prLink,
      href: redact(job.prLink.href),
      repository: job.prLink.repository && line(job.prLink.repository),
    }
    return {
      ...turn,
      task: task.kind === 'attach' ? task : { ...task, prompt: redact(task.prompt) },
      // Does not redact the fields that decide the outcome: a secret may be a word such as `active`.
      job: job && { ...redactAll(job, line), id: job.id, status: job.status, prLink },
    }
  })
  return { ...run, turns }
}
