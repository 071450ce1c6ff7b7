/** Formats numbers, times and sentences for people. */

/** Formats milliseconds as full seconds: `7 s`, `4 min 12 s`, `1 h 2 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts = { h: Math.floor(seconds / 3_600), min: Math.floor(seconds / 60) % 60, s: seconds % 60 }
  const present = Object.entries(parts).filter(([, count]) => count > 0)
  return present.map(([unit, count]) => `${count} ${unit}`).join(' ') || '0 s'
}

/** Formats a time in UTC: `2026-01-31 03:00:05`. */
export function formatUtc(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Formats an untrusted ISO 8601 time, followed by `UTC`. Returns any other text, or a time without a zone, unchanged.
 */
export function readableTime(text: string): string {
  const at = new Date(ISO_TIME.test(text) ? text : Number.NaN)
  return Number.isNaN(at.getTime()) ? text : `${formatUtc(at)} UTC`
}

/** Adds a period, unless the text ends with punctuation. */
export function asSentence(text: string): string {
  return /[.!?:…]["'”)]*$/.test(text) ? text : `${text}.`
}

/** `1 file`, `2 files` */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`

export const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Joins sentences and skips empty ones. If one of them contains a list, each gets its own line. */
export function joinSentences(sentences: readonly (string | false | undefined)[]): string {
  const present = sentences.filter(Boolean) as string[]
  return present.map(asSentence).join(present.some((sentence) => sentence.includes('\n')) ? '\n' : ' ')
}

/** `a`, `a and b`, `a, b and c` */
export function joinWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ')
}
