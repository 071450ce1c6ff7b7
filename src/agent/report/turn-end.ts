import { ERROR_TITLES } from '../../runtime/error-titles.ts'
import { formatCount } from '../../text/sentences.ts'
import type { Outcome, Report, TaskResult } from './report.ts'

const ENDS: Readonly<Record<Outcome, string>> = {
  'pull-request': 'the changes are in it',
  'no-changes': 'nothing to change',
  failed: 'failed',
  archived: 'the job is archived',
  'timed-out': 'did not end in time',
  unconfirmed: 'sent, and not seen to begin',
  submitted: 'sent, and not waited for',
  cancelled: 'cancelled',
  skipped: 'skipped',
  error: 'failed',
}

/** What is known of the end of a turn. */
interface Ending extends Pick<Report, 'task' | 'progress'> {
  readonly result?: TaskResult
  readonly stopped?: TaskResult
}

/** What came of a turn, in words of ours alone. */
export function formatEnd({ result, stopped, progress, task }: Ending): string {
  const { outcome, operation, added, error }: TaskResult = result ?? stopped ?? { outcome: 'error' }
  if (error?.code === 'not-sent') return 'not sent'
  if (outcome === 'error' && error !== undefined) return `failed: ${ERROR_TITLES[error.code]}`
  if (outcome === 'cancelled' && progress === 'unsent') return 'cancelled before it was sent'
  const commits = operation === 'updated' ? formatCount(added?.commits ?? 1, 'new commit') : undefined
  if (outcome !== 'pull-request') return commits === undefined ? ENDS[outcome] : `${ENDS[outcome]}, after ${commits}`
  if (operation === 'created') return 'opened'
  return commits ?? (task?.kind === 'follow-up' ? 'not known whether it has changed' : ENDS[outcome])
}
