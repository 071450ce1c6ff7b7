import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const folder = new URL('../../dist/agent/', import.meta.url)
const hasClient = (name: string): boolean => /octokit/i.test(readFileSync(new URL(name, folder), 'utf8'))

test('what talks to GitHub is apart from the program, so that a step that asks it nothing does not pay for it', () => {
  const parts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  expect(hasClient('index.js')).toBe(false)
  expect(parts.some(hasClient)).toBe(true)
})
