import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { getLeastKilled } from '../scripts/mutants/score.ts'
import { PROXY_FAULTS } from './faults/proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS } from './faults/service-faults.ts'
import { root } from './support/markdown-files.ts'

const document = readFileSync(`${root}docs/internals/how-it-is-proven.md`, 'utf8')

/** The rows of all tables of the section, except headings and rules. */
const rows = document
  .slice(document.indexOf('\n## What can go wrong'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (-+|What goes wrong) /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

/** A test file, and the name of a fault in it. */
const GUARD = /^`([\w./-]+\.test\.ts)`(?: \(`([\w.-]+)`\))?$/

function findFault(file: string, name: string | undefined): boolean {
  // Without a fault's name, the test file itself is the guard.
  if (name === undefined) return true
  return file === 'faults/faults.test.ts' && [SERVICE_FAULTS, PROXY_FAULTS, TLS_FAULTS].some((faults) => name in faults)
}

test('every row of what can go wrong says what happens and names existing tests', () => {
  const wrong = rows.filter(([, what = '', then = '', guards = '']) => {
    const areThere = guards.split(', ').every((guard) => {
      const [, file = '', fault] = GUARD.exec(guard) ?? []
      return existsSync(`${root}__tests__/${file || 'none'}`) && findFault(file, fault)
    })
    return what === '' || then === '' || guards === '' || !areThere
  })
  expect(rows.length).toBeGreaterThan(70)
  expect(wrong).toEqual([])
})

/** The row of the newest sample of mutants for all kinds: tried, killed by types, by tests, timed out, survived, share. */
const [, tried = NaN, types = NaN, tests = NaN, timedOut = NaN, survived = NaN, share = NaN] = (
  /^\| all .*$/m.exec(document.split('<!-- mutants:')[1] ?? '')?.[0] ?? ''
)
  .split('|')
  .map((cell) => parseInt(cell.trim() || 'NaN', 10))
  .slice(1)

test('the newest sample of mutants is consistent', () => {
  expect(tried).toBeGreaterThan(0)
  expect(types + tests + timedOut + survived).toBe(tried)
  expect(share).toBe(Math.round((100 * (tried - survived)) / tried))
})

test('the nightly run expects the score of the newest sample, less the usual variation', () => {
  const nightly = readFileSync(`${root}.github/workflows/nightly.yml`, 'utf8')
  const [, sample = '', score = ''] = /--sample (\d+) --score (\d+)/.exec(nightly) ?? []
  expect(share).toBeGreaterThanOrEqual(Number(score))
  const least = getLeastKilled(Number(sample), Number(score) / 100)
  expect(document).toContain(
    `one of a hundred nights when the tests kill ${score}% of all mutants: fewer than ${least}.`,
  )
})
