/** @import { Mutant } from './mutants.mjs' */

const SECTION = /(<!-- mutants:[^\n]*-->)[^]*?(<!-- \/mutants -->)/g

/**
 * A Markdown table with its columns padded as the formatter pads them.
 * @param {readonly Mutant[]} mutants
 */
export function renderMutantTable(mutants) {
  const rows = [
    ['Mutant', 'What goes wrong with it', 'Killed by'],
    ...mutants.map(({ name, sentence, tests }) => [
      `\`${name}\``,
      sentence,
      tests.map((test) => `\`${test.replace('__tests__/', '')}\``).join(', '),
    ]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const [heading, ...body] = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  return [heading ?? [], widths.map((width) => '-'.repeat(width)), ...body]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

/**
 * @param {string} text
 * @param {readonly Mutant[]} mutants
 * @throws {Error} Where the markers are not there exactly once.
 */
export function replaceMutantTable(text, mutants) {
  if (text.match(SECTION)?.length !== 1) throw new Error('The markers of the mutants have to be there once.')
  return text.replace(
    SECTION,
    (_, open, close) => `${String(open)}\n\n${renderMutantTable(mutants)}\n\n${String(close)}`,
  )
}
