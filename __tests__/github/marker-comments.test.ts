import { expect, test } from '@jest/globals'
import { editComment, listComments } from '../../src/github/marker-comments.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { pullState, repositoryState, type GitHubState } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

function server(permissions: GitHubState['permissions'] = { 'pull-requests': 'write' }) {
  const comments = [
    { body: 'app', userType: 'Bot', association: 'NONE' },
    { body: 'stranger', userType: 'User', association: 'NONE' },
    { body: 'member', userType: 'User', association: 'MEMBER' },
  ] as const
  const pulls = { 7: pullState({ comments: [...comments] }) }
  return { state: { permissions, repositories: { 'acme/docs': repositoryState({ pulls }) } } }
}

test('gives all comments, and says whose can be trusted', async () => {
  const found = await askingGitHub(server(), ({ ask }) => listComments(ask, ADDRESS))
  expect(found.map(({ body, isTrusted }) => [body, isTrusted])).toEqual([
    ['app', true],
    ['stranger', false],
    ['member', true],
  ])
})

test('changes one comment and no other', async () => {
  await askingGitHub(server(), async ({ ask, github }) => {
    const [first] = await listComments(ask, ADDRESS)
    await editComment(ask, 'acme/docs', first?.id ?? 0, 'counted')
    const comments = github.state.repositories['acme/docs']?.pulls[7]?.comments
    expect(comments?.map(({ body }) => body)).toEqual(['counted', 'stranger', 'member'])
  })
})

test('says which permission it needs', async () => {
  const error = await askingGitHub(server({ 'pull-requests': 'read' }), ({ ask }) =>
    errorOf(editComment(ask, 'acme/docs', 7_000, 'counted')),
  )
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('`pull-requests: write`') as unknown })
})
