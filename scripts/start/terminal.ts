import { cleanLines } from '../../src/text/untrusted.ts'

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  underline: [4, 24],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const

export type Style = keyof typeof STYLES
export type Paint = (style: Style, text: string) => string

/** An ANSI escape of `paintWithColours`. */
const ESCAPE = /\u001b\[\d+m/g

export const paintWithColours: Paint = (style, text) => {
  const [on, off] = STYLES[style]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}

export const paintNothing: Paint = (_style, text) => text

/** Uses colors only in a terminal, and not if NO_COLOR is set. */
export function choosePaint(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  return stream.isTTY === true && !env['NO_COLOR'] ? paintWithColours : paintNothing
}

/**
 * Removes control characters and bidirectional overrides, but keeps line ends. Every text from the action or the service is
 * cleaned before it is shown.
 */
export function cleanForTerminal(text: string): string {
  return cleanLines(text).join('\n')
}

/** The number of characters without ANSI escapes. Wide characters count as one. */
function visibleLength(text: string): number {
  return Array.from(text.replace(ESCAPE, '')).length
}

/** Aligns the cells of rows. The last cell of a shorter row spans the columns that are left, and widens none. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const getWidth = (row: readonly string[], at: number): number =>
    row.length < columns && at === row.length - 1 ? 0 : visibleLength(row[at] ?? '')
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => getWidth(row, at))))
  const pad = (cell: string, at: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - visibleLength(cell)))
  return rows.map((row) => row.map(pad).join('  ').trimEnd())
}

/** A word of a command, quoted where a shell would change it. */
export function quote(word: string): string {
  if (/^[\w./:=@,-]+$/.test(word)) return word
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`
}

/** A command on its own line, because people copy it. */
export const showCommand = (flags: string): string => `\n  npm start -- ${flags}`

/** The indent of continuation lines: a list marker, or the columns before the last one. */
const INDENT = /^(?: *[•│▾] | *\[[ \dhmins]+\] |.*\S {2,}(?=\S)| *)/u

/** An address is copied from the terminal as a whole. */
const ADDRESS = /^\(?https?:\/\//

/**
 * Breaks long lines between words and indents the continuation lines. A word that is longer than a line is broken anywhere,
 * and a longer address is on its own line.
 * @param columns the width of the terminal; infinite for other streams
 */
export function wrapLines(text: string, columns: number): string {
  return text.replace(/.+/g, (line) => wrapLine(line, columns))
}

function wrapLine(line: string, columns: number): string {
  if (visibleLength(line) <= columns) return line
  const plain = line.replace(ESCAPE, '')
  const indent = INDENT.exec(plain)?.[0].length ?? 0
  const further = ' '.repeat(indent <= columns / 2 ? indent : 2)
  let wrapped = ''
  let used = 0
  for (const word of line.match(/ *[^ ]+/g) ?? []) {
    const bare = word.trimStart()
    if (used + visibleLength(word) <= columns) {
      wrapped += word
      used += visibleLength(word)
    } else if (visibleLength(bare) <= columns - further.length) {
      wrapped += `${wrapped === '' ? '' : '\n'}${further}${bare}`
      used = further.length + visibleLength(bare)
    } else if (ADDRESS.test(bare.replace(ESCAPE, ''))) {
      wrapped += wrapped === '' ? bare : `\n${bare}`
      used = Infinity
    } else {
      const pieces = cutWord(word, columns - used, columns - further.length)
      wrapped += pieces.join(`\n${further}`)
      used = further.length + visibleLength(pieces.at(-1) ?? '')
    }
  }
  return wrapped
}

/** Cuts a word into pieces of these lengths, not counting its escapes. */
function cutWord(word: string, firstLength: number, length: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let left = firstLength
  for (const character of word.match(/\u001b\[\d+m|[^]/gu) ?? []) {
    const width = visibleLength(character)
    if (width > left) {
      pieces.push(piece)
      piece = ''
      left = length
    }
    piece += character
    left -= width
  }
  return [...pieces, piece]
}
