import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { PROXY_FAULTS } from './faults/proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS } from './faults/service-faults.ts'
import { root } from '../testing/markdown-files.ts'

const document = readFileSync(`${root}docs/internals/how-it-is-proven.md`, 'utf8')

/** The lines of what can go wrong: what it is, what happens then, and the tests that guard it. */
const lines = document
  .slice(document.indexOf('\n## What can go wrong'))
  .split('\n')
  .filter((line) => line.startsWith('- '))
  .map((line) => {
    const [, what, then, guards = ''] = /^- (.+): (.+?)\. (`.+)$/.exec(line) ?? []
    return { line, what, then, guards: guards.split(/, (?![^(]*\))/) }
  })

/** A test file, and the names of faults in it. */
const GUARD = /^`([\w./-]+\.test\.ts)`(?: \((`[\w.-]+`(?:, `[\w.-]+`)*)\))?$/

const FAULTS = new Set([SERVICE_FAULTS, PROXY_FAULTS, TLS_FAULTS].flatMap((faults) => Object.keys(faults)))

function isThere(guard: string): boolean {
  const [, file = 'none', faults] = GUARD.exec(guard) ?? []
  if (!existsSync(`${root}__tests__/${file}`)) return false
  // Without faults, the test file itself is the guard.
  if (faults === undefined) return true
  return file === 'faults/faults.test.ts' && faults.split(', ').every((name) => FAULTS.has(name.slice(1, -1)))
}

test('every line of what can go wrong says what happens and names existing tests', () => {
  const wrong = lines.filter(({ what, then, guards }) => !what || !then || !guards.every(isThere))
  expect(lines.length).toBeGreaterThan(50)
  expect(lines.flatMap(({ guards }) => guards).length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})
