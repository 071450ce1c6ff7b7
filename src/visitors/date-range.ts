/** Parses and formats dates: for inputs, for requests and for the summary. */
import { rejectInput, type Input } from '../action/inputs.ts'
import type { VisitorsQuery } from '../docs-service/interface.ts'
import { DAY_MS } from '../runtime/clock.ts'

const DAY = String.raw`(?<day>(?!0000)\d{4}-\d{2}-\d{2})`
const TIME = String.raw`T(?<time>(?:[01]\d|2[0-3]):[0-5]\d)(?<seconds>:[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})?`
const PATTERN = new RegExp(`^${DAY}(?:${TIME})?$`)

/** `Date.parse` turns 30 February into a day of March, so compare the day before and after parsing. */
function isCalendarDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

/**
 * Parses a date as its midnight in UTC, and a time without an offset as UTC.
 * @returns milliseconds since 1970; NaN for an invalid text
 */
export function parseTime(text: string): number {
  const { day = '', time = '00:00', seconds = ':00', zone = 'Z' } = PATTERN.exec(text.trim())?.groups ?? {}
  return isCalendarDay(day) ? Date.parse(`${day}T${time}${seconds}${zone}`) : NaN
}

/** `YYYY-MM-DD` or ISO 8601 (section 4.4 of the service's interface), unchanged. */
export const dateInput: Input<string> = (text) => {
  const { day } = PATTERN.exec(text)?.groups ?? {}
  if (day === undefined) return rejectInput('must be `YYYY-MM-DD` or a time such as `2026-01-31T09:00:00Z`')
  if (!isCalendarDay(day)) return rejectInput('is not a valid date')
  return Number.isNaN(parseTime(text)) ? rejectInput('has a UTC offset that does not exist') : text
}

/** `dateTo` is exclusive. The service chooses an end that is left out (section 4.4 of its interface). */
export type DateRange = Pick<VisitorsQuery, 'dateFrom' | 'dateTo'>

/** A range with a known length. */
export type Period = Required<DateRange>

/** Returns the last complete days in UTC, without today. */
export function lastDays(days: number, now: Date): Period {
  const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
  return { dateFrom: formatDay(now.getTime() - days * DAY_MS), dateTo: formatDay(now.getTime()) }
}

const getLengthMs = ({ dateFrom, dateTo }: Period): number => parseTime(dateTo) - parseTime(dateFrom)

/** Earlier times would have no year of four digits. */
const FIRST_TIME_MS = Date.parse('0001-01-01T00:00:00Z')

/** Returns the period of the same length directly before, or what is left of it after the beginning of the year 1. */
export function getPrecedingPeriod(period: Period): Period {
  const { dateFrom, dateTo } = period
  const start = new Date(Math.max(FIRST_TIME_MS, parseTime(dateFrom) - getLengthMs(period))).toISOString()
  const isInDays = !`${dateFrom}${dateTo}`.includes('T')
  return { dateFrom: isInDays ? start.replace(/T.*/, '') : start, dateTo: dateFrom }
}

/** Names the preceding period for the middle of a sentence: `the 30 days before`. */
export function namePrecedingPeriod(period: Period): string {
  const days = getLengthMs(period) / DAY_MS
  if (days === 1) return 'the day before'
  return Number.isInteger(days) ? `the ${days} days before` : 'the period before'
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

function getDateParts(atMs: number): { day: number; month: string; year: number; time: string } {
  const date = new Date(atMs)
  return {
    day: date.getUTCDate(),
    month: MONTHS[date.getUTCMonth()] ?? '',
    year: date.getUTCFullYear(),
    time: date
      .toISOString()
      .slice(-13, -1)
      .replace(/(?::00)?\.000$/, ''),
  }
}

const isMidnight = (atMs: number): boolean => atMs % DAY_MS === 0

/** `31 December 2025`, and `31 December 2025, 09:30 UTC` unless it is midnight. */
function formatTime(atMs: number): string {
  const { day, month, year, time } = getDateParts(atMs)
  return `${day} ${month} ${year}${isMidnight(atMs) ? '' : `, ${time} UTC`}`
}

/** Formats a range for people, with its last day included: `2 to 31 December 2025`. */
export function describeRange({ dateFrom = '', dateTo = '' }: DateRange): string {
  const [fromMs, toMs] = [parseTime(dateFrom), parseTime(dateTo)]
  const lastMs = isMidnight(toMs) ? toMs - DAY_MS : toMs
  if (dateFrom === '') return dateTo === '' ? 'the days that the service chooses' : `until ${formatTime(lastMs)}`
  if (dateTo === '') return `from ${formatTime(fromMs)}`
  if (!isMidnight(fromMs) || !isMidnight(toMs)) return `${formatTime(fromMs)} until ${formatTime(toMs)}`
  if (fromMs === lastMs) return formatTime(lastMs)
  const [first, last] = [getDateParts(fromMs), getDateParts(lastMs)]
  if (first.year !== last.year) return `${formatTime(fromMs)} to ${formatTime(lastMs)}`
  return `${first.day}${first.month === last.month ? '' : ` ${first.month}`} to ${formatTime(lastMs)}`
}
