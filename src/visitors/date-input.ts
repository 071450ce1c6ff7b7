import { refuse, type Input } from '../action/parse-inputs.ts'

/** One end of a date range, as it is sent and as it is compared. */
export interface DateInput {
  /** `YYYY-MM-DD` or ISO 8601, as it was given. */
  readonly text: string
  /** In milliseconds since 1970. */
  readonly atMs: number
}

const DAY = String.raw`(?<day>\d{4}-\d{2}-\d{2})`
const TIME = String.raw`T(?<time>(?:[01]\d|2[0-3]):[0-5]\d)(?<seconds>:[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})?`
const PATTERN = new RegExp(`^${DAY}(?:${TIME})?$`)

/** `Date.parse` moves the 30th of February into March, so the day has to come back as it went in. */
function isCalendarDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

/** A date is its midnight, and a time without an offset is read, both in UTC. What is none comes back as the reason. */
export function parseDate(text: string): DateInput | string {
  const groups = PATTERN.exec(text)?.groups
  const day = groups?.['day']
  if (day === undefined) return 'must be `YYYY-MM-DD` or a time such as `2026-01-31T09:00:00Z`'
  if (!isCalendarDay(day)) return 'is a day that is not in the calendar'
  const { time = '00:00', seconds = ':00', zone = 'Z' } = groups ?? {}
  const atMs = Date.parse(`${day}T${time}${seconds}${zone}`)
  return Number.isNaN(atMs) ? 'has an offset that no place has' : { text, atMs }
}

/** Section 4.4 of the service's interface: `YYYY-MM-DD` or ISO 8601. */
export const dateInput: Input<DateInput> = (text) => {
  const date = parseDate(text.trim())
  return typeof date === 'string' ? refuse(date) : date
}
