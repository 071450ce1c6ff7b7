import type { Context } from '../../action/context.ts'
import { MARKER_BEGINNING } from '../../github/comments.ts'
import { linked, quoted, someQuoted } from '../../text/markdown.ts'
import { formatCount } from '../../text/sentences.ts'
import { formatUtc } from '../../text/utc-time.ts'
import type { Report } from './report.ts'
import { faultsOf, isPullRequestOver } from './standing.ts'
import { formatEnd } from './turn-texts.ts'
import { isSent, type Turns } from './turns.ts'

/** What a step adds to the log, in lines as they stand there. */
export interface LogEntry {
  /** One for each turn. */
  readonly rows: readonly string[]
  /** Undefined if nobody has looked at the pull request, so that what stands there stays. */
  readonly left: readonly string[] | undefined
  readonly followUps: string
}

/** The first turn is started by the run itself, and further ones by the checks that failed. */
function toRows(turns: Turns, { startedBy = { text: 'a run' }, changes }: Report, context: Context): readonly string[] {
  const { serverUrl, repository, runId, runAttempt, stepId } = context
  const attempt = runAttempt > 1 ? `/attempts/${runAttempt}` : ''
  const url = `${serverUrl}/${repository}/actions/runs/${runId}${attempt}`
  const step = stepId === '' ? '' : `, step ${quoted(stepId)}`
  return turns.flatMap((turn, index) => {
    const { at, result, stopped, failing } = turn
    const { error, outcome } = result ?? stopped ?? {}
    // A round that was not sent is no turn.
    const isNone = error?.code === 'not-sent' || (outcome === 'cancelled' && !isSent(turn))
    if (at === undefined || (index > 0 && isNone)) return []
    const isWhole = turns.length === 1 && result?.operation === 'created' && changes?.isWhole === true
    const files = isWhole ? `: ${formatCount(changes.files.length, 'file')}` : ''
    const failed = failing && { text: `checks failed: ${someQuoted(failing.map(({ name }) => name))}` }
    const when = formatUtc(at).slice(0, 'YYYY-MM-DD hh:mm'.length)
    const end = linked({ text: `${formatEnd(turn)}${files}${step}`, url })
    // No other turn has it.
    const key = [runId, runAttempt, stepId, at.getTime()].join('.').replaceAll(/[^\w.-]/g, '-')
    return [`| ${when} | ${linked(failed ?? startedBy)} | ${end} <!-- row=${key} --> |`]
  })
}

/** What is left to do at the pull request, the gravest first. */
function leftToDo(report: Report): LogEntry['left'] {
  const { pullRequest: found = {} } = report
  if (found.state === undefined) return undefined
  if (isPullRequestOver(found)) return [`Nothing: it is ${found.state}.`]
  const left = faultsOf(report).flatMap(({ left }) => left)
  return left.length === 0 ? ['Review it, and merge it.'] : left
}

/** @param followUps how many were sent because of the label, and how many there may be */
export function toLogEntry(
  turns: Turns,
  report: Report,
  context: Context,
  at: Date,
  followUps: readonly [used: number, most: number],
): LogEntry {
  const left = leftToDo(report)
  return {
    rows: toRows(turns, report, context),
    left: left && [`**What is left** (${formatUtc(at)} UTC)`, ...left.map((item) => `- ${item}`)],
    followUps: `Follow-ups by \`on-open-pr\`: ${followUps.join(' of ')} used.`,
  }
}

/** GitHub takes 65,536. The rest is for the hidden count, which is also written without the log. */
const MOST_CHARACTERS = 65_000

const BEGIN = `${MARKER_BEGINNING}log -->`
const HEAD = ['| When (UTC) | Started by | What came of it |', '| --- | --- | --- |']
const ROW = /^\|.*<!-- row=([\w.-]+) -->\s*\|\s*$/
const FOLDED = /<!-- folded=(\d{1,9}) -->\s*$/
const LEFT = '<!-- left -->'
const FOLLOW_UPS = '<!-- follow-ups -->'

/** A line is ours by its own looks, so that whatever people write, move or delete takes nothing from the other lines. */
function kindOf(line: string): 'row' | 'folded' | 'left' | 'frame' | 'theirs' {
  const shown = line.trimEnd()
  if (ROW.test(line)) return 'row'
  if (FOLDED.test(line)) return 'folded'
  if (shown.endsWith(LEFT)) return 'left'
  return shown === BEGIN || shown.endsWith(FOLLOW_UPS) || HEAD.includes(shown) ? 'frame' : 'theirs'
}

/**
 * A comment with further rows, newest last. Rows that are there stay as they are, and so does what people wrote. What would
 * make it too long is taken from the oldest rows, which become a number.
 * @param body the comment as it is now
 * @returns undefined if it has no room for a row
 */
export function addToLog(body: string, { rows: added, left, followUps }: LogEntry): string | undefined {
  const lines = body.split(/\r\n|\n/)
  const begin = lines.findIndex((line) => kindOf(line) !== 'theirs')
  const [above, log] = begin === -1 ? [lines, []] : [lines.slice(0, begin), lines.slice(begin)]
  const of = (kind: ReturnType<typeof kindOf>): readonly string[] => log.filter((line) => kindOf(line) === kind)
  const keyOf = (row: string): string | undefined => ROW.exec(row)?.[1]
  const keys = new Set(of('row').map(keyOf))
  const rows = [...of('row'), ...added.filter((row) => !keys.has(keyOf(row)))]
  const foldedBefore = of('folded').reduce((sum, line) => sum + Number(FOLDED.exec(line)?.[1]), 0)
  const render = (count: number): string => {
    const folded = foldedBefore + count
    const parts = [
      above,
      [BEGIN],
      folded === 0 ? [] : [`_Not listed: ${formatCount(folded, 'earlier turn')}._ <!-- folded=${folded} -->`],
      [...HEAD, ...rows.slice(count)],
      left?.map((line) => `${line} ${LEFT}`) ?? of('left'),
      [`${followUps} ${FOLLOW_UPS}`],
      of('theirs'),
    ]
    const texts = parts.map((part) => part.join('\n').trim())
    return texts.filter((text) => text !== '').join('\n\n')
  }
  for (let count = 0; count < Math.max(1, rows.length); count++)
    if (render(count).length <= MOST_CHARACTERS) return render(count)
  return undefined
}
