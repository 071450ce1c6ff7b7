import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from '../testing/markdown-files.ts'

const PAGE = readFileSync(`${root}docs/internals/github.md`, 'utf8')
const NAMED_TEST = /`(__tests__\/[^`]+\.test\.ts)`: “(.+?)”(?=;| *$)/g

/** The rows of all tables on the page. */
const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('|') && !/^\|[ -]+\|[ -|]+$/.test(line) && !/^\| Fact +\|/.test(line))
  .map((line) => line.split('|').slice(1, -1))
  .map(([fact = '', source = '', tests = '']) => ({ fact: fact.trim(), source: source.trim(), tests: tests.trim() }))

/** The title of a page, a thread, or GitHub's description of its API. */
const SOURCE = /“.+”|[\w.-]+\/[\w.-]+#\d+|API description|claude-code-action/

/** Whether a test file has a title, or a row of a table of tests, of this name. */
function hasTest(path: string, name: string): boolean {
  if (!existsSync(root + path)) return false
  const text = readFileSync(root + path, 'utf8')
  return [`'${name}'`, `"${name}"`, `\`${name}\``].some((literal) => text.includes(literal))
}

test('the page lists the facts that the action depends on', () => {
  expect(rows.length).toBeGreaterThan(30)
  expect(new Set(rows.map(({ fact }) => fact)).size).toBe(rows.length)
})

test.each(rows)('“$fact” has a public source and a test that exists', ({ source, tests }) => {
  expect(source).toMatch(SOURCE)
  const named = Array.from(tests.matchAll(NAMED_TEST), ([, path = '', name = '']) => ({ path, name }))
  expect(named).not.toEqual([])
  expect(named.filter(({ path, name }) => !hasTest(path, name))).toEqual([])
  // The cell contains nothing else.
  expect(tests.replace(NAMED_TEST, '').replaceAll(/[; ]/g, '')).toBe('')
})
