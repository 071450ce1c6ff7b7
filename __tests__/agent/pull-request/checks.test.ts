import { expect, test } from '@jest/globals'
import {
  decideChecks,
  fingerprintOf,
  formatChecks,
  formatUsualTime,
  nextLook,
  waitForApproval,
} from '../../../src/agent/pull-request/checks.ts'
import { refusal } from '../../support/fake-github.ts'

const check = (state: 'success' | 'failure' | 'pending') => ({ name: state, state })

test('one failure decides at once, whatever else is pending', () => {
  expect(decideChecks([check('pending'), check('failure')], { stoodMs: 0 })).toEqual({
    ...{ state: 'failure', isFinal: true, endsInMs: 0 },
  })
})

test('who tells all that failed waits for the others, so long as there is time for it and something is pending', () => {
  const both = [check('pending'), check('failure')]
  expect(decideChecks(both, { stoodMs: 0, othersMs: 1 })).toEqual({ state: 'failure', isFinal: false, endsInMs: 1 })
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
    ...{ state: 'pending', isFinal: false, endsInMs: Infinity },
  })
})

test('what waits for approval is waited for five minutes, if nothing else is expected', () => {
  const held = { ...check('pending'), waitsForApproval: true }
  expect([[], [check('success')], [held], [held, check('pending')]].map(waitForApproval)).toEqual([
    false,
    false,
    true,
    false,
  ])
  expect(decideChecks([held], { stoodMs: 299_000 })).toEqual({ state: 'pending', isFinal: false, endsInMs: 1_000 })
  expect(decideChecks([held], { stoodMs: 300_000 })).toMatchObject({ state: 'pending', isFinal: true })
})

const WAITING = { isAll: true, isOver: false }

test('a look adds to the ones before: what changed when, and since when one has failed', () => {
  const first = nextLook(undefined, [check('pending')], 1_000, WAITING)
  expect(first).toMatchObject({ isFinal: false, hasChanged: true, changedAt: 1_000, failedSince: undefined })
  const failed = nextLook(first, [check('pending'), check('failure')], 2_000, WAITING)
  expect(failed).toMatchObject({
    verdict: { state: 'failure', endsInMs: 300_000 },
    changedAt: 2_000,
    failedSince: 2_000,
  })
  const same = nextLook(failed, [check('failure'), check('pending')], 302_000, WAITING)
  expect(same).toMatchObject({ isFinal: true, hasChanged: false, changedAt: 2_000, failedSince: 2_000 })
})

test('a look that fails leaves what is known, and is the last one if the next would fail as well', () => {
  const known = nextLook(undefined, [check('success')], 1_000, WAITING)
  const lost = nextLook(known, refusal('unreachable'), 9_000, WAITING)
  expect(lost).toEqual({ ...known, hasChanged: false, problem: refusal('unreachable') })
  expect(nextLook(lost, [check('success')], 16_000, WAITING)).toMatchObject({
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
