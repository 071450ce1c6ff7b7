import { expect, test } from '@jest/globals'
import { findChangeRange } from '../../../src/agent/change/range.ts'
import type { RequestedRange } from '../../../src/agent/facts.ts'
import { parseEvent } from '../../../src/github/event.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { commit } from '../../../testing/github-state.ts'

const EVENT = { kind: 'event' } as const
const SINCE = { kind: 'since-last-success' } as const
const BETWEEN = { kind: 'between', repository: 'acme/code', base: 'v1', head: 'v2' } as const
const range = (eventName: string, payload: unknown, requested: RequestedRange = EVENT, refName = 'main') =>
  findChangeRange({ event: parseEvent(eventName, payload, 'ann'), sha: commit('e'), refName }, requested)

const NEW = { before: commit('0') }
const NEXT = { ref: 'refs/heads/next' }
const TAG = { ref: 'refs/tags/v1' }
const DELETED = { ...NEXT, after: commit('0'), deleted: true }
const COMPARED = { kind: 'compare', base: commit('a'), head: commit('b') }
const WHOLE_BRANCH = { base: 'main', head: commit('b'), label: 'the complete branch' }
const NO_COMPARISON = { kind: 'nothing-to-compare' }
const NO_CHANGE = { kind: 'nothing-changed' }

test.each<[what: string, fields: object, requested: RequestedRange, expected: object]>([
  ['to the default branch', {}, EVENT, { ...COMPARED, isReplacement: true, label: 'the push' }],
  ['to a branch', { ref: 'refs/heads/a`b' }, EVENT, { base: commit('a'), label: 'the push' }],
  ['of a new branch', { ...NEXT, ...NEW }, EVENT, { base: 'main', head: commit('b'), label: 'the new branch' }],
  [
    'of a new branch that was created from another branch',
    { ...NEXT, ...NEW, base_ref: 'refs/heads/release/1.x' },
    EVENT,
    { base: 'release/1.x' },
  ],
  ['of a new default branch', NEW, EVENT, NO_COMPARISON],
  ['by force', { forced: true }, EVENT, { base: commit('a'), label: 'the forced push', fallback: { base: 'main' } }],
  ['that deleted a branch', { deleted: true }, EVENT, NO_CHANGE],
  ['whose new commit is all zeros', { after: commit('0') }, EVENT, NO_CHANGE],
  ['with a malformed commit', { after: 'main; rm' }, EVENT, NO_COMPARISON],
  ['without a branch', { ref: undefined }, EVENT, NO_COMPARISON],
  ['of a new tag', { ...TAG, ...NEW }, EVENT, { kind: 'since-tag', tag: 'v1' }],
  [
    'of a moved tag',
    TAG,
    EVENT,
    { ...COMPARED, isReplacement: true, label: 'the moved tag', fallback: { kind: 'since-tag', tag: 'v1' } },
  ],
  [
    'of a tag that was moved by force',
    { ...TAG, forced: true },
    EVENT,
    { ...COMPARED, fallback: { kind: 'since-tag' } },
  ],
  ['that deleted a tag', { ...TAG, deleted: true }, EVENT, NO_CHANGE],
  ['of a tag with a malformed commit', { ...TAG, after: 'v1' }, EVENT, NO_COMPARISON],
  // The runs of earlier pushes to the branch may have failed or been superseded.
  ['to a branch, since the last success', NEXT, SINCE, { ...SINCE, head: commit('b'), fallback: WHOLE_BRANCH }],
  ['to the default branch, since the last success', {}, SINCE, { ...SINCE, fallback: range('push', PUSH) }],
  // GitHub records the run on the default branch.
  [
    'that deleted a branch, since the last success',
    DELETED,
    SINCE,
    { ...SINCE, head: commit('e'), fallback: NO_CHANGE },
  ],
  ['that deleted a branch, with an explicit range', DELETED, BETWEEN, { ...BETWEEN, kind: 'compare' }],
])('finds the range of a push %s', (_what, fields, requested, expected) => {
  expect(range('push', { ...PUSH, ...fields }, requested)).toMatchObject(expected)
})

test('ignores earlier successes for a deleted branch if the run is not recorded on the default branch', () => {
  expect(range('push', { ...PUSH, ...DELETED }, SINCE, 'next')).toMatchObject(NO_CHANGE)
})

