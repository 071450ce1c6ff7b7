import { expect, test } from '@jest/globals'
import { formatChecks, applyRead, getLookPauseMs, matchesName } from '../../../src/agent/features/checks.ts'
import type { Check, CommitChecks } from '../../../src/github/checks.ts'
import { ActionError } from '../../../src/runtime/errors.ts'

const check = (state: 'success' | 'pending') => ({ name: state, state })
const [PASSED, PENDING] = [check('success'), check('pending')]
const WAITING = { ...PENDING, waitsForApproval: true }

const OPTIONS = { awaitsAll: false, isEnded: false, ageMs: 0 }
const listing = (checks: readonly Check[]): CommitChecks => ({ checks, isComplete: false })

test('waits for approval only if no check is running', () => {
  const polled = [[], [PASSED], [WAITING], [WAITING, PENDING]].map((checks) =>
    applyRead(undefined, listing(checks), 0, OPTIONS),
  )
  expect(polled.map(({ waitsForApproval }) => waitsForApproval)).toEqual([false, false, true, false])
})

const KNOWN = [{ ...PASSED, id: 1 }, PENDING]

test.each<[string, readonly Check[] | ActionError, boolean]>([
  ['a new check', [...KNOWN, PASSED], true],
  ['a missing check', KNOWN.slice(1), true],
  ['another run', [{ ...PASSED, id: 2 }, PENDING], true],
  ['another state', [{ ...KNOWN[0], name: 'success', state: 'failure' }, PENDING], true],
  ['another app', [{ ...PASSED, id: 1, app: 'links' }, PENDING], true],
  ['only another order and text', KNOWN.toReversed().map((one) => ({ ...one, summary: 'x' })), false],
  ['a failed read', new ActionError('unreachable', ''), false],
])('detects whether the checks have changed: %s', (_what, checks, hasChanged) => {
  const read = checks instanceof ActionError ? checks : listing(checks)
  const { changedAt } = applyRead(applyRead(undefined, listing(KNOWN), 0, OPTIONS), read, 1, OPTIONS)
  expect(changedAt).toBe(hasChanged ? 1 : 0)
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
] as const)('formats checks in the state %s (%j) with their names', (state, states, expected) => {
  const checks = states.map((state, index) => ({ name: `c${index}`, state }))
  expect(formatChecks({ state, checks }, 'abcdef0123')).toBe(expected)
})

test.each([
  ['build', 'build', true],
  ['build', 'builds', false],
  ['build', 'Build', false],
  ['*', '', true],
  ['nightly / *', 'nightly / test (18, ubuntu)', true],
  ['*/patch', 'codecov/patch', true],
  ['*/patch', 'codecov/patches', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['ab*bc', 'abc', false],
  ['a.c', 'abc', false],
])('the pattern %j of `ignore-checks` with the name %j: %j', (pattern, name, expected) => {
  expect(matchesName(name, pattern)).toBe(expected)
})

test('counts and names ignored checks', () => {
  const ignored = [{ name: 'slow', state: 'pending' }] as const
  const checks = [{ name: 'build', state: 'success' }] as const
  const format = (given: Parameters<typeof formatChecks>[0]) => formatChecks({ ignored, ...given }, 'abcdef0123')
  expect(format({ state: 'success', checks })).toBe('Checks of commit abcdef0: all 1 passed, 1 ignored (slow).')
  expect(format({ state: 'none', checks: [] })).toBe('Commit abcdef0 has no checks, 1 ignored (slow).')
})

test('counts all checks that one entry represents', () => {
  const checks = [
    { name: 'a', state: 'pending' },
    { name: '150 more checks of pages.yml', state: 'success', count: 150 },
  ] as const
  expect(formatChecks({ state: 'pending', checks }, 'abcdef0123')).toContain('1 of 151 still running (a).')
  expect(formatChecks({ state: 'success', checks: checks.slice(1) }, 'abcdef0123')).toContain('all 150 passed.')
})

test('looks every 10 s for ten minutes, and then every 30 s', () => {
  expect([0, 599_999, 600_000, 9e9].map(getLookPauseMs)).toEqual([10_000, 10_000, 30_000, 30_000])
})
