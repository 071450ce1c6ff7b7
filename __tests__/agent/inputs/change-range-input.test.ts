import { expect, test } from '@jest/globals'
import { changeRangeInput } from '../../../src/agent/inputs/change-range-input.ts'
import { readInput } from '../../../src/action/parse-inputs.ts'

test.each<[string, object]>([
  ['', { kind: 'event' }],
  [' since-last-success ', { kind: 'since-last-success' }],
  ['v1.0.0...main', { kind: 'between', base: 'v1.0.0', head: 'main' }],
  ['release/1.x...0123abc', { kind: 'between', base: 'release/1.x', head: '0123abc' }],
  ['acme/code@v1...v2', { kind: 'between', repository: 'acme/code', base: 'v1', head: 'v2' }],
  ['cli@1.0.0...cli@1.1.0', { kind: 'between', base: 'cli@1.0.0', head: 'cli@1.1.0' }],
  ['acme/code@cli@1.0...cli@1.1', { kind: 'between', repository: 'acme/code', base: 'cli@1.0', head: 'cli@1.1' }],
])('%j is understood', (text, expected) => {
  expect(changeRangeInput(text, {})).toMatchObject(expected)
})

test.each([
  'main',
  'since-last-run',
  'a..b',
  'a...',
  '...b',
  'a...b...c',
  'a....b',
  'acme/code@',
  'acme/code@main',
  'a b...c',
  '-a...b',
  'a^...b',
  'a...b\nc',
  'fork:main...b',
  '/a...b',
  'acme/..@a...b',
])('%j is refused with one error', (text) => {
  const problems = [expect.stringContaining('`owner/name@BASE...HEAD`')]
  expect(readInput(changeRangeInput, text)).toEqual({ kind: 'refused', problems })
})
