/** A point in time as people read it, in UTC: `2026-01-31 03:00:05`. */
export function formatUtc(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** An offset can move the first hours of the year 0 before it, where ISO 8601 has longer years. */
export const isWithinFourDigitYears = (at: Date): boolean => /^\d{4}-/.test(at.toISOString())

/** The same of a time that somebody else wrote, with `UTC` behind it. What is none, or names no zone, stays as it is. */
export function readableTime(text: string): string {
  const at = new Date(ISO_TIME.test(text) ? text : Number.NaN)
  return Number.isNaN(at.getTime()) || !isWithinFourDigitYears(at) ? text : `${formatUtc(at)} UTC`
}
