import { expect, test } from '@jest/globals'
import { findEventPullRequests, ranOn } from '../../../src/agent/change/event-pull-requests.ts'
import { parseEvent } from '../../../src/github/event-payload.ts'
import { commit } from '../../support/github-state.ts'

const find = (eventName: string, payload: unknown) =>
  findEventPullRequests({ eventName, payload: parseEvent(eventName, payload), sha: '', refName: 'main' })
const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`
const pull = (fields: object = {}) => ({
  pull_request: { number: 7, user: { login: 'docs-agent[bot]', type: 'Bot' }, labels: [], ...fields },
})

test('a pull request that an app has just opened may not be marked yet', () => {
  expect(find('pull_request', pull())).toEqual({ numbers: [7], labels: [], mayBeUnmarked: true })
  expect(find('pull_request', pull({ created_at: at(0), updated_at: at(1) })).mayBeUnmarked).toBe(true)
  expect(find('pull_request', pull({ created_at: at(0), updated_at: at(2) })).mayBeUnmarked).toBe(false)
  expect(find('pull_request_target', pull({ user: { login: 'ann', type: 'User' } })).mayBeUnmarked).toBe(false)
})

test.each(['issue_comment', 'pull_request_review', 'pull_request_review_comment'])(
  'what a person says on a pull request (%s) is for the agent, and what an app says is not',
  (eventName) => {
    const payload = eventName === 'issue_comment' ? { issue: { number: 7, pull_request: {} } } : pull()
    const by = (type: string) => find(eventName, { ...payload, sender: { login: 'x', type } })
    expect(by('User').numbers).toEqual([])
    expect(by('Bot').numbers).toEqual([7])
  },
)

test('a comment on an issue is about no pull request', () => {
  const payload = { issue: { number: 7 }, comment: { body: 'Hello' }, sender: { login: 'x', type: 'Bot' } }
  expect(find('issue_comment', payload).numbers).toEqual([])
})

test('a run, checks and a merge queue name their pull requests', () => {
  const pulls = { pull_requests: [{ number: 7 }, { number: 8 }] }
  expect(find('workflow_run', { workflow_run: pulls }).numbers).toEqual([7, 8])
  expect(find('check_suite', { check_suite: pulls }).numbers).toEqual([7, 8])
  expect(find('check_run', { check_run: pulls }).numbers).toEqual([7, 8])
  const head_ref = `refs/heads/gh-readonly-queue/main/pr-7-${commit('a')}`
  expect(
    find('merge_group', { merge_group: { base_sha: commit('a'), head_sha: commit('b'), head_ref } }).numbers,
  ).toEqual([7])
})

test('a run tells its commit, and the branch with whoever began it', () => {
  const workflow_run = {
    ...{ head_sha: commit('b'), head_commit: { message: 'Merge' }, head_branch: 'main', actor: { login: 'ann' } },
  }
  expect(ranOn(parseEvent('workflow_run', { workflow_run }))).toEqual({
    commit: { sha: commit('b'), message: 'Merge', isByPusher: false },
    pushed: { branch: 'main', by: 'ann', isByApp: false },
  })
  expect(ranOn({})).toBeUndefined()
})
