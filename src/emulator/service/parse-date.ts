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
