import { expect, test } from '@jest/globals'
import { decideChecks, tellChecks, nextChecksReadMs } from '../../../src/agent/pull-request/checks-verdict.ts'

const check = (state: 'success' | 'failure' | 'pending') => ({ name: state, state })

test('one failure decides at once, whatever else is pending', () => {
  expect(decideChecks([check('pending'), check('failure')], 0)).toEqual({ state: 'failure', isFinal: true })
})

test('who tells all that failed waits for the others, so long as there is time for it and something is pending', () => {
  const both = [check('pending'), check('failure')]
  expect(decideChecks(both, 0, 1)).toEqual({ state: 'failure', isFinal: false })
  expect(decideChecks(both, 0, 0).isFinal).toBe(true)
  expect(decideChecks([check('success'), check('failure')], 0, 1).isFinal).toBe(true)
})

test('none registered is never said before a minute, and never the same as passed', () => {
  expect(decideChecks([], 59_999)).toEqual({ state: 'pending', isFinal: false })
  expect(decideChecks([], 60_000)).toEqual({ state: 'none', isFinal: true })
})

test('all passed is believed only once slower checks had time to be registered', () => {
  expect(decideChecks([check('success')], 14_999)).toEqual({ state: 'pending', isFinal: false })
  expect(decideChecks([check('success')], 15_000)).toEqual({ state: 'success', isFinal: true })
})

test('one that is pending keeps all the others waiting', () => {
  expect(decideChecks([check('success'), check('pending')], 9e9)).toEqual({ state: 'pending', isFinal: false })
})

test('looks every 10 seconds at first, and every 30 later', () => {
  expect([0, 100_000, 200_000, 900_000].map(nextChecksReadMs)).toEqual([10_000, 10_000, 20_000, 30_000])
})

test.each([
  ['pending', [], 'Commit abcdef0 has no checks yet.'],
  ['none', [], 'Commit abcdef0 has no checks.'],
  ['pending', ['success'], 'Checks of commit abcdef0: all 1 passed so far.'],
  ['success', ['success', 'success'], 'Checks of commit abcdef0: all 2 passed.'],
  [
    'failure',
    ['failure', 'pending', 'success'],
    'Checks of commit abcdef0: 1 of 3 failed (c0), 1 of 3 not over yet (c1).',
  ],
  ['pending', Array<'pending'>(5).fill('pending'), 'Checks of commit abcdef0: 5 of 5 not over yet (c0, c1, c2, …).'],
] as const)('checks that are %s (%j) are told with their names', (state, states, told) => {
  const checks = states.map((state, index) => ({ name: `c${index}`, state }))
  expect(tellChecks(state, checks, 'abcdef0123')).toBe(told)
})
