import { expect, test } from '@jest/globals'
import {
  decideChecks,
  fingerprintOf,
  formatChecks,
  isNearLimit,
  isOverShare,
  nextLookMs,
} from '../../../src/agent/pull-request/checks.ts'

const check = (state: 'success' | 'failure' | 'pending') => ({ name: state, state })

test('one failure decides at once, whatever else is pending', () => {
  expect(decideChecks([check('pending'), check('failure')], { stoodMs: 0 })).toEqual({
    state: 'failure',
    isFinal: true,
  })
})

test('who tells all that failed waits for the others, so long as there is time for it and something is pending', () => {
  const both = [check('pending'), check('failure')]
  expect(decideChecks(both, { stoodMs: 0, othersMs: 1 })).toEqual({ state: 'failure', isFinal: false })
  expect(decideChecks(both, { stoodMs: 0, othersMs: 0 }).isFinal).toBe(true)
  expect(decideChecks([check('success'), check('failure')], { stoodMs: 0, othersMs: 1 }).isFinal).toBe(true)
})

test('none registered is never said before a minute, and never the same as passed', () => {
  expect(decideChecks([], { stoodMs: 59_999 })).toEqual({ state: 'pending', isFinal: false })
  expect(decideChecks([], { stoodMs: 60_000 })).toEqual({ state: 'none', isFinal: true })
})

test('all passed is believed only once slower checks had time to be registered, and says how long that is', () => {
  const checks = [check('success')]
  expect(decideChecks(checks, { stoodMs: 14_000 })).toEqual({ state: 'pending', isFinal: false, settlesInMs: 1_000 })
  expect(decideChecks(checks, { stoodMs: 15_000 })).toEqual({ state: 'success', isFinal: true })
})

test('nothing new is expected of a pull request that is over, and what has passed has to stand all the same', () => {
  expect(decideChecks([], { stoodMs: 0, isOver: true })).toEqual({ state: 'none', isFinal: true })
  expect(decideChecks([check('success')], { stoodMs: 0, isOver: true })).toMatchObject({ settlesInMs: 15_000 })
})

test('another check, state or run is another fingerprint, and another order or text is not', () => {
  const known = [{ ...check('success'), id: 1 }, check('pending')]
  const changed = [
    [...known, check('success')],
    known.slice(1),
    [{ ...check('success'), id: 2 }, check('pending')],
    [{ ...check('failure'), name: 'success', id: 1 }, check('pending')],
    [{ ...check('success'), id: 1, app: 'links' }, check('pending')],
  ]
  expect(new Set([known, ...changed].map(fingerprintOf)).size).toBe(changed.length + 1)
  expect(fingerprintOf(known.toReversed().map((one) => ({ ...one, summary: 'x' })))).toBe(fingerprintOf(known))
})

test('one that is pending keeps all the others waiting', () => {
  expect(decideChecks([check('success'), check('pending')], { stoodMs: 9e9 })).toEqual({
    state: 'pending',
    isFinal: false,
  })
})

test.each([
  ['usually a tenth of the age of the wait, from 10 seconds to a minute', {}, [10_000, 20_000, 60_000]],
  ['10 seconds after a change', { hasChanged: true }, [10_000, 10_000, 10_000]],
  [
    'twice as long if requests have to be saved, also after a change',
    { hasChanged: true, isShort: true },
    [20_000, 40_000, 120_000],
  ],
])('the next look comes %s', (_name, given, pauses) => {
  const paceAt = (ageMs: number) => nextLookMs({ ...{ hasChanged: false, isShort: false }, ...given, ageMs })
  expect([0, 200_000, 9e9].map(paceAt)).toEqual(pauses)
})

test('under a tenth of the limit is near it, and a limit that GitHub has not told is not', () => {
  const near = [100, 99].map((remaining) => isNearLimit({ counted: 5, remaining, limit: 1_000 }))
  expect([...near, isNearLimit({ counted: 5, remaining: 0, limit: 0 })]).toEqual([false, true, false])
})

test('the share of a wait grows with its time', () => {
  expect([isOverShare(20, 0), isOverShare(21, 0), isOverShare(21, 3_600_000)]).toEqual([false, true, false])
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
  expect(formatChecks(state, checks, 'abcdef0123')).toBe(told)
})
