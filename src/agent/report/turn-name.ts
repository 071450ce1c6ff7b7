import { oneLine } from '../../text/untrusted.ts'
import type { ChecksState } from './report.ts'
import { formatEnd } from './turn-end.ts'
import { newestOf, type Turn, type Turns } from './turns.ts'

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

const CHECKS: Readonly<Record<ChecksState, string>> = {
  success: 'its checks have passed',
  failure: 'its checks failed',
  pending: 'its checks have not finished',
  none: 'it has no checks',
}

/** What came of a turn that was not stopped. One without a result has given way to another, and nothing was sent. */
export function formatVerdict(turn: Turn): string {
  const { result, pullRequest: { checks } = {} } = turn
  if (result === undefined) return 'not sent'
  return checks === undefined ? formatEnd(turn) : `${formatEnd(turn)}, ${CHECKS[checks]}`
}
