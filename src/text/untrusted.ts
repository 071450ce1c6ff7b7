/** Makes untrusted text safe to print: without control characters and of a limited length. */

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** C0 and C1 controls, and characters that are invisible or change the direction of text. */
export const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu

/**
 * The escape sequences of terminals: CSI, then OSC and similar strings with their terminators, then all others. No part
 * of the pattern can match what the next part begins with, and no match continues past the beginning of another
 * sequence, so that its time is linear.
 */
export const TERMINAL_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|\u009d)[^\u0007\u001b\u009c\u009d]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g

/** Sentences cut the names of checks, authors and files to this length. */
export const MAX_NAME_CHARS = 100

/** How many characters are read for each character that is shown, because some are invisible. */
const RAW_PER_SHOWN = 16

const identity = (text: string): string => text

/**
 * Splits an untrusted text into lines that are safe to print: without control, invisible and direction-changing
 * characters, and without a workflow command in the middle of a line. The caller prefixes each line, because a line
 * that begins with `::` is also a command.
 * @param maxLength how many characters the caller shows; a text that is much longer is cut before it is cleaned, so that
 *   cleaning takes a limited time
 * @param redact applied before the text is cut, because half a secret is not found, and again after each line is
 *   cleaned, because that can join the parts of a secret
 */
export function cleanLines(text: string, maxLength = Infinity, redact = identity): string[] {
  const redacted = redact(text)
  const maxRawLength = RAW_PER_SHOWN * maxLength
  const isCut = redacted.length > maxRawLength
  const raw = isCut ? `${redacted.slice(0, maxRawLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : redacted
  return raw.split(LINE_END).map((line) =>
    redact(
      line
        .replace(TERMINAL_SEQUENCE, '')
        .toWellFormed()
        .replaceAll('\t', ' ')
        .replace(INVISIBLE, '')
        // The runner reads `##[command]` anywhere in a line.
        .replaceAll('##[', '# #['),
    ),
  )
}

/** Cleans a text like `cleanLines`, and joins it to one line of at most `maxLength` code points. */
export function oneLine(text: string, maxLength: number, redact = identity): string {
  return cutText(redact(cleanLines(text, maxLength, redact).join(' ').trim()), maxLength)
}

/** Cuts a text to at most `maxLength` code points, and marks the cut with `…`. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const characters = Array.from(text)
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Cuts a text to at most `maxBytes` bytes of UTF-8, never inside of a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  // UTF-8 needs at most 3 bytes for each code unit of UTF-16.
  const buffer = new Uint8Array(Math.max(0, Math.min(maxBytes, 3 * text.length)))
  const { read } = new TextEncoder().encodeInto(text, buffer)
  return text.slice(0, read)
}

/** Workflow commands and line ends: a workflow may print an output to its log. */
const COMMAND = `##(?=\\[)|::|${INVISIBLE.source}`
/**
 * What GitHub can take for credentials: a header, its value, and GitHub's own tokens. GitHub drops a whole output of a job, with
 * only a warning, if it may contain a secret.
 */
const CREDENTIALS = String.raw`(?<=\bauthorization *):|(?<=\b(?:basic|bearer)) +(?=[^\s"])|(?<=\b(?:gh[a-z]|github_pat))_`
const UNSAFE_IN_OUTPUT = new RegExp(`${COMMAND}|${CREDENTIALS}`, 'giu')

/** Renders an output as JSON on one line. The escaped characters only occur inside strings. Undefined becomes null. */
export function toOutputJson(value: unknown): string {
  const toEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  const json = JSON.stringify(value, (_key, field: unknown) => field ?? null)
  return json.replace(UNSAFE_IN_OUTPUT, (found) => found.split('').map(toEscape).join(''))
}

interface Fitting {
  readonly texts: readonly string[]
  readonly bytesLeft: number
  readonly isComplete: boolean
}

/** Renders items in order, as many as fit into `maxBytes` bytes of UTF-8. */
export function takeFitting<T>(items: readonly T[], render: (item: T) => string, maxBytes: number): Fitting {
  const texts: string[] = []
  let bytesLeft = maxBytes
  for (const item of items) {
    const text = render(item)
    if (Buffer.byteLength(text) > bytesLeft) return { texts, bytesLeft, isComplete: false }
    texts.push(text)
    bytesLeft -= Buffer.byteLength(text)
  }
  return { texts, bytesLeft, isComplete: true }
}
