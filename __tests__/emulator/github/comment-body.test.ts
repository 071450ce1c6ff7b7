import { expect, test } from '@jest/globals'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { driveGitHub } from './drive-github.ts'

const comment = { id: 5, user: 'mona', body: '/docs', createdAtMs: 0, reactions: [] }

test('the same reaction by the same user is there once', () => {
  const reacted = { ...comment, reactions: [] }
  const { ask } = driveGitHub({ docs: { issues: { 8: issueState({ comments: [reacted] }) } } })
  const statuses = [1, 2].map(() => ask('POST', '/issues/comments/5/reactions', { content: 'eyes' }).status)
  expect(statuses).toEqual([201, 200])
  expect(reacted.reactions).toMatchObject([{ content: 'eyes', user: 'github-actions[bot]' }])
})

test('a member whose membership is private is shown as a stranger', () => {
  const comments = [comment, { ...comment, id: 6, association: 'CONTRIBUTOR' }]
  const { read } = driveGitHub({ docs: { collaborators: { mona: 'admin' }, issues: { 8: issueState({ comments }) } } })
  const shown = read('/issues/8/comments').map((found: { author_association: string }) => found.author_association)
  expect(shown).toEqual(['COLLABORATOR', 'CONTRIBUTOR'])
})
