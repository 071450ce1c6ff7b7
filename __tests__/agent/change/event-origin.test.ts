import { expect, test } from '@jest/globals'
import { findEventOrigin, type EventOrigin } from '../../../src/agent/change/event-origin.ts'
import { parseEvent } from '../../../src/github/event.ts'
import { RUN_FACTS } from '../../../testing/given-run.ts'
import { commit } from '../../../testing/github-state.ts'

const repository = { id: 1, default_branch: 'main' }
const BOT = { sender: { login: 'x[bot]', type: 'Bot' } }
const COMMENT = { id: 1, body: 'Please fix it' }
const ISSUE = { number: 7, pull_request: {} }
const PULL = { number: 7 }
const PULLS = { pull_requests: [{ number: 7 }, { number: 8 }] }
const FROM_MAIN = { pull_requests: [{ number: 9, head: { ref: 'main' } }] }
const pullIn = (id: number, number: number) => ({ number, base: { sha: commit('a'), repo: { id } } })
const QUEUED = { head_ref: `refs/heads/gh-readonly-queue/main/pr-7-${commit('a')}`, base_sha: commit('a') }
const HEAD = { head_sha: commit('b'), head_branch: 'agent/guide' }

interface Expected extends Partial<EventOrigin> {
  /** Whether the event is about the commit `b`. */
  readonly isOfCommit?: boolean
}
const PEOPLE: Expected = { kind: 'people' }
const BOTH: Expected = { numbers: [7, 8] }
const SEVEN: Expected = { kind: 'other', numbers: [7] }
const COMMIT: Expected = { numbers: [], isOfCommit: true }
/** The newest commit of a tag does not show who wrote the commits before it. */
const RANGE: Expected = { isOfCommit: true }
const BY_PERSON: Expected = { commits: [] }

test.each<[eventName: string, payload: object, expected: Expected]>([
  ['issue_comment', { issue: ISSUE, comment: COMMENT }, SEVEN],
  ['pull_request_review', { pull_request: PULL, review: COMMENT, ...BOT }, SEVEN],
  ['commit_comment', { comment: COMMENT }, { kind: 'other', numbers: [] }],
  ['workflow_dispatch', BOT, PEOPLE],
  ['repository_dispatch', BOT, PEOPLE],
  ['schedule', BOT, PEOPLE],

  ['pull_request', { pull_request: PULL }, SEVEN],
  ['issues', { issue: ISSUE }, SEVEN],
  ['issues', { issue: PULL }, { numbers: [] }],
  ['workflow_run', { workflow_run: { ...PULLS, event: 'pull_request' } }, BOTH],
  ['workflow_run', { workflow_run: { pull_requests: [pullIn(1, 7), pullIn(2, 9)], event: 'pull_request' } }, SEVEN],
  ['workflow_run', { workflow_run: { head_branch: QUEUED.head_ref, event: 'merge_group' } }, SEVEN],
  ['merge_group', { merge_group: { ...QUEUED, head_sha: commit('b') } }, SEVEN],
  ['push', { ref: 'refs/heads/main', commits: [] }, RANGE],
  ['push', { ref: 'refs/heads/main', commits: [], before: commit('b'), after: commit('a') }, BY_PERSON],

  ['workflow_run', { workflow_run: { ...HEAD, head_branch: 'main', event: 'push' } }, COMMIT],
  // A pull request from the default branch to a release branch.
  ['workflow_run', { workflow_run: { ...HEAD, ...FROM_MAIN, event: 'push' } }, COMMIT],
  [
    'workflow_run',
    { workflow_run: { ...HEAD, ...FROM_MAIN, event: 'pull_request' } },
    { numbers: [9], isOfCommit: true },
  ],
  ['workflow_run', { workflow_run: { ...HEAD, ...PULLS, event: 'push' } }, { ...BOTH, isOfCommit: true }],
  ['workflow_run', { workflow_run: { ...HEAD, head_repository: { id: 2 }, event: 'push' } }, COMMIT],
  ['workflow_run', { workflow_run: { ...HEAD, event: 'schedule' } }, PEOPLE],
  ['workflow_run', { workflow_run: { ...HEAD, ...PULLS, event: 'issue_comment' } }, { kind: 'unknown', numbers: [] }],
  ['label', {}, { kind: 'other', numbers: [] }],

  ['release', { release: { tag_name: 'v2' }, ...BOT }, RANGE],
  ['release', { release: { tag_name: 'v2' } }, BY_PERSON],
  ['push', { ref: 'refs/tags/v2', ...BOT }, RANGE],
  ['push', { ref: 'refs/tags/v2' }, BY_PERSON],
  ['push', { ref: 'refs/tags/v2', commits: [{ id: commit('b') }] }, { isOfCommit: true }],
])('finds the origin of %s with %j', (eventName, payload, { isOfCommit = false, ...expected }) => {
  const event = parseEvent(eventName, { repository, ...payload }, 'ann')
  const origin = findEventOrigin({ ...RUN_FACTS, event })
  expect(origin).toMatchObject(expected)
  expect(origin.commits.map(({ sha }) => sha)).toEqual(isOfCommit ? [commit('b')] : [])
})
