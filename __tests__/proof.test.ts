import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from './support/markdown-files.ts'

const document = readFileSync(`${root}docs/internals/how-it-is-proven.md`, 'utf8')

/** The rows of all tables of the section, but for headings and rules. */
const rows = document
  .slice(document.indexOf('\n## What can go wrong'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (-+|What goes wrong) /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('every row of what can go wrong says what happens and names tests that are there', () => {
  const wrong = rows.filter(([, what = '', then = '', guards = '']) => {
    const areThere = guards.split(', ').every((file) => existsSync(`${root}__tests__/${file.replaceAll('`', '')}`))
    return what === '' || then === '' || guards === '' || !areThere
  })
  expect(rows.length).toBeGreaterThan(70)
  expect(wrong).toEqual([])
})
