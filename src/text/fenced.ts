import { cleanLines, cutToBytes, oneLine } from './untrusted.ts'

const LONGEST_NAME = 300
/** Longer runs of backticks would need fences that eat the budget. */
const LONGEST_RUN = 32
/** What the longest two fences take. */
export const MOST_FENCE_BYTES = 2 * (LONGEST_RUN + 1)

export const bytesOf = (text: string): number => Buffer.byteLength(text)

function withoutLongRuns(text: string): string {
  return text.replace(/`{33,}/g, '`'.repeat(LONGEST_RUN))
}

/** Tabs mean something in a diff; what is invisible in it is for no reader, and may have stood between backticks. */
export function cleanBlock(text: string): string {
  const parts = text.split('\t')
  return withoutLongRuns(parts.map((part) => cleanLines(part).join('\n')).join('\t'))
}

export const cleanName = (text: string): string => withoutLongRuns(oneLine(text, LONGEST_NAME))

/** The beginning of a text that fits, cut at the end of a line where one is near, else between two characters. */
export function cutBlock(text: string, maxBytes: number): string {
  if (maxBytes < 1) return ''
  const cut = cutToBytes(text, maxBytes - 1)
  const lineEnd = cut.lastIndexOf('\n')
  return lineEnd > cut.length / 2 ? cut.slice(0, lineEnd + 1) : `${cut}\n`
}

/** Puts a cleaned text that ends with a line between two fences, which nothing inside can end. */
export function fenced(text: string): string {
  let longest = 3
  // Not spread into `Math.max`, which takes no more arguments than the stack has room for.
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text}${fence}`
}
