import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { type PullState, pullState } from '../../../src/emulator/github/pull-state.ts'
import { USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

function drive(fields: Partial<PullState> = {}, headMs = 0): GitHubDriver {
  const pull = pullState({ branch: 'guide', headSha: commit('c'), createdAtMs: DEFAULT_START_MS, ...fields })
  const lag = { ...USUAL_LAG, mergeableMs: 3_000, headMs }
  return driveGitHub({ docs: { pulls: { 7: pull }, collaborators: { mona: 'write' } }, scenario: { lag } })
}

test.each([
  [{}, true, 'clean'],
  [{ conflict: true }, false, 'dirty'],
  [{ blocked: true }, true, 'blocked'],
  [{ draft: true }, true, 'draft'],
  [{ state: 'closed' }, null, 'unknown'],
] as const)('whether %j can be merged is found out some time after it was opened', (fields, mergeable, state) => {
  const { read, advance } = drive(fields)
  expect(read('/pulls/7')).toMatchObject({ mergeable: null, mergeable_state: 'unknown' })
  advance(3)
  expect(read('/pulls/7')).toMatchObject({ mergeable, mergeable_state: state })
})

test('a head that moved is shown some time later', () => {
  const earlierHeads = [
    { sha: commit('a'), untilMs: DEFAULT_START_MS },
    { sha: commit('b'), untilMs: DEFAULT_START_MS + 3_000 },
  ]
  const { read, advance } = drive({ earlierHeads }, 5_000)
  expect(read('/pulls/7').head.sha).toBe(commit('a'))
  advance(5)
  expect(read('/pulls/7').head.sha).toBe(commit('b'))
  advance(3)
  expect(read('/pulls/7').head.sha).toBe(commit('c'))
  expect(read('/pulls')[0].head.sha).toBe(commit('c'))
})

test('a merged pull request is closed, and names its merge', () => {
  const { read } = drive({ state: 'closed', merge: { sha: commit('d'), atMs: DEFAULT_START_MS } })
  const merged = { state: 'closed', merged: true, merge_commit_sha: commit('d'), merged_at: '2026-01-01T00:00:00Z' }
  expect(read('/pulls/7')).toMatchObject(merged)
})

test('who works with the repository is told from strangers', () => {
  expect(drive().read('/pulls/7').author_association).toBe('COLLABORATOR')
  expect(drive({ user: 'dora' }).read('/pulls/7').author_association).toBe('NONE')
})
