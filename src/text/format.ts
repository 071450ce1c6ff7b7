/** A duration in words: `7 s`, `4 min 12 s`, `1 h 2 s`. Takes milliseconds, shows whole seconds passed. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts = { h: Math.floor(seconds / 3_600), min: Math.floor(seconds / 60) % 60, s: seconds % 60 }
  const shown = Object.entries(parts).filter(([, count]) => count > 0)
  return shown.map(([unit, count]) => `${count} ${unit}`).join(' ') || '0 s'
}

/** A point in time as people read it, in UTC: `2026-01-31 03:00:05`. */
export function formatUtc(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** An offset can move the first hours of the year 0 before it, where ISO 8601 has longer years. */
const isWithinFourDigitYears = (at: Date): boolean => /^\d{4}-/.test(at.toISOString())

/** The same of a time that somebody else wrote, with `UTC` behind it. What is none, or names no zone, stays as it is. */
export function readableTime(text: string): string {
  const at = new Date(ISO_TIME.test(text) ? text : Number.NaN)
  return Number.isNaN(at.getTime()) || !isWithinFourDigitYears(at) ? text : `${formatUtc(at)} UTC`
}

/** A sentence as it is said to people: with a period, unless it ends in a mark of its own. */
export function asSentence(text: string): string {
  return /[.!?:…]["'”)]*$/.test(text) ? text : `${text}.`
}

/** `1 file`, `2 files` */
export const formatCount = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

/** Sentences as one text, without what is none. After a list each gets a line of its own. */
export function joinSentences(sentences: readonly (string | false | undefined)[]): string {
  const said = sentences.filter(Boolean) as string[]
  return said.map(asSentence).join(said.some((sentence) => sentence.includes('\n')) ? '\n' : ' ')
}

/** `a`, `a and b`, `a, b and c` */
export function joinWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ')
}
