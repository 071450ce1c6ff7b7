/**
 * Renders the log in the marker comment. Hides the syntax of its rows, and which rows are dropped when the comment is
 * full.
 */
import type { Context } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import { canName } from '../../github/schemas.ts'
import { linked, quoteName, quoteNames } from '../../text/markdown.ts'
import { formatCount, formatUtc } from '../../text/format.ts'
import { DEFAULT_MAX_FOLLOW_UPS } from '../inputs.ts'
import type { Report } from '../report/report.ts'
import { listBlockers, isPullRequestClosed } from '../report/pull-request-status.ts'
import { getPullRequest, getStopOutcome } from '../report/turns.ts'
import { formatEnd } from '../report/outcomes.ts'
import { getTurnEnd, getNewest, getWork, isSent, mayStillRun, type Turn, type Turns } from '../report/turn.ts'
import {
  FOLLOW_UPS_TAG,
  LEFT_TAG,
  LOG_BEGINNING,
  type Marker,
  type MarkerComment,
  readRowKey,
  readSummarised,
  readWorkingUntil,
  removeWorkingTag,
  renderRowTags,
  renderSummarisedTag,
  updateMarker,
  warnOfLimit,
} from '../marker.ts'

/** What a step adds to the log, as lines of the comment. */
export interface LogEntry {
  /** One row for each turn. */
  readonly rows: readonly string[]
  /** What is left to do. If undefined, the step has not read the pull request, and the existing lines are kept. */
  readonly left: readonly string[] | undefined
}

/** Whether the turn ended, for example by a cancellation, before its prompt was sent. */
function hasSentNothing(turn: Turn): boolean {
  const { state } = turn
  switch (state.kind) {
    case 'not-sent':
      return true
    case 'stopped':
      return !isSent(turn) && (state.error.code === 'not-sent' || getStopOutcome(state) === 'cancelled')
    case 'planning':
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
    case 'accepted':
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return false
  }
}

interface RunInLog extends Pick<Context, 'runId' | 'runAttempt' | 'stepId'> {
  readonly url?: string
}

function getRunUrl({ serverUrl, repository, runId, runAttempt }: Context): string {
  const attempt = runAttempt > 1 ? `/attempts/${runAttempt}` : ''
  return `${serverUrl}/${repository}/actions/runs/${runId}${attempt}`
}

/** Contains no names, because readers of the pull request may not have access to the repository of the run. */
const HIDDEN_SOURCE = { text: 'a run in another repository' }

/** GitHub adds a cross-reference to each referenced pull request. */
const MAX_REFERENCES = 5

/**
 * Formats references to the source pull requests, as in `acme/code#12`; empty if there is none. Only references sources with
 * the same visibility, because GitHub shows a cross-reference in the source's timeline. As in `canName`, a source of unknown
 * visibility counts as private, and a target of unknown visibility counts as public.
 */
export function formatSources({ sources = [], log }: Pick<Report, 'sources' | 'log'>): string {
  if (log === undefined) return ''
  const target = log.pullRequest
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
  const references = sources.flatMap(({ repository, number, visibility = 'private' }) => {
    if (!isSame(repository, target.repository))
      return visibility === (target.visibility ?? 'public') ? [`${repository}#${number}`] : []
    return number === target.number ? [] : [`${repository}#${number}`]
  })
  return references.slice(0, MAX_REFERENCES).join(', ')
}

/** The result column of a row. */
interface RowResult {
  readonly text: string
  /**
   * Undefined if the agent is not working on the turn. Otherwise the deadline of the step, in milliseconds since 1970, or 0 if
   * the step has ended.
   */
  readonly workingUntilMs?: number
}

const toTimeOfDay = (at: Date): string => `${formatUtc(at).slice('YYYY-MM-DD '.length, 'YYYY-MM-DD hh:mm'.length)} UTC`

const describeStart = (at: Date): string => `⏳ working since ${toTimeOfDay(at)}, do not merge yet`
const WORKING_SINCE = /⏳ working since \d\d:\d\d UTC, do not merge yet/
const MAY_BE_WORKING = '; ⏳ the agent may still be working, do not merge yet'
const MAY_STILL_BE_WORKING = new RegExp(`${MAY_BE_WORKING}(?: \\(the step [a-z ]* \\d\\d:\\d\\d UTC\\))?`)

