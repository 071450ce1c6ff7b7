import { expect, test } from '@jest/globals'
import { type ReviewComment, pullState } from '../../../src/emulator/github/pull-state.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

const line: ReviewComment = {
  ...{ id: 71, user: 'mona', body: '/docs shorten', createdAtMs: 0, reactions: [] },
  ...{ path: 'docs/a.md', line: 3, diffHunk: '@@ -1 +1 @@', reviewId: 70 },
}

function drive(): GitHubDriver {
  const reviewComments = [line, { ...line, id: 72, inReplyTo: 71 }, { ...line, id: 73, reviewId: 69 }]
  const pull = pullState({ branch: 'guide', headSha: commit('c'), reviewComments })
  return driveGitHub({ docs: { pulls: { 7: pull } } })
}

test('who is asked for a review stays so until they have given one', () => {
  const pull = pullState({ branch: 'guide', headSha: commit('c'), user: 'ann' })
  const docs = { pulls: { 7: pull }, collaborators: { mona: 'write', ann: 'write' } as const, teams: ['writers'] }
  const { ask, read } = driveGitHub({ docs })
  const path = '/pulls/7/requested_reviewers'
  expect(ask('POST', path, { reviewers: ['mona'], team_reviewers: ['writers'] }).status).toBe(201)
  expect(ask('POST', path, { reviewers: ['mona'] }).status).toBe(201)
  expect(read('/pulls/7')).toMatchObject({
    requested_reviewers: [{ login: 'mona' }],
    requested_teams: [{ slug: 'writers' }],
  })
  pull.reviewEvents.push({ id: 70, event: 'reviewed', actor: 'mona', name: 'mona', atMs: 0 })
  expect(read('/pulls/7').requested_reviewers).toEqual([])
  expect(read('/issues/7/timeline').map(({ event }: { event: string }) => event)).toEqual([
    'review_requested',
    'review_requested',
    'reviewed',
  ])
})

test.each([
  ['who has no access', { reviewers: ['mona', 'dora'] }],
  ['a team without access', { team_reviewers: ['others'] }],
  ['the author', { reviewers: ['ann'] }],
])('nobody is asked together with %s', (_who, body) => {
  const pull = pullState({ branch: 'guide', headSha: commit('c'), user: 'ann' })
  const { ask, read } = driveGitHub({ docs: { pulls: { 7: pull }, collaborators: { mona: 'write', ann: 'write' } } })
  expect(ask('POST', '/pulls/7/requested_reviewers', body).status).toBe(422)
  expect(read('/pulls/7').requested_reviewers).toEqual([])
})

test('a review has its comments', () => {
  const { read } = drive()
  expect(read('/pulls/7/reviews/70/comments').map(({ id }: { id: number }) => id)).toEqual([71, 72])
  expect(read('/pulls/7/comments')).toHaveLength(3)
})

test.each([71, 72])('a reply to comment %d stands in its thread', (id) => {
  const { ask, read } = drive()
  expect(ask('POST', `/pulls/7/comments/${id}/replies`, { body: 'Done' }).status).toBe(201)
  expect(read('/pulls/7/comments').at(-1)).toMatchObject({
    body: 'Done',
    in_reply_to_id: 71,
    path: 'docs/a.md',
    line: 3,
  })
})

test('what is not there is neither answered nor reacted to', () => {
  const { ask } = drive()
  expect(ask('POST', '/pulls/7/comments/9/replies', { body: 'Done' }).status).toBe(404)
  expect(ask('POST', '/pulls/comments/9/reactions', { content: 'eyes' }).status).toBe(404)
  expect(ask('POST', '/pulls/comments/71/reactions', { content: 'eyes' }).status).toBe(201)
})

test('a comment of a review can be written anew', () => {
  const { ask, read } = drive()
  expect(ask('PATCH', '/pulls/comments/71', { body: 'Shorter' }).status).toBe(200)
  expect(read('/pulls/7/comments')[0]).toMatchObject({ id: 71, body: 'Shorter' })
})
