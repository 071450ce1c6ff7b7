import { expect, test } from '@jest/globals'
import { TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

const drive = (): GitHubDriver =>
  driveGitHub({
    docs: {
      labels: ['docs-agent'],
      pulls: { 7: pullState({ branch: 'guide', headSha: commit('c'), labels: ['docs-agent'] }) },
      issues: { 8: issueState({ title: 'A question', labels: ['docs-agent', 'question'], createdAtMs: 5 }) },
    },
  })

test('issues and pull requests are listed together, by label', () => {
  const { read } = drive()
  const listed = (query: string) => read(`/issues?${query}`).map(({ number }: { number: number }) => number)
  expect(listed('labels=docs-agent')).toEqual([8, 7])
  expect(listed('labels=docs-agent,question')).toEqual([8])
  expect(listed('labels=docs-agent&sort=created&direction=asc')).toEqual([7, 8])
  expect(listed('state=closed')).toEqual([])
  expect(read('/issues/7').pull_request).toBeDefined()
  expect(read('/issues/8').pull_request).toBeUndefined()
})

test('comments are written by the token’s own user, and can be changed', () => {
  const { ask, read, advance } = drive()
  const { body: written } = ask('POST', '/issues/7/comments', { body: 'Hello' })
  expect(written).toMatchObject({ user: { login: TOKEN_USER, type: 'Bot' }, author_association: 'NONE' })
  advance(60)
  expect(ask('PATCH', `/issues/comments/${written.id}`, { body: 'Bye' }).status).toBe(200)
  expect(read('/issues/7/comments')).toMatchObject([
    { id: written.id, body: 'Bye', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:01:00Z' },
  ])
  expect(ask('PATCH', '/issues/comments/9', { body: 'Bye' }).status).toBe(404)
})

test.each([
  ['nothing', '', 422, 'Validation Failed'],
  ['too much', 'x'.repeat(65_537), 422, 'Body is too long'],
])('a comment with %s in it is refused', (_name, body, status, message) => {
  expect(drive().ask('POST', '/issues/7/comments', { body })).toMatchObject({
    status,
    body: { message: expect.stringContaining(message) },
  })
})

test('a locked conversation takes no comments', () => {
  const { ask, docs } = drive()
  const { 7: pull } = docs.pulls
  if (pull !== undefined) pull.locked = true
  expect(ask('POST', '/issues/7/comments', { body: 'Hello' })).toMatchObject({
    status: 403,
    body: { message: 'Unable to create comment because issue is locked.' },
  })
})

test('a label is made once, and put on once', () => {
  const { ask, read, docs } = drive()
  for (let times = 0; times < 2; times++) ask('POST', '/issues/7/labels', { labels: ['new', 'other'] })
  expect(read('/pulls/7').labels).toMatchObject([{ name: 'docs-agent' }, { name: 'new' }, { name: 'other' }])
  expect(docs.labels).toEqual(['docs-agent', 'new', 'other'])
})

test('an issue can be closed', () => {
  const { ask, read } = drive()
  ask('PATCH', '/issues/8', { state: 'closed' })
  expect(read('/issues/8')).toMatchObject({ state: 'closed', closed_at: '2026-01-01T00:00:00Z' })
})
