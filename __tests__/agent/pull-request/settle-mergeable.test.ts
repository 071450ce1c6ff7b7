import { expect, test } from '@jest/globals'
import { describePullRequest } from '../../../src/agent/report/report.ts'
import { waitForMergeable } from '../../../src/agent/pull-request/settle-mergeable.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal } from '../../support/fake-github.ts'
import { fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

const UNKNOWN: PullRequest = { ...PULL_REQUEST, mergeable: undefined }

async function settle(readPullRequest: GitHub['readPullRequest'], before = UNKNOWN, timeoutMs = 3_600_000) {
  const clock = fakeClock()
  const found = { ...describePullRequest(before), checks: 'success' } as const
  const after = await waitForMergeable(found, before, fakeGitHub({ readPullRequest }), fakeStep({ clock, timeoutMs }))
  return { mergeable: after.mergeable, headSha: after.headSha, checks: after.checks, passed: clock.passed() }
}

test('asks again until GitHub has found it out, and keeps what else is known', async () => {
  const { mergeable, checks, passed } = await settle(inTurn(UNKNOWN, { ...PULL_REQUEST, mergeable: false }))
  expect({ mergeable, checks, passed }).toEqual({ mergeable: false, checks: 'success', passed: 3_000 })
})

test('gives up soon on what nobody knows', async () => {
  const { mergeable, passed } = await settle(inTurn(UNKNOWN))
  expect({ mergeable, passed }).toEqual({ mergeable: undefined, passed: 11_000 })
})

test.each([
  ['it is known already', PULL_REQUEST, 3_600_000],
  ['it is merged', { ...UNKNOWN, state: 'merged' } as const, 3_600_000],
  ['it is closed', { ...UNKNOWN, state: 'closed' } as const, 3_600_000],
  ['there is no time', UNKNOWN, 1_000],
])('asks nothing where %s', async (_name, before, timeoutMs) => {
  expect((await settle(inTurn<PullRequest>(refusal('unreachable')), before, timeoutMs)).passed).toBe(0)
})

test('says nothing about another commit than the one that was looked at', async () => {
  const { mergeable, headSha } = await settle(inTurn({ ...PULL_REQUEST, headSha: commit('d') }))
  expect({ mergeable, headSha }).toEqual({ mergeable: undefined, headSha: UNKNOWN.headSha })
})

test('a GitHub that is silent costs nothing but the answer', async () => {
  expect((await settle(inTurn<PullRequest>(refusal('unreachable')))).mergeable).toBeUndefined()
})

test('a cancelled run ends', async () => {
  const cancelled = refusal('cancelled')
  await expect(settle(inTurn<PullRequest>(cancelled))).rejects.toBe(cancelled)
})