/** @param at the end of the step @param waitsUntil the deadline of the step */
function describeEnd(turn: Turn, at: Date, waitsUntil: Date): RowResult {
  const text = formatEnd(turn)
  if (!mayStillRun(turn)) return { text }
  const waited = at < waitsUntil ? 'would have waited' : 'waited'
  const until = getTurnEnd(turn)?.kind === 'submitted' ? '' : ` (the step ${waited} until ${toTimeOfDay(waitsUntil)})`
  return { text: `${text}${MAY_BE_WORKING}${until}`, workingUntilMs: 0 }
}

/** Renders one row per turn. The run starts the first turn, and failed checks start all further turns. */
function toRows(
  turns: Turns,
  { startedBy = { text: 'a run' }, changes }: Report,
  context: RunInLog,
  describe: (turn: Turn) => RowResult,
  references = '',
): readonly string[] {
  const { url, runId, runAttempt, stepId } = context
  const step = stepId === '' ? '' : `, step ${quoteName(stepId)}`
  return turns.flatMap((turn, index) => {
    const { startedAt, failing, isInLog = false } = turn
    // Leave out a round that was not sent, unless the log has announced it.
    if (startedAt === undefined || (index > 0 && hasSentNothing(turn) && !isInLog)) return []
    const listsAllFiles = turns.length === 1 && getWork(turn).kind === 'created' && changes?.isComplete === true
    const files = listsAllFiles ? `: ${formatCount(changes.files.length, 'file')}` : ''
    const failed = failing && { text: `checks failed: ${quoteNames(failing.map(({ name }) => name))}` }
    const when = formatUtc(startedAt).slice(0, 'YYYY-MM-DD hh:mm'.length)
    const { text, workingUntilMs } = describe(turn)
    const end = linked({ text: `${text}${files}${step}`, url })
    // Unique for each turn.
    const key = [runId, runAttempt, stepId, startedAt.getTime()].join('.')
    const about = index === 0 && references !== '' ? `, for ${references}` : ''
    return [`| ${when} | ${linked(failed ?? startedBy)}${about} | ${end} ${renderRowTags(key, workingUntilMs)} |`]
  })
}

const MERGE = 'Review it, and merge it.'
const WAIT = 'Wait until the agent has finished.'

const COMPARE = 'Compare its branch with the base branch: some of its commits may not be merged.'

/** Whether the agent may have pushed after the pull request was merged or closed. */
const mayLeaveBehind = (turn: Turn): boolean => mayStillRun(turn) || getTurnEnd(turn)?.kind === 'left-behind'

/** Lists what is left to do in the pull request, most serious first. */
function listLeft(turns: Turns, report: Report): LogEntry['left'] {
  const found = getPullRequest(report)
  if (found.state === undefined) return undefined
  if (isPullRequestClosed(found)) return [turns.some(mayLeaveBehind) ? COMPARE : `Nothing: it is ${found.state}.`]
  const left = listBlockers(report).flatMap(({ left }) => left)
  return left.length === 0 ? [MERGE] : left
}

/** Renders the rows of all turns, without names that readers of the pull request may not have access to. */
function toSafeRows(
  turns: Turns,
  report: Report,
  context: Context,
  describe: (turn: Turn) => RowResult,
): readonly string[] {
  const { repository, event, runId, runAttempt } = context
  const isNamed = report.log === undefined || canName({ repository, ...event }, report.log.pullRequest)
  return isNamed
    ? toRows(turns, report, { ...context, url: getRunUrl(context) }, describe, formatSources(report))
    : toRows(turns, { ...report, startedBy: HIDDEN_SOURCE }, { runId, runAttempt, stepId: '' }, describe)
}

/** Renders the rows before the newest turn is sent, or if it is not sent. @param result of the newest turn */
function toRowsWith(result: RowResult, turns: Turns, report: Report, context: Context): readonly string[] {
  const newest = getNewest(turns)
  return toSafeRows(turns, report, context, (turn) => (turn === newest ? result : { text: formatEnd(turn) }))
}

