import type { VisitorsPage } from '../../docs-service/schemas.ts'
import { type Refusal, refuse } from '../http/exchange.ts'

/** Section 8: the default and the maximum of `limit`. Not imported, because the client's schemas would come with them. */
const DEFAULT_PAGE_ROWS = 50
const MAX_PAGE_ROWS = 250

export interface DateRange {
  /** The first millisecond that counts. */
  readonly fromMs: number
  /** The first millisecond that does not count any more. */
  readonly toMs: number
}

export interface VisitorsQuery {
  readonly range: DateRange
  /** In rows, as `offset` is. */
  readonly limit: number
  readonly offset: number
}

const DATE = String.raw`(?<day>\d{4}-\d{2}-\d{2})`
const TIME = String.raw`T(?<time>\d{2}:\d{2})(?<seconds>:\d{2}(\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}(:?\d{2})?)?`
const PATTERN = new RegExp(`^${DATE}(${TIME})?$`)

/** `Date.parse` moves the 30th of February into March, so the day has to come back as it went in. */
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
 * Section 4.4: `YYYY-MM-DD` or ISO 8601, as milliseconds since 1970, or nothing if it is neither. A date is its
 * midnight, and a time without an offset is read, both in UTC.
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

function integerFrom(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN
    return value >= least && value <= most ? value : undefined
  }
}

const DATE_FORM = 'YYYY-MM-DD or ISO 8601'

/**
 * Reads a query string (section 4.4), without its question mark. A parameter that comes twice is wrong, an unknown one is
 * ignored, and a date that is left out leaves its side open.
 */
export function parseVisitorsQuery(queryString: string): VisitorsQuery | Refusal {
  const given = new URLSearchParams(queryString)
  const problems: string[] = []

  function read(name: string, otherwise: number, parse: (text: string) => number | undefined, form: string): number {
    const [text, ...more] = given.getAll(name)
    if (text === undefined) return otherwise
    const value = more.length === 0 ? parse(text) : undefined
    if (value === undefined) problems.push(`\`${name}\` must be ${form}.`)
    return value ?? otherwise
  }

  const fromMs = read('dateFrom', -Infinity, parseDate, DATE_FORM)
  const toMs = read('dateTo', Infinity, parseDate, DATE_FORM)
  const rows = `an integer from 1 to ${MAX_PAGE_ROWS}`
  const limit = read('limit', DEFAULT_PAGE_ROWS, integerFrom(1, MAX_PAGE_ROWS), rows)
  const offset = read('offset', 0, integerFrom(0, Number.MAX_SAFE_INTEGER), 'an integer of 0 or more')
  if (fromMs > toMs) problems.push('`dateFrom` must not be after `dateTo`.')
  return problems.length === 0 ? { range: { fromMs, toMs }, limit, offset } : refuse(400, problems)
}

/** What the list of visited pages is like: as it should be, or in one of the ways in which none should be. */
export type Listing = 'whole' | 'moving' | 'stuck' | 'long-path' | 'endless'

type ReadPart = (query: VisitorsQuery) => VisitorsPage

/** The rows in a part of a list that moves: so few that a small site has several parts, too. */
const MOVING_ROWS = 10

/** The part of a list that is asked for, or what comes in its place. */
export const LISTINGS: Readonly<Record<Listing, (query: VisitorsQuery, read: ReadPart) => VisitorsPage>> = {
  whole: (query, read) => read(query),
  // After the first part a page came in before it, so that the last row of that part is the first one of the next.
  moving: (query, read) =>
    read({ ...query, limit: Math.min(query.limit, MOVING_ROWS), offset: Math.max(query.offset - 1, 0) }),
  stuck: (query, read) => ({ ...read({ ...query, offset: 0 }), hasMore: true }),
  'long-path': (query, read) =>
    changePaths(read(query), (path, index) => (index === 0 ? `/${'long/'.repeat(2_000)}` : path)),
  endless: ({ range, limit, offset }, read) => {
    const { totals } = read({ range, limit: 1, offset: 0 })
    const row = { ...totals, path: '' }
    const part = { totals, visitors: Array.from({ length: limit }, () => row), hasMore: true }
    return changePaths(part, (_, index) => `/${offset + index}/${'x'.repeat(8_000)}`)
  },
}

export function changePaths(part: VisitorsPage, change: (path: string, index: number) => string): VisitorsPage {
  return { ...part, visitors: part.visitors.map((row, index) => ({ ...row, path: change(row.path, index) })) }
}
