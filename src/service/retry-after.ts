/**
 * How long an answer's `Retry-After` asks to wait, in milliseconds, or undefined where it says nothing usable. A date is
 * read against the answer's own `Date`, so that a clock that is off here does no harm. What is past counts as 0.
 */
export function parseRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  const value = retryAfter?.trim() ?? ''
  // `Date.parse('5')` is a day in 2001, and `Number('1e400')` is Infinity: only plain digits are seconds.
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  if (/^-\d+$/.test(value)) return 0
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined
  const delayMs = Date.parse(value) - Date.parse(date ?? '')
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : undefined
}