/** Renders the rows directly before the newest turn is sent. @param waitsUntil the deadline of the step */
export function toWorkingRows(
  turns: Turns,
  report: Report,
  context: Context,
  at: Date,
  waitsUntil: Date,
): readonly string[] {
  return toRowsWith({ text: describeStart(at), workingUntilMs: waitsUntil.getTime() }, turns, report, context)
}

/** Renders the rows after the newest turn was announced but not sent to this pull request. */
export function toUnsentRows(turns: Turns, report: Report, context: Context): readonly string[] {
  return toRowsWith({ text: 'not sent' }, turns, report, context)
}

/** @param at the end of the step @param waitsUntil the deadline of the step */
export function toLogEntry(turns: Turns, report: Report, context: Context, at: Date, waitsUntil = at): LogEntry {
  const left = listLeft(turns, report)
  return {
    rows: toSafeRows(turns, report, context, (turn) => describeEnd(turn, at, waitsUntil)),
    left: left && [`**What is left** (${formatUtc(at)} UTC)`, ...left.map((item) => `- ${item}`)],
  }
}

/** GitHub's limit for a comment. */
const MAX_CHARACTERS = 65_536
/** A longer comment is full. The rest of GitHub's limit is reserved for rows that get longer. */
const FULL_CHARACTERS = 65_000

