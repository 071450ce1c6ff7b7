import type { VisitorsQuery } from '../docs-service/client.ts'

const DAY_MS = 86_400_000

/** What the service is asked for (section 4.4 of its interface); an end that is left out is left to the service. */
export type DateRange = Pick<VisitorsQuery, 'dateFrom' | 'dateTo'>

/** The last whole days in UTC: today is not over, so it is not among them. */
export function lastDays(days: number, now: Date): DateRange {
  const day = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
  return { dateFrom: day(now.getTime() - days * DAY_MS), dateTo: day(now.getTime()) }
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
