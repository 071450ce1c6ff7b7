import { isPullRequestOver } from './standing.ts'
import { formatCount } from '../../text/sentences.ts'
import type { Context } from '../../action/context.ts'
import { quoted, someQuoted, type Told } from '../../text/markdown.ts'
import { formatEnd } from './turn-texts.ts'
import type { LogEntry, LogRow } from './pull-request-log.ts'
import { failedOf, type Changes, type PullRequestFindings, type Report, type Turn } from './report.ts'
import type { Turns } from './turns.ts'

/** So many checks are named, each in a line. */
const MOST_NAMES = 5

const formatFiles = ({ result }: Turn, changes: Changes | undefined): string =>
  result?.operation === 'created' && changes?.isWhole === true ? `: ${formatCount(changes.files.length, 'file')}` : ''

/** What started a turn: the first the run itself, and further ones the checks that failed. */
function causeOf({ failing }: Turn, startedBy: Told): Told {
  return failing === undefined ? startedBy : { text: `checks failed: ${someQuoted(failing.map(({ name }) => name))}` }
}

function toRows(turns: Turns, { startedBy = { text: 'a run' }, changes }: Report, context: Context): readonly LogRow[] {
  const { serverUrl, repository, runId, runAttempt, stepId } = context
  const attempt = runAttempt > 1 ? `/attempts/${runAttempt}` : ''
  const url = `${serverUrl}/${repository}/actions/runs/${runId}${attempt}`
  const step = stepId === '' ? '' : `, step ${quoted(stepId)}`
  return turns.flatMap((turn, index) => {
    const { at, result, stopped } = turn
    // A round that was not sent is no turn.
    if (at === undefined || (index > 0 && (result ?? stopped)?.error?.code === 'not-sent')) return []
    const key = [runId, runAttempt, stepId, at.getTime()].join('.')
    const text = `${formatEnd(turn)}${turns.length === 1 ? formatFiles(turn, changes) : ''}${step}`
    return [{ key, at, startedBy: causeOf(turn, startedBy), end: { text, url } }]
  })
}

/** What is left to do at a pull request, the gravest first; undefined if nobody has looked at it. */
export function leftToDo(found: PullRequestFindings = {}): readonly Told[] | undefined {
  const { state, mergeable, checks, waitsForApproval = false, scope } = found
  const failed = failedOf(found)
  if (state === undefined) return undefined
  if (isPullRequestOver(found)) return [{ text: `Nothing: it is ${state}.` }]
  const outside = scope?.outside ?? []
  const left = [
    outside.length > 0 && { text: `It changes paths outside of \`allowed-paths\`: ${someQuoted(outside)}.` },
    mergeable === false && { text: 'It conflicts with its base branch.' },
    ...failed.slice(0, MOST_NAMES).map(({ name, detailsUrl }) => ({ text: `${quoted(name)} failed`, url: detailsUrl })),
    failed.length > MOST_NAMES && { text: `${formatCount(failed.length - MOST_NAMES, 'more check')} failed.` },
    waitsForApproval && { text: 'Its checks wait for approval.' },
    checks === 'pending' && !waitsForApproval && { text: 'Its checks have not finished.' },
    state === 'draft' && { text: 'It is a draft.' },
  ].filter((item) => item !== false)
  return left.length === 0 ? [{ text: 'Review it, and merge it.' }] : left
}

/**
 * What a step adds to the log of its pull request; undefined if none of its turns came to anything.
 * @param followUps how many were sent because of the label, and how many there may be
 */
export function toLogEntry(
  turns: Turns,
  report: Report,
  context: Context,
  at: Date,
  followUps: readonly [used: number, most: number],
): LogEntry {
  return {
    at,
    rows: toRows(turns, report, context),
    left: leftToDo(report.pullRequest),
    followUps: `Follow-ups by \`on-open-pr\`: ${followUps.join(' of ')} used.`,
  }
}
