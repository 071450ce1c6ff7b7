import type { VisitorsQuery } from '../docs-service/client.ts'
import { parseDate } from './date-input.ts'

const DAY_MS = 86_400_000

/** What the service is asked for (section 4.4 of its interface); an end that is left out is left to the service. */
export type DateRange = Pick<VisitorsQuery, 'dateFrom' | 'dateTo'>

/** The last whole days in UTC: today is not over, so it is not among them. */
export function lastDays(days: number, now: Date): DateRange {
  const day = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
  return { dateFrom: day(now.getTime() - days * DAY_MS), dateTo: day(now.getTime()) }
}

/** The time of the same length that ends where a range begins. */
export interface PeriodBefore {
  readonly range: Required<DateRange>
  /** For the middle of a sentence, such as `the 30 days before`. */
  readonly name: string
}

function nameOf(lengthMs: number): string {
  const days = lengthMs / DAY_MS
  if (days === 1) return 'the day before'
  return Number.isInteger(days) ? `the ${days} days before` : 'the period before'
}

/** Undefined if an end is left to the service: such a range has no length. */
export function periodBefore({ dateFrom = '', dateTo = '' }: DateRange): PeriodBefore | undefined {
  const [from, to] = [parseDate(dateFrom), parseDate(dateTo)]
  if (typeof from === 'string' || typeof to === 'string') return undefined
  const lengthMs = to.atMs - from.atMs
  const start = new Date(from.atMs - lengthMs).toISOString()
  const isInDays = !`${dateFrom}${dateTo}`.includes('T')
  const range = { dateFrom: isInDays ? start.replace(/T.*/, '') : start, dateTo: dateFrom }
  return { range, name: nameOf(lengthMs) }
}

/** A range in words, such as `from 2026-01-01, before 2026-02-01`. */
export function describeRange({ dateFrom, dateTo }: DateRange): string {
  if (dateFrom === undefined && dateTo === undefined) return 'the days that the service chooses'
  return [
    dateFrom === undefined ? undefined : `from ${dateFrom}`,
    dateTo === undefined ? undefined : `before ${dateTo}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ')
}
