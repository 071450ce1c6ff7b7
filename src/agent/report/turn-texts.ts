import { type ActionError, ERROR_TITLES } from '../../runtime/errors.ts'
import { formatCount } from '../../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import { OUTCOME_RULES } from './outcomes.ts'
import { CHECKS_TEXTS } from './pull-request-status.ts'
import {
  type Ended,
  getEnd,
  getFindings,
  getNewest,
  getProgress,
  isSent,
  type Stopped,
  type Turn,
  type Turns,
  type Work,
} from './turn.ts'
import { getStopOutcome } from './turns.ts'

/** Formats the end of a turn that did not complete, but may have pushed commits. */
function formatUnsuccessfulEnd(text: string, work: Work): string {
  return work.kind === 'updated' ? `${text}, after ${formatCount(work.commits, 'new commit')}` : text
}

const OPENED = 'opened'

function formatEnded({ job, work }: Ended, turn: Turn): string {
  switch (job.status) {
    case 'failed':
    case 'archived':
      return formatUnsuccessfulEnd(OUTCOME_RULES[job.status].end, work)
    case 'completed':
      return formatWork(work, turn)
  }
}

function formatWork(work: Work, { task }: Turn): string {
  switch (work.kind) {
    case 'created':
      return OPENED
    case 'updated':
      return formatCount(work.commits, 'new commit')
    case 'unchanged':
    case 'none':
      return OUTCOME_RULES['no-changes'].end
    case 'unknown':
      return task.kind === 'follow-up' ? 'unknown whether it has changed' : OUTCOME_RULES['pull-request'].end
  }
}

function formatStopped(stopped: Stopped, turn: Turn): string {
  if (stopped.error.code === 'not-sent') return 'not sent'
  const outcome = getStopOutcome(stopped)
  const isUnsent = turn.task.kind !== 'attach' && !isSent(turn)
  if (outcome === 'timed-out' && isUnsent) return 'not sent'
  if (outcome === 'cancelled' && isUnsent && getProgress(turn) === 'unsent') return 'cancelled before it was sent'
  return outcome === 'error' ? formatError(stopped.error) : OUTCOME_RULES[outcome].end
}

const formatError = ({ code }: ActionError): string => `failed: ${ERROR_TITLES[code]}`

/** Formats the end of a turn. The text contains no words of the service or other users. */
export function formatEnd(turn: Turn): string {
  const { state } = turn
  const end = getEnd(turn)
  if (end === undefined) return state.kind === 'stopped' ? formatStopped(state, turn) : OUTCOME_RULES.error.end
  switch (end.kind) {
    case 'not-sent':
      return 'not sent'
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
      return OUTCOME_RULES[end.kind].end
    case 'ended':
      return formatEnded(end, turn)
    case 'unusable-link':
      return formatError(end.error)
    case 'left-behind':
      return formatUnsuccessfulEnd(formatError(end.error), end.work)
  }
}

/** Returns the name of the newest turn in the log. */
export function nameTurn(turns: Turns, maxRounds: number): string {
  const { task, failing } = getNewest(turns)
  if (failing !== undefined) return `Round ${turns.length - 1} of ${maxRounds}`
  if (task.kind === 'create') return 'New job'
  return `${task.kind === 'attach' ? 'Attach' : 'Follow-up'} to ${task.jobId}`
}

/** Returns the title of a turn's group in the log. That of a fix round names the failed checks. */
export function titleTurn(name: string, { failing }: Turn): string {
  if (failing === undefined) return name
  return `${name}: ${failing.map((check) => oneLine(check.name, MAX_NAME_CHARS)).join(', ')}`
}

/** Formats the end of a turn that no error stopped. A turn without an end was not sent, and another one replaces it. */
export function formatVerdict(turn: Turn): string {
  const checks = getFindings(turn)?.checks
  if (getEnd(turn) === undefined) return 'not sent'
  const text = formatEnd(turn)
  // Unlike a row of the comment, the log line does not name the pull request.
  const end = text === OPENED ? `pull request ${OPENED}` : text
  return checks === undefined ? end : `${end}, ${CHECKS_TEXTS[checks][0]}`
}
