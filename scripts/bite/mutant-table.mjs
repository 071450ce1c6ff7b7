import { renderTable, replaceBetweenMarkers } from '../markdown-tables.mjs'

/** @import { Mutant } from './mutants.mjs' */

/** @param {readonly Mutant[]} mutants */
export function renderMutantTable(mutants) {
  return renderTable([
    ['Mutant', 'What goes wrong with it', 'Killed by'],
    ...mutants.map(({ name, sentence, tests }) => [
      `\`${name}\``,
      sentence,
      tests.map((test) => `\`${test.replace('__tests__/', '')}\``).join(', '),
    ]),
  ])
}

/**
 * @param {string} document
 * @param {string} text
 * @param {readonly Mutant[]} mutants
 * @throws {Error} Where the markers are not there exactly once.
 */
export function replaceMutantTable(document, text, mutants) {
  return replaceBetweenMarkers(document, text, 'mutants', renderMutantTable(mutants))
}
