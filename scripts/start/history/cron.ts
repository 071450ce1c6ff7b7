const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The values of one field, such as `*`, `1-5`, `*\/15`, `MON,FRI`. */
function parseField(field: string, min: number, max: number, names: readonly string[] = []): ReadonlySet<number> {
  const toNumber = (text: string): number => {
    const named = names.indexOf(text.toLowerCase())
    return named === -1 ? Number(text) : named + min
  }
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/')
    const [from = '', to = part.includes('/') ? String(max) : from] =
      range === '*' ? [String(min), String(max)] : range.split('-')
    for (let value = toNumber(from); value <= toNumber(to); value += Math.max(1, Number(step))) values.add(value)
  }
  return values
}

/**
 * Converts what the clocks show, as if it were UTC, to the time.
 * @throws RangeError for an unknown time zone
 */
function createConverter(timezone: string): (shownMs: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
  const getOffsetMs = (atMs: number): number => {
    const [, sign = '', hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(atMs)) ?? []
    return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  }
  // Near a change of the clocks, the offset at the shown time is not yet that of the time.
  return (shownMs) => shownMs - getOffsetMs(shownMs - getOffsetMs(shownMs))
}

/**
 * Lists when a schedule starts a workflow, after one time and up to another.
 * @param cron five fields, which GitHub's parser has checked
 * @param timezone empty for UTC
 */
export function listScheduledTimes(cron: string, afterMs: number, untilMs: number, timezone = ''): readonly number[] {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.trim().split(/\s+/)
  const [minutes, hours] = [parseField(minute, 0, 59), parseField(hour, 0, 23)]
  const [days, months] = [parseField(day, 1, 31), parseField(month, 1, 12, MONTHS)]
  const weekdays = new Set([...parseField(weekday, 0, 7, WEEKDAYS)].map((value) => value % 7))
  // If both fields are restricted, one of them is enough.
  const isDay = (date: Date): boolean => {
    const [ofMonth, ofWeek] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
    return day.startsWith('*') || weekday.startsWith('*') ? ofMonth && ofWeek : ofMonth || ofWeek
  }
  const times: number[] = []
  const toTime = timezone === '' ? (shownMs: number): number => shownMs : createConverter(timezone)
  // Where the clocks are ahead or behind, it is another day.
  const firstDay = Math.floor(afterMs / DAY_MS) - 1
  for (let dayMs = firstDay * DAY_MS; dayMs <= untilMs + DAY_MS; dayMs += DAY_MS) {
    const date = new Date(dayMs)
    if (!months.has(date.getUTCMonth() + 1) || !isDay(date)) continue
    for (const inHour of hours)
      for (const inMinute of minutes) times.push(toTime(dayMs + (inHour * 60 + inMinute) * MINUTE_MS))
  }
  return times.filter((atMs) => atMs > afterMs && atMs <= untilMs).sort((a, b) => a - b)
}