const ENDS = { base: { sha: commit('a') }, head: { sha: commit('b') } }
const PULL = { pull_request: { number: 7, ...ENDS } }
const CLOSED = { repository: PUSH.repository, action: 'closed', pull_request: { number: 7, ...ENDS, merged: false } }
const MERGED = { ...CLOSED, pull_request: { ...CLOSED.pull_request, merged: true } }
const COMMENTED = { issue: { number: 7, pull_request: {} }, comment: { id: 1 } }
const ON_ISSUE = { issue: { number: 3 }, comment: { id: 1 } }
const QUEUE = `gh-readonly-queue/main/pr-7-${commit('a')}`
const UNKNOWN_CAUSE = { kind: 'nothing-to-compare', reason: expect.stringContaining('does not record') as unknown }
const OTHER = { workflow: '51', runId: 30 }
const RUN = { id: 30, workflow_id: 51, event: 'push', head_sha: commit('b'), head_branch: 'main', pull_requests: [] }
const run = (fields: object) => ({
  workflow_run: { ...RUN, ...fields },
  repository: { id: 1, default_branch: 'main' },
})

test.each<[what: string, eventName: string, payload: unknown, requested: RequestedRange, expected: object]>([
  ['a pull request', 'pull_request', PULL, EVENT, COMPARED],
  ['a pull request of a fork', 'pull_request_target', PULL, EVENT, COMPARED],
  ['a pull request that was closed without a merge', 'pull_request', CLOSED, EVENT, NO_CHANGE],
  ['a pull request that was closed without a merge, since the last success', 'pull_request', CLOSED, SINCE, NO_CHANGE],
  ['a merged pull request', 'pull_request', MERGED, EVENT, COMPARED],
  ['a merge group', 'merge_group', { merge_group: { base_sha: commit('a'), head_sha: commit('b') } }, EVENT, COMPARED],
  ['a push without a payload', 'push', undefined, EVENT, NO_COMPARISON],
  ['a repository dispatch with an explicit range', 'repository_dispatch', {}, BETWEEN, { ...BETWEEN, kind: 'compare' }],
  ['a run on the default branch', 'workflow_run', run({}), EVENT, { ...SINCE, head: commit('b'), otherRun: OTHER }],
  ['a run on a branch', 'workflow_run', run({ head_branch: 'next' }), EVENT, { ...COMPARED, base: 'main' }],
  [
    'a run on the default branch of a fork',
    'workflow_run',
    run({ head_repository: { id: 2 } }),
    EVENT,
    { ...COMPARED, base: 'main' },
  ],
  ['a comment on a pull request', 'issue_comment', COMMENTED, EVENT, { kind: 'pull-request', number: 7 }],
  [
    'a comment on a pull request, since the last success',
    'issue_comment',
    COMMENTED,
    SINCE,
    { kind: 'pull-request', number: 7 },
  ],
  ['a review, since the last success', 'pull_request_review', { ...PULL, review: { id: 1 } }, SINCE, COMPARED],
  ['a comment on an issue, since the last success', 'issue_comment', ON_ISSUE, SINCE, NO_COMPARISON],
  ['a comment on a commit', 'commit_comment', { comment: { id: 1 } }, EVENT, SINCE],
  ['a scheduled run', 'workflow_run', run({ event: 'schedule' }), EVENT, { ...SINCE, otherRun: OTHER }],
  [
    'a run for a merge queue',
    'workflow_run',
    run({ event: 'merge_group', head_branch: QUEUE }),
    EVENT,
    { base: 'main' },
  ],
  ['a workflow run that was requested', 'workflow_run', { ...run({}), action: 'requested' }, EVENT, NO_CHANGE],
  ['a workflow run in progress', 'workflow_run', { ...run({}), action: 'in_progress' }, EVENT, NO_CHANGE],
  ['a workflow run triggered by a comment', 'workflow_run', run({ event: 'issue_comment' }), EVENT, UNKNOWN_CAUSE],
  [
    'a workflow run triggered by another workflow run',
    'workflow_run',
    run({ event: 'workflow_run', head_branch: 'next' }),
    EVENT,
    UNKNOWN_CAUSE,
  ],
  ['a release', 'release', { release: { tag_name: 'v1' } }, EVENT, { kind: 'since-tag', tag: 'v1' }],
  ['a deleted release', 'release', { action: 'deleted', release: { tag_name: 'v1' } }, EVENT, NO_CHANGE],
  ['a deleted issue', 'issues', { action: 'deleted', issue: { number: 3 } }, EVENT, NO_CHANGE],
  ['a transferred discussion', 'discussion', { action: 'transferred', discussion: { number: 3 } }, EVENT, NO_CHANGE],
  ['an unpublished release', 'release', { action: 'unpublished', release: { tag_name: 'v1' } }, EVENT, NO_CHANGE],
  ['a run on a pull request', 'workflow_run', run({ pull_requests: [{ number: 7, ...ENDS }] }), EVENT, COMPARED],
  [
    'a push to the default branch, from which a pull request is open',
    'workflow_run',
    run({ pull_requests: [{ number: 7, base: ENDS.base, head: { ref: 'main' } }] }),
    EVENT,
    { ...SINCE, otherRun: OTHER },
  ],
])('finds the range of %s', (_what, eventName, payload, requested, expected) => {
  expect(range(eventName, payload, requested)).toMatchObject(expected)
})
