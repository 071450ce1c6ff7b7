import type { VisitorsPage } from '../../docs-service/interface.ts'
import { type RequestRefusal, refuseRequest } from '../http/exchange.ts'

/**
 * The default and the maximum of `limit` (section 8). Not imported from the client, because that would add its schemas
 * to the bundle.
 */
const DEFAULT_PAGE_ROWS = 50
const MAX_PAGE_ROWS = 250

export interface TimeRange {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

export interface ParsedVisitorsQuery {
  readonly range: TimeRange
  /** Both in rows. */
  readonly limit: number
  readonly offset: number
}

const DATE = String.raw`(?<day>\d{4}-\d{2}-\d{2})`
const TIME = String.raw`T(?<time>\d{2}:\d{2})(?<seconds>:\d{2}(\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}(:?\d{2})?)?`
const PATTERN = new RegExp(`^${DATE}(${TIME})?$`)

/** `Date.parse` turns 30 February into a day in March, so compare the day before and after parsing. */
function isCalendarDay(day: string): boolean {
  const midnightMs = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnightMs) && new Date(midnightMs).toISOString().startsWith(day)
}

function toExtendedZone(zone: string): string {
  if (zone === 'Z') return zone
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/**
 * Parses `YYYY-MM-DD` or ISO 8601 (section 4.4) to milliseconds since 1970. A date means midnight in UTC, and a time without
 * an offset is in UTC.
 * @returns undefined for an invalid date
 */
export function parseDate(text: string): number | undefined {
  const groups = PATTERN.exec(text)?.groups
  const day = groups?.['day']
  if (day === undefined || !isCalendarDay(day)) return undefined
  const { time = '00:00', seconds = ':00', zone = 'Z' } = groups ?? {}
  if (time.startsWith('24')) return undefined
  const atMs = Date.parse(`${day}T${time}${seconds}${toExtendedZone(zone)}`)
  return Number.isNaN(atMs) ? undefined : atMs
}

function createIntegerParser(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN
    return value >= min && value <= max ? value : undefined
  }
}

const DATE_FORM = 'YYYY-MM-DD or ISO 8601'

/**
 * Parses a query string without its question mark (section 4.4). A repeated parameter is invalid, an unknown one is ignored,
 * and a missing date leaves its side open.
 */
export function parseVisitorsQuery(queryString: string): ParsedVisitorsQuery | RequestRefusal {
  const parameters = new URLSearchParams(queryString)
  const problems: string[] = []

  function read(name: string, fallback: number, parse: (text: string) => number | undefined, form: string): number {
    const [text, ...more] = parameters.getAll(name)
    if (text === undefined) return fallback
    const value = more.length === 0 ? parse(text) : undefined
    if (value === undefined) problems.push(`\`${name}\` must be ${form}.`)
    return value ?? fallback
  }

  const fromMs = read('dateFrom', -Infinity, parseDate, DATE_FORM)
  const toMs = read('dateTo', Infinity, parseDate, DATE_FORM)
  const rows = `an integer from 1 to ${MAX_PAGE_ROWS}`
  const limit = read('limit', DEFAULT_PAGE_ROWS, createIntegerParser(1, MAX_PAGE_ROWS), rows)
  const offset = read('offset', 0, createIntegerParser(0, Number.MAX_SAFE_INTEGER), 'an integer of 0 or more')
  if (fromMs > toMs) problems.push('`dateFrom` must not be after `dateTo`.')
  return problems.length === 0 ? { range: { fromMs, toMs }, limit, offset } : refuseRequest(400, problems)
}

/** How the list of visited pages behaves: `complete` is correct, the others are faulty. */
export type ListBehavior = 'complete' | 'moving' | 'stuck' | 'long-path' | 'endless' | 'recent'

type ReadPart = (query: ParsedVisitorsQuery) => VisitorsPage

/** Enough for a second part of any site. */
const MOVING_ROWS = MAX_PAGE_ROWS + 10

/** How each kind of list responds to a query. */
export const LIST_BEHAVIORS: Readonly<
  Record<ListBehavior, (query: ParsedVisitorsQuery, read: ReadPart) => VisitorsPage>
> = {
  complete: (query, read) => read(query),
  // A page is inserted at the top after the first part was read, so the next part repeats that part's last row.
  // Only a full part proves this, so rarely visited pages make the list of a small site longer.
  moving({ range, limit, offset }, read) {
    const { totals, visitors } = read({ range, limit: MAX_PAGE_ROWS, offset: 0 })
    const rare = Array.from({ length: MOVING_ROWS - visitors.length }, (_, index) => `/archive/${index + 1}`)
    const rows = [...visitors, ...rare.map((path) => ({ path, human: 1, ai: 0, total: 1 }))]
    const start = Math.max(offset - 1, 0)
    return { totals, visitors: rows.slice(start, start + limit), hasMore: start + limit < rows.length }
  },
  stuck: (query, read) => ({ ...read({ ...query, offset: 0 }), hasMore: true }),
  'long-path': (query, read) =>
    mapPaths(read(query), (path, index) => (index === 0 ? `/${'long/'.repeat(2_000)}` : path)),
  recent: (query, read) => read(query),
  endless: ({ range, limit, offset }, read) => {
    const { totals } = read({ range, limit: 1, offset: 0 })
    const row = { ...totals, path: '' }
    const part = { totals, visitors: Array.from({ length: limit }, () => row), hasMore: true }
    return mapPaths(part, (_, index) => `/${offset + index}/${'x'.repeat(8_000)}`)
  },
}

const RECENT_DAYS = 100
const DAY_MS = 86_400_000

/** Refuses a query for days that a service with a short history no longer knows. */
export function refuseOldDays(
  { range: { fromMs } }: ParsedVisitorsQuery,
  listing: ListBehavior,
  nowMs: number,
): RequestRefusal | undefined {
  const isOld = Number.isFinite(fromMs) && fromMs < nowMs - RECENT_DAYS * DAY_MS
  if (listing !== 'recent' || !isOld) return undefined
  return refuseRequest(400, [`\`dateFrom\` must be within the last ${RECENT_DAYS} days.`])
}

export function mapPaths(part: VisitorsPage, change: (path: string, index: number) => string): VisitorsPage {
  return { ...part, visitors: part.visitors.map((row, index) => ({ ...row, path: change(row.path, index) })) }
}
