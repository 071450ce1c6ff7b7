import { expect, test } from '@jest/globals'
import {
  formatChecks,
  formatUsualTime,
  isNearLimit,
  isOverShare,
  nextLook,
  nextLookMs,
} from '../../../src/agent/pull-request/checks.ts'
import type { Check } from '../../../src/github/checks.ts'
import { ActionError } from '../../../src/runtime/errors.ts'

const check = (state: 'success' | 'pending') => ({ name: state, state })
const [PASSED, PENDING] = [check('success'), check('pending')]
const HELD = { ...PENDING, waitsForApproval: true }

const ASKED = { isAll: false, isOver: false }

test('approval is waited for if nothing else is', () => {
  const looks = [[], [PASSED], [HELD], [HELD, PENDING]].map((checks) => nextLook(undefined, checks, 0, ASKED))
  expect(looks.map(({ waitsForApproval }) => waitsForApproval)).toEqual([false, false, true, false])
})

const KNOWN = [{ ...PASSED, id: 1 }, PENDING]

test.each<[string, readonly Check[] | ActionError, boolean]>([
  ['one more', [...KNOWN, PASSED], true],
  ['one less', KNOWN.slice(1), true],
  ['another run', [{ ...PASSED, id: 2 }, PENDING], true],
  ['another state', [{ ...KNOWN[0], name: 'success', state: 'failure' }, PENDING], true],
  ['another app', [{ ...PASSED, id: 1, app: 'links' }, PENDING], true],
  ['another order and text', KNOWN.toReversed().map((one) => ({ ...one, summary: 'x' })), false],
  ['no answer', new ActionError('unreachable', ''), false],
])('checks have changed or not: %s', (_what, checks, hasChanged) => {
  expect(nextLook(nextLook(undefined, KNOWN, 0, ASKED), checks, 1, ASKED).hasChanged).toBe(hasChanged)
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
  expect(formatChecks({ state, checks }, 'abcdef0123')).toBe(told)
})

test('a check that stands for many counts as many', () => {
  const checks = [
    { name: 'a', state: 'pending' },
    { name: '150 more checks of pages.yml', state: 'success', count: 150 },
  ] as const
  expect(formatChecks({ state: 'pending', checks }, 'abcdef0123')).toContain('1 of 151 still running (a).')
  expect(formatChecks({ state: 'success', checks: checks.slice(1) }, 'abcdef0123')).toContain('all 150 passed.')
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

test.each([
  ['usually a tenth of the age of the wait, from 10 seconds to a minute', false, false, [10_000, 20_000, 60_000]],
  ['10 seconds after a change', true, false, [10_000, 10_000, 10_000]],
  ['twice as long if requests have to be saved, also after a change', true, true, [20_000, 40_000, 120_000]],
])('the next look comes %s', (_name, hasChanged, isShort, pauses) => {
  const looks = { hasChanged, changedAt: 0, endsInMs: Infinity }
  const paceAt = (ageMs: number) => nextLookMs(looks, ageMs, isShort)
  expect([0, 200_000, 9e9].map(paceAt)).toEqual(pauses)
})

test('under a tenth of the limit is near it, and a limit that GitHub has not told is not', () => {
  const near = [100, 99].map((remaining) => isNearLimit({ counted: 5, remaining, limit: 1_000 }))
  expect([...near, isNearLimit({ counted: 5, remaining: 0, limit: 0 })]).toEqual([false, true, false])
})

test('the share of a wait grows with its time', () => {
  expect([isOverShare(20, 0), isOverShare(21, 0), isOverShare(21, 3_600_000)]).toEqual([false, true, false])
})
