/**
 * @typedef {'bold' | 'dim' | 'underline' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan'} Style
 * @typedef {(style: Style, text: string) => string} Paint
 */

const ESCAPE = '\u001b['

/** The codes that switch a style on and off again. @type {Record<Style, readonly [number, number]>} */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  underline: [4, 24],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
}

/** @type {Paint} */
export const paintWithColours = (style, text) => {
  const [on, off] = STYLES[style]
  return text === '' ? '' : `${ESCAPE}${on}m${text}${ESCAPE}${off}m`
}

/** @type {Paint} */
export const paintNothing = (_style, text) => text

/**
 * @param {{ isTTY?: boolean }} stream
 * @param {Record<string, string | undefined>} env
 * @returns {Paint} colours only in a terminal, and not where NO_COLOR is set to anything
 */
export function choosePaint(stream, env) {
  return stream.isTTY === true && !env['NO_COLOR'] ? paintWithColours : paintNothing
}

/**
 * Takes away what could steer a terminal (control characters) or reverse what is read (bidirectional ones). Line ends and
 * tabs stay. Everything that comes from the action or the service goes through here before it is shown.
 *
 * @param {string} text
 * @returns {string}
 */
export function cleanForTerminal(text) {
  return text
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '')
}

/**
 * @param {string} text
 * @returns {number} how many columns it takes, colours left aside; wide characters count as one
 */
export function visibleLength(text) {
  return Array.from(text.replace(/\u001b\[\d+m/g, '')).length
}

/**
 * @param {readonly (readonly string[])[]} rows
 * @returns {string[]} a line for each row, its columns under one another
 */
export function alignColumns(rows) {
  /** @type {number[]} */
  const widths = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell))
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visibleLength(cell)))
      .join('  ')
      .trimEnd(),
  )
}
