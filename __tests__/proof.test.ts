import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { renderMutantTable } from '../scripts/bite/mutant-table.mjs'
import { MUTANTS } from '../scripts/bite/mutants.mjs'
import { root } from './support/markdown-files.ts'
import { testNames } from './support/scan-tests.ts'

const document = readFileSync(`${root}docs/how-it-is-proven.md`, 'utf8')

const section = document.slice(document.indexOf('\n## What can go wrong'))

/** The rows of all tables of the section, but for headings and rules. */
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (-+|What goes wrong) /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

/** A name ends where the next file begins, or the cell: it may hold quotation marks of its own. */
function guardsIn(cell: string): { file: string; name: string }[] {
  return [...cell.matchAll(/`([\w/.-]+\.test\.ts)`: “(.*?)”(?=, `|$)/g)].map(([, file = '', name = '']) => ({
    file,
    name,
  }))
}

test('every row of what can go wrong says what happens and names the tests that guard it', () => {
  const problems = rows.filter(
    ([, what = '', then = '', guards = '']) => what === '' || then === '' || guardsIn(guards).length === 0,
  )
  expect(rows.length).toBeGreaterThan(70)
  expect(problems).toEqual([])
})

test('every test that is named as a guard is there', () => {
  const missing = rows
    .flatMap(([, , , guards = '']) => guardsIn(guards))
    .filter(({ file, name }) => {
      const path = `${root}__tests__/${file}`
      return !existsSync(path) || !testNames(readFileSync(path, 'utf8')).includes(name)
    })
  expect(missing).toEqual([])
})

test('nothing in a cell of guards is lost because it is written in another way', () => {
  const torn = rows.filter(
    ([, , , guards = '']) =>
      guardsIn(guards)
        .map(({ file, name }) => `\`${file}\`: “${name}”`)
        .join(', ') !== guards,
  )
  expect(torn).toEqual([])
})

test('the table of mutants is what the list says', () => {
  expect(document).toContain(`\n\n${renderMutantTable(MUTANTS)}\n\n<!-- /mutants -->`)
})

test('every mutant has a name of its own, and its text is in its file exactly once', () => {
  const names = MUTANTS.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  const stale = MUTANTS.filter(({ file, find }) => readFileSync(`${root}${file}`, 'utf8').split(find).length !== 2)
  expect(stale.map(({ name }) => name)).toEqual([])
})

test('every mutant is to be killed by tests that are there', () => {
  const missing = MUTANTS.filter(
    ({ tests }) => tests.length === 0 || !tests.every((path) => existsSync(`${root}${path}`)),
  )
  expect(missing.map(({ name }) => name)).toEqual([])
})
