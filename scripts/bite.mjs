/**
 * Tests the tests: puts one small defect after the other into a copy of the project, and expects the tests that are named
 * for it to fail. The work tree is never touched.
 *
 *   node scripts/bite.mjs            tries all mutants; exits 1 if one survives
 *   node scripts/bite.mjs wall http  tries those with one of these words in their names
 *   node scripts/bite.mjs --table    writes the table of mutants into docs/how-it-is-proven.md, and tries none
 */
import { readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { replaceMutantTable } from './bite/mutant-table.mjs'
import { MUTANTS } from './bite/mutants.mjs'
import { openSandbox } from './bite/sandbox.mjs'

/** @import { Mutant } from './bite/mutants.mjs' */
/** @import { Results, Sandbox } from './bite/sandbox.mjs' */

const SANDBOXES = 2
const DOCUMENT = path.join(import.meta.dirname, '../docs/how-it-is-proven.md')

/**
 * The test files of a run that are not as they should be.
 * @param {Results} results
 * @param {'passed' | 'failed'} wanted
 */
function unlike(results, wanted) {
  return Object.entries(results)
    .filter(([, result]) => result !== wanted)
    .map(([test, result]) => `${test} ${result}`)
}

/**
 * Tests that fail anyway kill everything, so each has to pass on the code as it is.
 * @param {Sandbox} sandbox
 * @param {readonly Mutant[]} mutants
 */
async function expectHealth(sandbox, mutants) {
  const problems = unlike(await sandbox.runTests([...new Set(mutants.flatMap(({ tests }) => tests))]), 'passed')
  if (problems.length > 0) throw new Error(`Without any mutant:\n${problems.join('\n')}`)
}

/**
 * @param {Sandbox} sandbox
 * @param {Mutant[]} waiting Taken from its front.
 * @returns {Promise<number>} How many mutants survived.
 */
async function bite(sandbox, waiting) {
  let survivors = 0
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const began = performance.now()
    const problems = unlike(await sandbox.tryMutant(mutant), 'failed')
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(5)
    const verdict = problems.length === 0 ? `killed by ${mutant.tests.join(', ')}` : `SURVIVED: ${problems.join(', ')}`
    console.log(`${mutant.name.padEnd(36)} ${seconds} s  ${verdict}`)
    if (problems.length > 0) survivors++
  }
  return survivors
}

/** @param {readonly string[]} words */
async function tryMutants(words) {
  const mutants = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  const sandboxes = Array.from({ length: SANDBOXES }, openSandbox)
  try {
    const [first] = sandboxes
    if (first !== undefined) await expectHealth(first, mutants)
    const waiting = [...mutants]
    const survivors = (await Promise.all(sandboxes.map((sandbox) => bite(sandbox, waiting)))).reduce((a, b) => a + b)
    console.log(`\n${mutants.length} mutants, ${survivors} survived`)
    if (mutants.length === 0 || survivors > 0) process.exitCode = 1
  } finally {
    for (const sandbox of sandboxes) sandbox.remove()
  }
}

if (process.argv.includes('--table')) {
  writeFileSync(DOCUMENT, replaceMutantTable('docs/how-it-is-proven.md', readFileSync(DOCUMENT, 'utf8'), MUTANTS))
} else {
  await tryMutants(process.argv.slice(2))
}