const TABLE_HEAD = ['| When (UTC) | Started by | Result |', '| --- | --- | --- |']
const LEFT_AT = /^\*\*What is left\*\* \((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC\)/
const LIMIT = new RegExp(`: \\d+ of (\\d{1,3}) used\\. .*${FOLLOW_UPS_TAG}\\s*$`)

/** Classifies each line on its own, so that lines that people write, move or delete do not affect the other lines. */
function classifyLine(line: string): 'row' | 'summarised' | 'left' | 'frame' | 'other' {
  const shown = line.trimEnd()
  if (readRowKey(line) !== undefined) return 'row'
  if (readSummarised(line) !== undefined) return 'summarised'
  if (shown.endsWith(LEFT_TAG)) return 'left'
  return shown === LOG_BEGINNING || shown.endsWith(FOLLOW_UPS_TAG) || TABLE_HEAD.includes(shown) ? 'frame' : 'other'
}

const getKey = (row: string): string => readRowKey(row) ?? ''
/** The start of the row's turn, in milliseconds since 1970. */
const getTime = (row: string): number => Number(/\d+$/.exec(getKey(row))?.[0] ?? 0)

/** A row with a higher rank replaces a row with the same key: working (0), ended with a warning (1), ended (2). */
function getRank(row: string): number {
  const untilMs = readWorkingUntil(row)
  if (untilMs === undefined) return 2
  return untilMs === 0 ? 1 : 0
}

function mergeRows(rows: readonly string[], added: readonly string[]): readonly string[] {
  const byKey = new Map(added.map((row) => [getKey(row), row]))
  const merged = rows.map((row) => {
    const update = byKey.get(getKey(row)) ?? row
    return getRank(update) > getRank(row) ? update : row
  })
  const keys = new Set(rows.map(getKey))
  return [...merged, ...added.filter((row) => !keys.has(getKey(row)))]
}

/**
 * Updates the rows of a comment, and adds none.
 * @returns undefined if no row changes, or GitHub would reject the comment because of its length
 */
export function updateRows({ body }: MarkerComment, rows: readonly string[]): string | undefined {
  const lines = body.split('\n').map((line) => {
    const key = readRowKey(line)
    const updates = rows.filter((row) => getKey(row) === key)
    return key === undefined ? line : (mergeRows([line], updates)[0] ?? line)
  })
  const text = lines.join('\n')
  return text === body || text.length > MAX_CHARACTERS ? undefined : text
}

/** A row that says that the agent may be working. */
export interface WorkingRow {
  readonly row: string
  readonly runId: number
  readonly runAttempt: number
  /** The deadline of its step, in milliseconds since 1970; 0 if the step has ended. */
  readonly untilMs: number
}

export function findWorkingRows(rows: readonly string[]): readonly WorkingRow[] {
  return rows.flatMap((row) => {
    const untilMs = readWorkingUntil(row)
    const [runId, runAttempt] = getKey(row).split('.').map(Number)
    return untilMs === undefined ? [] : { row, runId: runId ?? 0, runAttempt: runAttempt ?? 0, untilMs }
  })
}

/** Removes the warning from a row whose turn has ended. */
export function settleRow(row: string): string {
  return removeWorkingTag(row)
    .replace(WORKING_SINCE, 'not known, because the run ended first')
    .replace(MAY_STILL_BE_WORKING, '')
}

interface CommentLines {
  /** The lines above the log. */
  readonly above: readonly string[]
  readonly rows: readonly string[]
  readonly summarised: number
  readonly left: readonly string[]
  /** The maximum number of follow-ups that the comment shows. */
  readonly maxFollowUps: number | undefined
  /** Lines that people wrote below the beginning of the log. */
  readonly otherLines: readonly string[]
  readonly hasLog: boolean
}

function splitComment(body: string): CommentLines {
  const lines = body.split(/\r\n|\n/)
  const begin = lines.findIndex((line) => classifyLine(line) !== 'other')
  const [above, log] = begin === -1 ? [lines, []] : [lines.slice(0, begin), lines.slice(begin)]
  const pick = (kind: ReturnType<typeof classifyLine>): readonly string[] =>
    log.filter((line) => classifyLine(line) === kind)
  return {
    above,
    rows: pick('row'),
    summarised: pick('summarised').reduce((sum, line) => sum + (readSummarised(line) ?? 0), 0),
    left: pick('left'),
    maxFollowUps: pick('frame').flatMap((line) => LIMIT.exec(line)?.slice(1).map(Number) ?? [])[0],
    otherLines: pick('other'),
    hasLog: begin !== -1,
  }
}

/** Whether a row that is missing from the log was replaced by a count. Such rows are older than the oldest row in the log. */
function isSummarised(row: string, { rows, summarised }: Pick<CommentLines, 'rows' | 'summarised'>): boolean {
  return summarised > 0 && rows.length > 0 && getTime(row) < Math.min(...rows.map(getTime))
}

/** @param count the number of oldest rows to replace by a count */
function renderComment(lines: CommentLines, used: number, count: number) {
  const { above, rows, summarised, left, maxFollowUps = DEFAULT_MAX_FOLLOW_UPS, otherLines, hasLog } = lines
  const followUps = `Follow-ups by \`on-open-pr\`: ${used} of ${maxFollowUps} used.`
  const all = summarised + count
  const line = `_Not listed: ${formatCount(all, 'earlier turn')}._ ${renderSummarisedTag(all)}`
  const log = [
    [LOG_BEGINNING],
    all === 0 ? [] : [line],
    [...TABLE_HEAD, ...rows.slice(count)],
    left,
    [[followUps, warnOfLimit(used, maxFollowUps), FOLLOW_UPS_TAG].filter((text) => text !== '').join(' ')],
    otherLines,
  ]
  const texts = [above, ...(hasLog ? log : [])].map((part) => part.join('\n').trim())
  return texts.filter((text) => text !== '').join('\n\n')
}

/** What a step records in the marker comment of its job. */
export interface CommentUpdate extends LogEntry {
  readonly label: string
  /** The number of other steps' follow-ups that this step knows of. */
  readonly followUps: number
  /** Identifies the follow-up that this step counts; undefined if it counts none. */
  readonly signature?: string | undefined
  /** The maximum number of follow-ups. If undefined, the number in the comment is kept. */
  readonly maxFollowUps?: number | undefined
  /** Whether to write nothing if the follow-up would exceed the maximum. */
  readonly isReservation?: boolean
  /** The counts in the comment versions that this step has read. */
  readonly seen?: { readonly countedBy: readonly string[]; readonly unsigned: number }
}

/** The number of counted follow-ups without a signature in the comment. */
const countUnsigned = ({ followUps, countedBy }: Pick<Marker, 'followUps' | 'countedBy'>): number =>
  followUps - countedBy.length

/** Counts the follow-ups of simultaneous steps separately. An older version of the comment never lowers the count. */
function mergeMarker(marker: Marker, update: CommentUpdate): Omit<Marker, 'jobId'> {
  const { label, signature, followUps: known, seen } = update
  const own = signature === undefined ? [] : [signature]
  const countedBy = [...new Set([...marker.countedBy, ...(seen?.countedBy ?? []), ...own])]
  const unsigned = Math.max(countUnsigned(marker), seen?.unsigned ?? -Infinity)
  return {
    labels: hasLabel(label, marker.labels) ? marker.labels : [...marker.labels, label],
    followUps: Math.max(unsigned + countedBy.length, known + own.length),
    countedBy,
  }
}

/** Whether the update would exceed the maximum number of follow-ups. */
export function exceedsLimit(marker: Marker, update: CommentUpdate): boolean {
  return mergeMarker(marker, update).followUps > (update.maxFollowUps ?? DEFAULT_MAX_FOLLOW_UPS)
}

/** Adds a comment version's counts and rows to the update, so that a later read of an older version cannot lose them. */
export function rememberVersion(update: CommentUpdate, { body, marker }: MarkerComment): CommentUpdate {
  const { countedBy } = mergeMarker(marker, update)
  return {
    ...update,
    seen: { countedBy, unsigned: Math.max(countUnsigned(marker), update.seen?.unsigned ?? -Infinity) },
    rows: mergeRows(splitComment(body).rows, update.rows),
  }
}

const readLeftTime = (left: readonly string[] = []): string => LEFT_AT.exec(left[0] ?? '')?.[1] ?? ''

/**
 * Whether a comment contains an update, or a newer list of what is left. Checks only the newest row, because older rows may have
 * been replaced by a count.
 */
export function isUpdated({ body, marker }: MarkerComment, update: CommentUpdate): boolean {
  const { labels, followUps, countedBy } = mergeMarker(marker, update)
  const isMarked =
    labels === marker.labels && followUps === marker.followUps && countedBy.length === marker.countedBy.length
  const newest = update.rows.at(-1)
  if (!isMarked || newest === undefined) return isMarked
  const lines = splitComment(body)
  if (readLeftTime(update.left) > readLeftTime(lines.left)) return false
  const isNewest = (row: string): boolean => getKey(row) === getKey(newest) && getRank(row) >= getRank(newest)
  return lines.rows.some(isNewest) || isSummarised(newest, lines)
}

/**
 * Merges an update into a marker comment. Never lowers the count, merges rows by key, sorts them by time, and keeps all text
 * that people wrote. Replaces the oldest rows by a count if the comment would be too long.
 * @param comment the current version
 * @returns the new body; undefined if people's text leaves no room
 */
export function updateComment(comment: MarkerComment, update: CommentUpdate): string | undefined {
  const merged = mergeMarker(comment.marker, update)
  const lines = splitComment(updateMarker(comment, merged))
  // Rows that another step has replaced by a count are already counted.
  const added = update.rows.filter((row) => !isSummarised(row, lines))
  const rows = mergeRows(lines.rows, added).toSorted((a, b) => getTime(a) - getTime(b))
  // A step that ended later has read the pull request later.
  const isNewer = update.left !== undefined && readLeftTime(update.left) >= readLeftTime(lines.left)
  const found = isNewer ? update.left.map((line) => `${line} ${LEFT_TAG}`) : lines.left
  // The agent may be working for a step other than the one that read the pull request.
  const [from, to] = findWorkingRows(rows).length > 0 ? [MERGE, WAIT] : [WAIT, MERGE]
  const left = found.map((line) => (line === `- ${from} ${LEFT_TAG}` ? `- ${to} ${LEFT_TAG}` : line))
  const hasLog = lines.hasLog || rows.length > 0 || left.length > 0
  const { maxFollowUps = lines.maxFollowUps } = update
  for (let count = 0; count < Math.max(1, rows.length); count++) {
    const text = renderComment({ ...lines, rows, left, maxFollowUps, hasLog }, merged.followUps, count)
    if (text.length <= FULL_CHARACTERS) return text
  }
  return undefined
}
