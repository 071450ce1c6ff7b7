import { stripVTControlCharacters } from 'node:util'

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** C0 and C1 controls, and the characters that are invisible or reorder what stands around them. */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

function cleanLine(line: string): string {
  return (
    stripVTControlCharacters(line)
      .toWellFormed()
      .replaceAll('\t', ' ')
      .replace(INVISIBLE, '')
      // The runner reads `##[command]` anywhere in a line.
      .replaceAll('##[', '# #[')
  )
}

/**
 * Splits a text that a stranger controls into lines that are safe to print: no control, invisible or direction-changing
 * characters, and nothing that the runner takes for a command in the middle of a line. The caller prefixes each line,
 * because a line that begins with `::` is a command too.
 */
export function cleanLines(text: string): string[] {
  return text.split(LINE_END).map(cleanLine)
}

/** The same as one line of at most `maxLength` code points. */
export function oneLine(text: string, maxLength: number): string {
  return cutText(cleanLines(text).join(' ').trim(), maxLength)
}

/** Cuts between code points, and shows that it did. */
export function cutText(text: string, maxLength: number): string {
  const characters = Array.from(text)
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Cuts to at most `maxBytes` bytes of UTF-8, never inside a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && isContinuationByte(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

function isContinuationByte(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
