import { expect, test } from '@jest/globals'
import {
  decideChecks,
  fingerprintOf,
  formatChecks,
  formatUsualTime,
  nextLook,
  waitForApproval,
} from '../../../src/agent/pull-request/checks.ts'
import type { Check } from '../../../src/github/commit-checks.ts'
import { refusal } from '../../support/fake-github.ts'

const check = (state: 'success' | 'failure' | 'pending') => ({ name: state, state })
const [PASSED, FAILED, PENDING] = [check('success'), check('failure'), check('pending')]
const HELD = { ...PENDING, waitsForApproval: true }

type Patience = Parameters<typeof decideChecks>[1]
const LONG = { stoodMs: 9e9 }

test.each<[string, readonly Check[], Patience, string, { settlesInMs?: number; endsInMs?: number }]>([
  ['one failure decides at once', [PENDING, FAILED], LONG, 'failure, final', { endsInMs: 0 }],
  ['if all are told, others are waited for', [PENDING, FAILED], { ...LONG, othersMs: 1 }, 'failure', { endsInMs: 1 }],
  ['where there are others', [PASSED, FAILED], { ...LONG, othersMs: 1 }, 'failure, final', { endsInMs: 1 }],
  ['none is not said before a minute', [], { stoodMs: 59_999 }, 'pending', {}],
  ['and then is not the same as passed', [], { stoodMs: 60_000 }, 'none, final', {}],
  ['slower checks have time to be registered', [PASSED], { stoodMs: 14_000 }, 'pending', { settlesInMs: 1_000 }],
  ['which is 15 seconds', [PASSED], { stoodMs: 15_000 }, 'success, final', {}],
  ['nothing new is expected of what is over', [], { stoodMs: 0, isOver: true }, 'none, final', {}],
  ['but it has to stand, too', [PASSED], { stoodMs: 0, isOver: true }, 'pending', { settlesInMs: 15_000 }],
  ['one that is pending keeps the others waiting', [PASSED, PENDING], LONG, 'pending', { endsInMs: Infinity }],
  ['approval is waited for five minutes', [HELD], { stoodMs: 299_000 }, 'pending', { endsInMs: 1_000 }],
  ['and no longer', [HELD], { stoodMs: 300_000 }, 'pending, final', { endsInMs: 0 }],
  ['unless something else is expected', [HELD, PENDING], LONG, 'pending', { endsInMs: Infinity }],
])('%s', (_what, checks, patience, verdict, times) => {
  const [state, final] = verdict.split(', ')
  expect(decideChecks(checks, patience)).toEqual({ state, isFinal: final !== undefined, ...times })
})

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

const WAITING = { isAll: true, isOver: false }

test('a look adds to the ones before: what changed when, and since when one has failed', () => {
  const first = nextLook(undefined, [PENDING], 1_000, WAITING)
  expect(first).toMatchObject({ isFinal: false, hasChanged: true, changedAt: 1_000, failedSince: undefined })
  const failed = nextLook(first, [PENDING, FAILED], 2_000, WAITING)
  expect(failed).toMatchObject({
    verdict: { state: 'failure', endsInMs: 300_000 },
    changedAt: 2_000,
    failedSince: 2_000,
  })
  const same = nextLook(failed, [FAILED, PENDING], 302_000, WAITING)
  expect(same).toMatchObject({ isFinal: true, hasChanged: false, changedAt: 2_000, failedSince: 2_000 })
})

test('a look that fails leaves what is known, and is the last one if the next would fail as well', () => {
  const known = nextLook(undefined, [PASSED], 1_000, WAITING)
  const lost = nextLook(known, refusal('unreachable'), 9_000, WAITING)
  expect(lost).toEqual({ ...known, hasChanged: false, problem: refusal('unreachable') })
  expect(nextLook(lost, [PASSED], 16_000, WAITING)).toMatchObject({
    verdict: { state: 'success' },
    isFinal: true,
  })
  expect(nextLook(known, refusal('forbidden'), 9_000, WAITING).isFinal).toBe(true)
  expect(nextLook(undefined, refusal('unreachable'), 9_000, { ...WAITING, isOver: true }).isFinal).toBe(true)
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
