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

/** A switch of a style, as `paintWithColours` writes it. */
const SWITCH = /\u001b\[\d+m/g

export const paintWithColours: Paint = (style, text) => {
  const [on, off] = STYLES[style]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}

export const paintNothing: Paint = (_style, text) => text

/** Colours only in a terminal, and not if NO_COLOR is set to anything. */
export function choosePaint(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  return stream.isTTY === true && !env['NO_COLOR'] ? paintWithColours : paintNothing
}

/**
 * Takes away what could steer a terminal or reverse what is read. Line ends stay. Everything that comes from the action or
 * the service goes through here before it is shown.
 */
export function cleanForTerminal(text: string): string {
  return cleanLines(text).join('\n')
}

/** How many columns a text takes, colours left aside; wide characters count as one. */
function visibleLength(text: string): number {
  return Array.from(text.replace(SWITCH, '')).length
}

export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => visibleLength(row[at] ?? ''))),
  )
  const pad = (cell: string, at: number): string => cell + ' '.repeat((widths[at] ?? 0) - visibleLength(cell))
  return rows.map((row) => row.map(pad).join('  ').trimEnd())
}

/** What further lines are indented by: a mark of a list, or the columns before the last one. */
const INDENT = /^(?: *[•│▾] | *\[[ \dhmins]+\] |.*\S {2,}(?=\S)| *)/u

/**
 * Breaks long lines between words; further lines stand under the text of the first. A word that is longer than a line, such
 * as an address, is left whole. A bar that does not fit is left out.
 * @param columns how wide the terminal is; infinite if it is none
 */
export function wrapLines(text: string, columns: number): string {
  return text.replace(/.+/g, (line) => wrapLine(line, columns))
}

/** The last cell of a row, drawn of blocks, which says again what a number before it says. */
const BAR = / +[█▉▊▋▌▍▎▏]+$/u

function wrapLine(whole: string, columns: number): string {
  if (visibleLength(whole) <= columns) return whole
  const line = whole.replace(BAR, '')
  if (visibleLength(line) <= columns) return line
  const plain = line.replace(SWITCH, '')
  const indent = INDENT.exec(plain)?.[0].length ?? 0
  const further = ' '.repeat(indent <= columns / 2 ? indent : 2)
  let wrapped = ''
  let used = 0
  for (const word of line.match(/ *[^ ]+/g) ?? []) {
    const length = visibleLength(word)
    const breaks = used > further.length && used + length > columns
    wrapped += breaks ? `\n${further}${word.trimStart()}` : word
    used = breaks ? further.length + visibleLength(word.trimStart()) : used + length
  }
  return wrapped
}
