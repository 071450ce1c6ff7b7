import { expect, test } from '@jest/globals'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { driveGitHub } from './drive-github.ts'

const comment = { id: 5, user: 'mona', body: '/docs', createdAtMs: 0, reactions: [] }

test('the same reaction by the same user is there once', () => {
  const { ask, read } = driveGitHub({
    docs: { issues: { 8: issueState({ comments: [{ ...comment, reactions: [] }] }) } },
  })
  const statuses = [1, 2].map(() => ask('POST', '/issues/comments/5/reactions', { content: 'eyes' }).status)
  expect(statuses).toEqual([201, 200])
  expect(read('/issues/comments/5/reactions')).toMatchObject([
    { content: 'eyes', user: { login: 'github-actions[bot]' } },
  ])
  expect(ask('POST', '/issues/8/reactions', { content: 'eyes' }).status).toBe(201)
})

test('a member whose membership is private is shown as a stranger', () => {
  const comments = [comment, { ...comment, id: 6, association: 'CONTRIBUTOR' }]
  const { read } = driveGitHub({ docs: { collaborators: { mona: 'admin' }, issues: { 8: issueState({ comments }) } } })
  const shown = read('/issues/8/comments').map((found: { author_association: string }) => found.author_association)
  expect(shown).toEqual(['COLLABORATOR', 'CONTRIBUTOR'])
})
