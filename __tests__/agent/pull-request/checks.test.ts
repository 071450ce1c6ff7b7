import { expect, test } from '@jest/globals'
import {
  fingerprintOf,
  formatChecks,
  formatUsualTime,
  waitForApproval,
} from '../../../src/agent/pull-request/checks.ts'

const check = (state: 'success' | 'failure' | 'pending') => ({ name: state, state })
const [PASSED, FAILED, PENDING] = [check('success'), check('failure'), check('pending')]
const HELD = { ...PENDING, waitsForApproval: true }

test('approval is waited for if nothing else is', () => {
  expect([[], [PASSED], [HELD], [HELD, PENDING]].map(waitForApproval)).toEqual([false, false, true, false])
})

test('another check, state or run is another fingerprint, and another order or text is not', () => {
  const known = [{ ...PASSED, id: 1 }, PENDING]
  const changed = [
    [...known, PASSED],
    known.slice(1),
    [{ ...PASSED, id: 2 }, PENDING],
    [{ ...FAILED, name: 'success', id: 1 }, PENDING],
    [{ ...PASSED, id: 1, app: 'links' }, PENDING],
  ]
  expect(new Set([known, ...changed].map(fingerprintOf)).size).toBe(changed.length + 1)
  expect(fingerprintOf(known.toReversed().map((one) => ({ ...one, summary: 'x' })))).toBe(fingerprintOf(known))
})

test.each([
  ['pending', [], 'Commit abcdef0 has no checks yet.'],
  ['none', [], 'Commit abcdef0 has no checks.'],
  ['pending', ['success'], 'Checks of commit abcdef0: all 1 passed so far.'],
  ['success', ['success', 'success'], 'Checks of commit abcdef0: all 2 passed.'],
  [
    'failure',
    ['failure', 'pending', 'success'],
    'Checks of commit abcdef0: 1 of 3 failed (c0), 1 of 3 still running (c1).',
  ],
  ['pending', Array<'pending'>(5).fill('pending'), 'Checks of commit abcdef0: 5 of 5 still running (c0, c1, c2, …).'],
] as const)('checks that are %s (%j) are told with their names', (state, states, told) => {
  const checks = states.map((state, index) => ({ name: `c${index}`, state }))
  expect(formatChecks(state, checks, 'abcdef0123')).toBe(told)
})

test('the slowest check that still runs is told with its time on the commit before, where that is known', () => {
  const earlier = [
    { name: 'build', state: 'success', tookMs: 45_000 },
    { name: 'links', state: 'failure', tookMs: 130_000 },
    { name: 'e2e', app: 'other', state: 'success', tookMs: 900_000 },
  ] as const
  const named = (name: string, state: 'pending' | 'success') => ({ name, state })
  const running = [named('build', 'pending'), named('links', 'pending'), named('e2e', 'pending')]
  expect(formatUsualTime(running, earlier)).toBe(' On the commit before, links took 2 min 10 s.')
  expect(formatUsualTime([named('build', 'pending'), named('links', 'success')], earlier)).toContain('build took 45 s')
  expect(formatUsualTime(running, [])).toBe('')
  expect(formatUsualTime([{ ...named('build', 'pending'), waitsForApproval: true }], earlier)).toBe('')
})
