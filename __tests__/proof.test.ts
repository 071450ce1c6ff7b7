import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { PROXY_FAULTS } from './faults/proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS } from './faults/service-faults.ts'
import { root } from '../testing/markdown-files.ts'

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
