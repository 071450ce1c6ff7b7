import { ERROR_TITLES } from '../../runtime/errors.ts'
import { formatCount } from '../../text/sentences.ts'
import { oneLine } from '../../text/untrusted.ts'
import { OUTCOME_ROWS } from './outcomes.ts'
import type { TaskResult, Turn } from './report.ts'
import { CHECKS_TEXTS } from './standing.ts'
import { newestOf, type Turns } from './turns.ts'

/** What came of a turn, in words of ours alone. */
export function formatEnd({ result, stopped, progress, task }: Turn): string {
  const { outcome, operation, added, error }: TaskResult = result ?? stopped ?? { outcome: 'error' }
  if (error?.code === 'not-sent') return 'not sent'
  if (outcome === 'cancelled' && progress === 'unsent') return 'cancelled before it was sent'
  const title = outcome === 'error' && error && ERROR_TITLES[error.code]
  const end = title ? `failed: ${title}` : OUTCOME_ROWS[outcome].end
  const commits = operation === 'updated' ? formatCount(added?.commits ?? 1, 'new commit') : undefined
  if (outcome !== 'pull-request') return commits === undefined ? end : `${end}, after ${commits}`
  if (operation === 'created') return 'opened'
  return commits ?? (task.kind === 'follow-up' ? 'not known whether it has changed' : end)
}

const LONGEST_NAME = 60

/** What the newest turn is called in the log. */
export function nameTurn(turns: Turns, maxRounds: number): string {
  const { task, failing } = newestOf(turns)
  if (failing !== undefined) return `Round ${turns.length - 1} of ${maxRounds}`
  if (task.kind === 'create') return 'New job'
  return `${task.kind === 'attach' ? 'Attach' : 'Follow-up'} to ${task.jobId}`
}

/** The title of its group: a round says which checks it sends. */
export function titleTurn(name: string, { failing }: Turn): string {
  if (failing === undefined) return name
  return `${name}: ${failing.map((check) => oneLine(check.name, LONGEST_NAME)).join(', ')}`
}

/** What came of a turn that was not stopped. One without a result has given way to another, and nothing was sent. */
export function formatVerdict(turn: Turn): string {
  const { result, pullRequest: { checks } = {} } = turn
  if (result === undefined) return 'not sent'
  return checks === undefined ? formatEnd(turn) : `${formatEnd(turn)}, ${CHECKS_TEXTS[checks][0]}`
}
