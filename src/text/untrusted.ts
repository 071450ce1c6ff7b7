const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** C0 and C1 controls, and the characters that are invisible or reorder what stands around them. */
export const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu

/**
 * What a terminal takes for a command: CSI, then OSC and its kin up to their end, then all others. No part can match what the
 * next one begins with, and none runs past the beginning of another sequence, so that the time is in proportion to the text.
 */
export const TERMINAL_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|\u009d)[^\u0007\u001b\u009c\u009d]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g

/** The length at which a name of a check, an author or a file is cut in a sentence, in characters. */
export const MAX_NAME_CHARS = 100

function cleanLine(line: string): string {
  return (
    line
      .replace(TERMINAL_SEQUENCE, '')
      .toWellFormed()
      .replaceAll('\t', ' ')
      .replace(INVISIBLE, '')
      // The runner reads `##[command]` anywhere in a line.
      .replaceAll('##[', '# #[')
  )
}

/** What does not show may take so many times the room of what does; more of a text than that is not looked at. */
const RAW_PER_SHOWN = 16

/** The beginning that is enough to show `maxLength` characters of. */
function cutRaw(text: string, maxLength: number): string {
  const most = RAW_PER_SHOWN * maxLength
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

const asItIs = (text: string): string => text

/**
 * Splits a text that a stranger controls into lines that are safe to print: no control, invisible or direction-changing
 * characters, and nothing that the runner takes for a command in the middle of a line. The caller prefixes each line,
 * because a line that begins with `::` is a command too. It is cut before it is cleaned, as time is not the stranger's.
 * @param maxLength what the caller shows at most, and cuts to
 * @param redact takes secrets out first, as half a secret is found by nobody, and again, as cleaning may put one together
 */
export function cleanLines(text: string, maxLength = Infinity, redact = asItIs): string[] {
  const lines = cutRaw(redact(text), maxLength).split(LINE_END)
  return lines.map((line) => redact(cleanLine(line)))
}

/** The same as one line of at most `maxLength` code points. */
export function oneLine(text: string, maxLength: number, redact = asItIs): string {
  return cutText(redact(cleanLines(text, maxLength, redact).join(' ').trim()), maxLength)
}

/** Cuts between code points, and shows that it did. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const characters = Array.from(text)
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Cuts to at most `maxBytes` bytes of UTF-8, never inside a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  // No text takes more than 3 bytes for each unit of UTF-16.
  const room = new Uint8Array(Math.max(0, Math.min(maxBytes, 3 * text.length)))
  const { read } = new TextEncoder().encodeInto(text, room)
  return text.slice(0, read)
}

interface Fitting {
  readonly texts: readonly string[]
  readonly bytesLeft: number
  readonly isWhole: boolean
}

/** The texts of the first items, as many as fit into `maxBytes` bytes of UTF-8. */
export function takeFitting<T>(items: readonly T[], render: (item: T) => string, maxBytes: number): Fitting {
  const texts: string[] = []
  let bytesLeft = maxBytes
  for (const item of items) {
    const text = render(item)
    if (Buffer.byteLength(text) > bytesLeft) return { texts, bytesLeft, isWhole: false }
    texts.push(text)
    bytesLeft -= Buffer.byteLength(text)
  }
  return { texts, bytesLeft, isWhole: true }
}
