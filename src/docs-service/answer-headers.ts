import { parseUrl } from '../runtime/url.ts'

/** About three years: more than any step has, and little enough for every date that is reckoned from it. */
const LONGEST_MS = 1e11
const LONGEST_ADDRESS = 2_048
const LONGEST_HOST = 200

/** Every form of an HTTP date begins with the day of the week. One without a zone is in UTC too. */
function parseHttpDate(text: string | undefined): number {
  if (text === undefined || !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return NaN
  return Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
}

/**
 * How long an answer's `Retry-After` asks to wait, in milliseconds, or undefined if it says nothing usable. A date is
 * read against the answer's own `Date`, so that a clock that is off here does no harm. What is past counts as 0.
 */
export function parseRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  const value = retryAfter?.trim() ?? ''
  // `Date.parse('5')` is a day in 2001, and `Number('1e400')` is Infinity: only plain digits are seconds.
  const delayMs = /^-?\d+$/.test(value) ? Number(value) * 1000 : parseHttpDate(value) - parseHttpDate(date?.trim())
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), LONGEST_MS)
}

/** The host that a `Location` header names, where it is fit to be shown; undefined for a path of the same host. */
export function redirectHost(location: string | undefined): string | undefined {
  if (location === undefined || location.length > LONGEST_ADDRESS) return undefined
  const address = location.startsWith('//') ? `https:${location}` : location
  const host = /^https?:\/\//i.test(address) ? (parseUrl(address)?.host ?? '') : ''
  return host.length <= LONGEST_HOST && /^[a-z0-9.:[\]-]+$/.test(host) ? host : undefined
}
