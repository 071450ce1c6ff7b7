import { expect, test } from '@jest/globals'
import { FAIL_ON, failOnInput } from '../../../src/agent/inputs/fail-on.ts'
import { readInput } from '../../../src/action/parse-inputs.ts'

const WITH_BOTH = { 'wait-for-checks': ' True ', 'allowed-paths': 'docs/**' }

/** The words, or what is wrong with them. */
function read(text: string, raw: Readonly<Record<string, string>> = {}): unknown {
  const read = readInput(failOnInput, text, raw)
  return read.kind === 'value' ? [...read.value] : read.problems.join(' ')
}

test.each([
  ['none', []],
  ['failed', ['failed']],
  ['failed,archived , timeout\nno-changes', ['failed', 'archived', 'timeout', 'no-changes']],
  [FAIL_ON.join(', '), FAIL_ON],
])('reads %j', (text, expected) => {
  expect(read(text, WITH_BOTH)).toEqual(expected)
})

test.each([
  ['nothing else', {}, []],
  ['`wait-for-checks`', { 'wait-for-checks': 'true' }, ['checks']],
  ['`allowed-paths`', { 'allowed-paths': 'docs/**' }, ['out-of-scope']],
  ['both', WITH_BOTH, ['checks', 'out-of-scope']],
])('by default what was asked for counts: with %s', (_name, raw, asked) => {
  for (const text of ['', ' \n']) expect(read(text, raw)).toEqual(['failed', 'archived', 'timeout', ...asked])
})

test('what counts by default is a wrong input if it is written down and cannot be known', () => {
  expect(read('failed, archived, timeout, checks, out-of-scope')).toMatch(/`checks`.* `out-of-scope`/)
})

test.each(['failed, unconfirmed', 'none, failed', ',', ' , \n', 'Failed'])('refuses %j', (text) => {
  expect(read(text)).toMatch(/^must be a list of `failed`, .*, or `none` alone$/)
})

test.each([
  ['checks', { ...WITH_BOTH, 'wait-for-checks': 'false' }, '`wait-for-checks: true`'],
  ['out-of-scope', { ...WITH_BOTH, 'allowed-paths': ' ' }, '`allowed-paths`'],
])('%s is known only with another input', (word, raw, needed) => {
  expect(read(word, WITH_BOTH)).toEqual([word])
  expect(read(word, raw)).toBe(`has \`${word}\`, which is known only with ${needed}`)
})
