import { expect, test } from '@jest/globals'
import { addComment, addLabel, listTrustedComments } from '../../src/github/pull-request-marks.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import type { GitHubServerOptions } from '../support/github-server.ts'
import { pullState, repositoryState, type PullState } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

function holding(pull: PullState, labels: string[] = []) {
  return { state: { repositories: { 'acme/docs': repositoryState({ pulls: { 7: pull }, labels }) } } }
}

test('makes a label that the repository does not know, and puts it on', async () => {
  const server = holding(pullState())
  await askingGitHub(server, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.state.repositories['acme/docs']?.labels).toEqual(['docs-agent'])
    expect(github.state.repositories['acme/docs']?.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

test('takes a label that is there as it is', async () => {
  await askingGitHub(holding(pullState(), ['docs-agent']), async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.requests).toEqual(['issues/get-label', 'issues/add-labels'])
  })
})

test('a label that somebody else makes in the same moment is put on as well', async () => {
  const onRequest: GitHubServerOptions['onRequest'] = (operation, _before, { repositories }) => {
    if (operation === 'issues/create-label') repositories['acme/docs']?.labels.push('docs-agent')
  }
  await askingGitHub({ ...holding(pullState()), onRequest }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.state.repositories['acme/docs']?.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

test.each([
  ['looked up', ['issues/get-label']],
  ['made', ['issues/get-label', 'issues/create-label']],
])('a label that may not be %s is not put on', async (_what, requests) => {
  const server = { ...holding(pullState()), faults: { [requests.at(-1) ?? '']: [403] } }
  await askingGitHub(server, async ({ ask, github }) => {
    expect(await errorOf(addLabel(ask, ADDRESS, 'docs-agent'))).toMatchObject({ code: 'forbidden' })
    expect(github.requests).toEqual(requests)
  })
})

test('says which permission a label needs', async () => {
  const server = holding(pullState())
  const state = { ...server.state, permissions: { 'pull-requests': 'read' } as const }
  const error = await askingGitHub({ state }, ({ ask }) => errorOf(addLabel(ask, ADDRESS, 'docs-agent')))
  expect(error).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('`pull-requests: write`') as unknown,
  })
})

test('believes comments of apps and of people who may write, and no others', async () => {
  const comments = [
    { body: 'app', userType: 'Bot', association: 'NONE' },
    { body: 'owner', userType: 'User', association: 'OWNER' },
    { body: 'member', userType: 'User', association: 'MEMBER' },
    { body: 'collaborator', userType: 'User', association: 'COLLABORATOR' },
    { body: 'stranger', userType: 'User', association: 'NONE' },
    { body: 'contributor', userType: 'User', association: 'CONTRIBUTOR' },
  ] as const
  const server = holding(pullState({ comments: [...comments] }))
  const found = await askingGitHub(server, ({ ask }) => listTrustedComments(ask, ADDRESS))
  expect(found.map(({ body }) => body)).toEqual(['app', 'owner', 'member', 'collaborator'])
})

test('reads the comments of all pages', async () => {
  const comments = Array.from({ length: 130 }, () => ({ body: 'x', userType: 'Bot', association: 'NONE' }) as const)
  const server = holding(pullState({ comments }))
  expect(await askingGitHub(server, ({ ask }) => listTrustedComments(ask, ADDRESS))).toHaveLength(130)
})

test('does not write a comment again whose answer was lost', async () => {
  const server = { ...holding(pullState()), faults: { 'issues/create-comment': ['unavailable'] } } as const
  await askingGitHub(server, async ({ ask, github }) => {
    expect(await errorOf(addComment(ask, ADDRESS, 'hello'))).toMatchObject({ code: 'service-error' })
    expect(github.requests).toEqual(['issues/create-comment'])
    await addComment(ask, ADDRESS, 'hello')
    expect(github.state.repositories['acme/docs']?.pulls[7]?.comments.map(({ body }) => body)).toEqual(['hello'])
  })
})
