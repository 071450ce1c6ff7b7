import { expect, test } from '@jest/globals'
import { AGENT_USER, MAINTAINER, STRANGER } from '../../src/emulator/github/demo-state.ts'
import type { RepositoryState } from '../../src/emulator/github/state.ts'
import { editComment, listComments } from '../../src/github/marker-comments.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

function commented(): RepositoryState {
  const comments = [
    { id: 701, user: AGENT_USER, body: 'app', association: 'NONE' },
    { id: 702, user: STRANGER, body: 'stranger', association: 'NONE' },
    { id: 703, user: MAINTAINER, body: 'member', association: 'MEMBER' },
  ]
  return repositoryWithPull({ comments: comments.map((comment) => ({ ...comment, createdAtMs: 0, reactions: [] })) })
}

test('gives all comments, and says whose can be trusted', async () => {
  const found = await askingGitHub({ docs: commented() }, ({ ask }) => listComments(ask, ADDRESS))
  expect(found.map(({ body, isTrusted }) => [body, isTrusted])).toEqual([
    ['app', true],
    ['stranger', false],
    ['member', true],
  ])
})

test('changes one comment and no other', async () => {
  await askingGitHub({ docs: commented() }, async ({ ask, github }) => {
    const [first] = await listComments(ask, ADDRESS)
    await editComment(ask, 'acme/docs', first?.id ?? 0, 'counted')
    expect(github.docs.pulls[7]?.comments.map(({ body }) => body)).toEqual(['counted', 'stranger', 'member'])
  })
})

test('says which permission it needs', async () => {
  const options = { docs: commented(), state: { permissions: { 'pull-requests': 'read' } } } as const
  const error = await askingGitHub(options, ({ ask }) => errorOf(editComment(ask, 'acme/docs', 701, 'counted')))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('`pull-requests: write`') as unknown })
})
