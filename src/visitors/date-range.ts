import { refuse, type Input } from '../action/parse-inputs.ts'
import type { VisitorsQuery } from '../docs-service/client.ts'

const DAY_MS = 86_400_000

const DAY = String.raw`(?<day>\d{4}-\d{2}-\d{2})`
const TIME = String.raw`T(?<time>(?:[01]\d|2[0-3]):[0-5]\d)(?<seconds>:[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})?`
const PATTERN = new RegExp(`^${DAY}(?:${TIME})?$`)

/** `Date.parse` moves the 30th of February into March, so the day has to come back as it went in. */
function isCalendarDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

/** In milliseconds since 1970. A date is its midnight, and a time without an offset is read, both in UTC. NaN if it is none. */
export function timeOf(text: string): number {
  const { day = '', time = '00:00', seconds = ':00', zone = 'Z' } = PATTERN.exec(text.trim())?.groups ?? {}
  return isCalendarDay(day) ? Date.parse(`${day}T${time}${seconds}${zone}`) : NaN
}

/** Section 4.4 of the service's interface: `YYYY-MM-DD` or ISO 8601, as it was given. */
export const dateInput: Input<string> = (text) => {
  const { day } = PATTERN.exec(text)?.groups ?? {}
  if (day === undefined) return refuse('must be `YYYY-MM-DD` or a time such as `2026-01-31T09:00:00Z`')
  if (!isCalendarDay(day)) return refuse('is not a day of the calendar')
  return Number.isNaN(timeOf(text)) ? refuse('has a UTC offset that does not exist') : text
}

/** What the service is asked for (section 4.4 of its interface); an end that is left out is left to the service. */
export type DateRange = Pick<VisitorsQuery, 'dateFrom' | 'dateTo'>

/** The last whole days in UTC: today is not over, so it is not among them. */
export function lastDays(days: number, now: Date): DateRange {
  const day = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
  return { dateFrom: day(now.getTime() - days * DAY_MS), dateTo: day(now.getTime()) }
}

function nameOf(lengthMs: number): string {
  const days = lengthMs / DAY_MS
  if (days === 1) return 'the day before'
  return Number.isInteger(days) ? `the ${days} days before` : 'the period before'
}

interface PeriodBefore {
  readonly range: Required<DateRange>
  /** For the middle of a sentence, such as `the 30 days before`. */
  readonly name: string
}

/** The time of the same length that ends where a range begins. Undefined if an end is left to the service: then it has no length. */
export function periodBefore({ dateFrom = '', dateTo = '' }: DateRange): PeriodBefore | undefined {
  const lengthMs = timeOf(dateTo) - timeOf(dateFrom)
  if (Number.isNaN(lengthMs)) return undefined
  const start = new Date(timeOf(dateFrom) - lengthMs).toISOString()
  const isInDays = !`${dateFrom}${dateTo}`.includes('T')
  const range = { dateFrom: isInDays ? start.replace(/T.*/, '') : start, dateTo: dateFrom }
  return { range, name: nameOf(lengthMs) }
}

/** A range in words, such as `from 2026-01-01, before 2026-02-01`. */
export function describeRange({ dateFrom, dateTo }: DateRange): string {
  const parts = [dateFrom && `from ${dateFrom}`, dateTo && `before ${dateTo}`].filter((part) => part !== undefined)
  return parts.join(', ') || 'the days that the service chooses'
}
