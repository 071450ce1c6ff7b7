import { expect, test } from '@jest/globals'
import { matchesSteps, readSteps } from '../../../src/agent/inputs/pattern-steps.ts'

function matches(pattern: string, path: string): boolean {
  const steps = readSteps(pattern)
  if (typeof steps === 'string') throw new Error(steps)
  return matchesSteps(steps, path)
}

test.each([
  ['`*` takes nothing or much, and no slash', '*', ['', 'a', 'abc'], ['/', 'a/b']],
  ['`**` takes all', 'a**c', ['ac', 'abc', 'a/b/c', 'a\nc'], ['ab']],
  ['`**/` takes folders or nothing', '**/a', ['a', 'b/a', 'b/c/a'], ['/a', 'ba', 'b/ca']],
  ['`+` takes one or more', '[ab]+c', ['ac', 'abbac'], ['c', 'adc']],
  ['`?` takes one or none', 'a?b?', ['', 'a', 'b', 'ab'], ['ba', 'aa']],
])('%s', (_name, pattern, inside, outside) => {
  expect([...inside, ...outside].filter((path) => matches(pattern, path))).toEqual(inside)
})

test('what cannot be read says why', () => {
  expect(readSteps('a[')).toContain('begins no list')
})

test('a name of dashes is refused at once by a pattern of dashes, where trying one way after the other would never end', () => {
  const dashes = '-'.repeat(5_000)
  expect(matches('**/*-*-*-*-*-*-*-*.md', `${dashes}x`)).toBe(false)
  expect(matches('**/*-*-*-*-*-*-*-*.md', `${dashes}.md`)).toBe(true)
})
