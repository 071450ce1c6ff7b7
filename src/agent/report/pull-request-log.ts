import { formatCount } from '../../text/sentences.ts'
import { MARKER_BEGINNING } from '../../github/comments.ts'
import { linked, type Told } from '../../text/markdown.ts'
import { formatUtc } from '../../text/utc-time.ts'

/** One turn of the agent, as the log in the pull request tells it. */
export interface LogRow {
  /** No other turn has it. */
  readonly key: string
  readonly at: Date
  readonly startedBy: Told
  readonly end: Told
}

/** What a step adds to the log. */
export interface LogEntry {
  readonly at: Date
  readonly rows: readonly LogRow[]
  /** What is left to do at the pull request; undefined if the step does not know, so that what stands there stays. */
  readonly left: readonly Told[] | undefined
  readonly followUps: string
}

/** GitHub takes 65,536. The rest is for the hidden count, which is also written without the log. */
export const MOST_CHARACTERS = 65_000

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

const joinParts = (...parts: readonly (readonly string[])[]): string =>
  parts
    .map((lines) => lines.join('\n').trim())
    .filter((part) => part !== '')
    .join('\n\n')

function renderRow({ key, at, startedBy, end }: LogRow): string {
  const when = formatUtc(at).slice(0, 'YYYY-MM-DD hh:mm'.length)
  return `| ${[when, linked(startedBy), linked(end)].join(' | ')} <!-- row=${key.replaceAll(/[^\w.-]/g, '-')} --> |`
}

function renderFolded(count: number): string[] {
  return count === 0 ? [] : [`_Not listed: ${formatCount(count, 'earlier turn')}._ <!-- folded=${count} -->`]
}

function renderLeft(left: readonly Told[], at: Date): string[] {
  return [`**What is left** (${formatUtc(at)} UTC)`, ...left.map((item) => `- ${linked(item)}`)].map(
    (line) => `${line} ${LEFT}`,
  )
}

/**
 * A comment with further rows, newest last. Rows that are there stay as they are, and so does what people wrote. What would
 * make it too long is taken from the oldest rows, which become a number.
 * @param body the comment as it is now
 * @returns undefined if it has no room for a row
 */
export function addToLog(body: string, { at, rows: added, left, followUps }: LogEntry): string | undefined {
  const lines = body.split(/\r\n|\n/)
  const of = (kind: ReturnType<typeof kindOf>, all = lines): readonly string[] =>
    all.filter((line) => kindOf(line) === kind)
  const begin = lines.findIndex((line) => kindOf(line) !== 'theirs')
  const [above, rest] = begin === -1 ? [lines, []] : [lines.slice(0, begin), lines.slice(begin)]
  const before = of('row')
  const keys = new Set(before.map((line) => ROW.exec(line)?.[1]))
  const rows = [...before, ...added.map(renderRow).filter((line) => !keys.has(ROW.exec(line)?.[1]))]
  const folded = of('folded').reduce((sum, line) => sum + Number(FOLDED.exec(line)?.[1]), 0)
  const render = (count: number): string =>
    joinParts(
      ...[above, [BEGIN], renderFolded(folded + count), [...HEAD, ...rows.slice(count)]],
      ...[left === undefined ? of('left') : renderLeft(left, at), [`${followUps} ${FOLLOW_UPS}`], of('theirs', rest)],
    )
  for (let count = 0; count < Math.max(1, rows.length); count++)
    if (render(count).length <= MOST_CHARACTERS) return render(count)
  return undefined
}
