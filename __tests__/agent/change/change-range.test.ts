import { expect, test } from '@jest/globals'
import { findChangeRange, pushedCommits, rangeSinceLastSuccess } from '../../../src/agent/change/change-range.ts'
import { PUSH } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const NONE = commit('0')
const range = (eventName: string, payload: unknown) => findChangeRange({ eventName, payload, sha: commit('e') })

test('a push is what lies between before and after', () => {
  expect(range('push', PUSH)).toEqual({
    kind: 'compare',
    base: commit('a'),
    head: commit('b'),
    about: 'the push',
    isReplacement: true,
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

test('the first push to the default branch has nothing to compare with', () => {
  expect(range('push', { ...PUSH, before: NONE })).toMatchObject({ kind: 'nothing-to-compare' })
})

test('a forced push says so, and has the default branch to fall back to', () => {
  expect(range('push', { ...PUSH, forced: true })).toMatchObject({
    base: commit('a'),
    about: 'the forced push',
    otherwise: 'main',
  })
})

test.each([{ deleted: true }, { after: NONE }])('a deleted branch changes nothing: %j', (fields) => {
  expect(range('push', { ...PUSH, ...fields })).toMatchObject({ kind: 'nothing-changed' })
})

test('a new tag changes no file, and a moved one does', () => {
  const tag = { ...PUSH, ref: 'refs/tags/v1' }
  expect(range('push', { ...tag, before: NONE })).toMatchObject({ kind: 'nothing-to-compare' })
  expect(range('push', tag)).toMatchObject({ kind: 'compare', base: commit('a') })
})

test.each(['pull_request', 'pull_request_target', 'pull_request_review'])('%s is base to head', (eventName) => {
  const payload = { pull_request: { base: { sha: commit('a') }, head: { sha: commit('b') } } }
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

test('the first run ever has nothing to compare with, and says so', () => {
  expect(rangeSinceLastSuccess(commit('b'), commit('a'))).toMatchObject({ base: commit('a'), head: commit('b') })
  expect(rangeSinceLastSuccess(commit('b'), undefined)).toEqual({
    kind: 'nothing-to-compare',
    reason: expect.stringContaining('no run'),
  })
})

test('the commits of a push come newest first, and no other event has any', () => {
  const payload = { ...PUSH, commits: [{ id: commit('1') }, { id: commit('2') }] }
  expect(pushedCommits({ eventName: 'push', payload, sha: '' })).toEqual([commit('2'), commit('1')])
  expect(pushedCommits({ eventName: 'schedule', payload, sha: '' })).toEqual([])
})
