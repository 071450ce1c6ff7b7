import { expect, test } from '@jest/globals'
import { findChangeRange } from '../../../src/agent/trigger/event-range.ts'
import type { RequestedRange } from '../../../src/agent/inputs/change-range-input.ts'
import { parseEvent } from '../../../src/github/event.ts'
import { PUSH } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const NONE = commit('0')
const range = (eventName: string, payload: unknown, requested: RequestedRange = { kind: 'event' }, refName = 'main') =>
  findChangeRange({ event: parseEvent(eventName, payload, 'ann'), sha: commit('e'), refName }, requested)
const SINCE = { kind: 'since-last-success' } as const

test('a push is what lies between before and after', () => {
  expect(range('push', PUSH)).toEqual({
    kind: 'compare',
    base: commit('a'),
    head: commit('b'),
    about: 'the push',
    isReplacement: true,
    pushed: { branch: 'main', by: 'ann' },
  })
})

test('a new branch is what it has more than the default branch', () => {
  const payload = { ...PUSH, ref: 'refs/heads/next', before: NONE }
  expect(range('push', payload)).toMatchObject({
    base: 'main',
    head: commit('b'),
    about: expect.stringContaining('new'),
  })
})

test('a new branch is compared with the branch that it came from, where the event tells', () => {
  const payload = { ...PUSH, ref: 'refs/heads/next', before: NONE, base_ref: 'refs/heads/release/1.x' }
  expect(range('push', payload)).toMatchObject({ base: 'release/1.x' })
})

test('a branch that had no run yet is looked at as a whole, and the default branch as far as was pushed', () => {
  const whole = { firstTime: { base: 'main', head: commit('b'), about: 'all of the branch' } }
  expect(range('push', { ...PUSH, ref: 'refs/heads/next' }, SINCE)).toMatchObject(whole)
  expect(range('push', PUSH, SINCE)).toMatchObject({ firstTime: range('push', PUSH) })
})

test('the first push to the default branch has nothing to compare with', () => {
  expect(range('push', { ...PUSH, before: NONE })).toMatchObject({ kind: 'nothing-to-compare' })
})

test('a forced push says so, and has the default branch to fall back to', () => {
  expect(range('push', { ...PUSH, forced: true })).toMatchObject({
    base: commit('a'),
    about: 'the forced push',
    fallback: { kind: 'compare', base: 'main' },
  })
})

test.each([{ deleted: true }, { after: NONE }])('a deleted branch changes nothing: %j', (fields) => {
  expect(range('push', { ...PUSH, ...fields })).toMatchObject({ kind: 'nothing-changed' })
})

test('a new tag is what came since the tag before, and a moved one what it moved over', () => {
  const tag = { ...PUSH, ref: 'refs/tags/v1' }
  expect(range('push', { ...tag, before: NONE })).toEqual({ kind: 'since-tag', tag: 'v1' })
  expect(range('push', tag)).toMatchObject({ kind: 'compare', base: commit('a') })
})

test.each(['pull_request', 'pull_request_target', 'pull_request_review'])('%s is base to head', (eventName) => {
  const payload = { pull_request: { number: 7, base: { sha: commit('a') }, head: { sha: commit('b') } } }
  expect(range(eventName, payload)).toMatchObject({ kind: 'compare', base: commit('a'), head: commit('b') })
})

test('a merge group is base to head', () => {
  const payload = { merge_group: { base_sha: commit('a'), head_sha: commit('b') } }
  expect(range('merge_group', payload)).toMatchObject({ base: commit('a'), head: commit('b') })
})

test.each(['schedule', 'workflow_dispatch', 'repository_dispatch'])('%s looks back to the last success', (name) => {
  expect(range(name, {})).toEqual({ kind: 'since-last-success', head: commit('e') })
})

test.each([undefined, {}, { ...PUSH, after: 'main; rm' }])(
  'a push that cannot be read is not guessed at: %j',
  (payload) => {
    expect(range('push', payload)).toMatchObject({ kind: 'nothing-to-compare' })
  },
)

test('a push that replaces others looks back to the last success, and where there was none, at all of its branch', () => {
  const onBranch = range('push', { ...PUSH, ref: 'refs/heads/next' }, SINCE)
  const firstTime = { kind: 'compare', base: 'main', head: commit('b') }
  expect(onBranch).toMatchObject({ kind: 'since-last-success', head: commit('b'), firstTime })
  expect(range('push', PUSH, SINCE)).toMatchObject({ firstTime: { base: commit('a') } })
})

test('a push that deleted a branch looks back where GitHub records it, which is on the default branch', () => {
  const deletion = { ...PUSH, ref: 'refs/heads/next', after: NONE, deleted: true }
  const firstTime = { kind: 'nothing-changed' }
  expect(range('push', deletion, SINCE)).toMatchObject({ ...SINCE, head: commit('e'), firstTime })
  expect(range('push', deletion, SINCE, 'next')).toMatchObject(firstTime)
})

test('a range that is asked for by name is taken, whatever the event', () => {
  const between = { kind: 'between', repository: 'acme/code', base: 'v1', head: 'v2' } as const
  expect(range('repository_dispatch', {}, between)).toMatchObject({ repository: 'acme/code', base: 'v1', head: 'v2' })
  expect(range('push', { ...PUSH, deleted: true }, between)).toMatchObject({ kind: 'compare', base: 'v1' })
})

test('a pull request that is closed without a merge is no change, and a merged one is', () => {
  const pull = { number: 7, base: { sha: commit('a') }, head: { sha: commit('b') } }
  const closed = (merged: boolean, requested?: RequestedRange) =>
    range('pull_request', { ...PUSH, action: 'closed', pull_request: { ...pull, merged } }, requested)
  expect(closed(false)).toMatchObject({ kind: 'nothing-changed' })
  expect(closed(false, SINCE)).toMatchObject({ kind: 'nothing-changed' })
  expect(closed(true)).toMatchObject({ kind: 'compare' })
})

const run = (fields: object) => ({
  workflow_run: { id: 30, workflow_id: 51, head_sha: commit('b'), head_branch: 'main', pull_requests: [], ...fields },
  repository: { id: 1, default_branch: 'main' },
})

test.each<[string, object, object]>([
  ['of the default branch', {}, { kind: 'since-last-success', head: commit('b'), of: { workflow: '51', runId: 30 } }],
  ['of another branch', { head_branch: 'next' }, { kind: 'compare', base: 'main', head: commit('b') }],
  ['of the same branch of a fork', { head_repository: { id: 2 } }, { kind: 'compare', base: 'main' }],
  [
    'of a pull request',
    { pull_requests: [{ number: 7, base: { sha: commit('a') } }] },
    { base: commit('a'), head: commit('b') },
  ],
])('workflow_run is what a run %s ran on', (_name, fields, expected) => {
  expect(range('workflow_run', run(fields))).toMatchObject(expected)
})
