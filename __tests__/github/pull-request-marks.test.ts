import { expect, test } from '@jest/globals'
import type { Comment } from '../../src/emulator/github/state.ts'
import { addComment, addLabel, listTrustedComments } from '../../src/github/pull-request-marks.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

const comment = (body: string, user: string, association: string): Comment => ({
  ...{ id: 1, createdAtMs: 0, reactions: [] },
  ...{ body, user, association },
})

test('makes a label that the repository does not know, and puts it on', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.docs.labels).toEqual(['docs-agent'])
    expect(github.docs.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

test('takes a label that is there as it is', async () => {
  await askingGitHub({ docs: repositoryWithPull({}, { labels: ['docs-agent'] }) }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.requests).toEqual(['issues/get-label', 'issues/add-labels'])
  })
})

test('a label that somebody else makes in the same moment is put on as well', async () => {
  const docs = repositoryWithPull()
  const beforeAnswer = (operation: string): void => {
    if (operation === 'issues/create-label') docs.labels.push('docs-agent')
  }
  await askingGitHub({ docs, beforeAnswer }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.docs.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

test.each([
  ['looked up', ['issues/get-label']],
  ['made', ['issues/get-label', 'issues/create-label']],
])('a label that may not be %s is not put on', async (_what, requests) => {
  const server = { docs: repositoryWithPull(), faults: { [requests.at(-1) ?? '']: [403] } } as const
  await askingGitHub(server, async ({ ask, github }) => {
    expect(await errorOf(addLabel(ask, ADDRESS, 'docs-agent'))).toMatchObject({ code: 'forbidden' })
    expect(github.requests).toEqual(requests)
  })
})

test('says which permission a label needs', async () => {
  const options = { docs: repositoryWithPull(), state: { permissions: { 'pull-requests': 'read' } } } as const
  const error = await askingGitHub(options, ({ ask }) => errorOf(addLabel(ask, ADDRESS, 'docs-agent')))
  expect(error).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('`pull-requests: write`') as unknown,
  })
})

test('believes comments of apps and of people who may write, and no others', async () => {
  const comments = [
    comment('app', 'docs-agent[bot]', 'NONE'),
    comment('owner', 'mona', 'OWNER'),
    comment('member', 'mona', 'MEMBER'),
    comment('collaborator', 'mona', 'COLLABORATOR'),
    comment('stranger', 'dora', 'NONE'),
    comment('contributor', 'dora', 'CONTRIBUTOR'),
  ]
  const docs = repositoryWithPull({ comments })
  const found = await askingGitHub({ docs }, ({ ask }) => listTrustedComments(ask, ADDRESS))
  expect(found.map(({ body }) => body)).toEqual(['app', 'owner', 'member', 'collaborator'])
})

test('reads the comments of all pages', async () => {
  const comments = Array.from({ length: 130 }, () => comment('x', 'docs-agent[bot]', 'NONE'))
  expect(
    await askingGitHub({ docs: repositoryWithPull({ comments }) }, ({ ask }) => listTrustedComments(ask, ADDRESS)),
  ).toHaveLength(130)
})

test('does not write a comment again whose answer was lost', async () => {
  const server = { docs: repositoryWithPull(), faults: { 'issues/create-comment': ['unavailable'] } } as const
  await askingGitHub(server, async ({ ask, github }) => {
    expect(await errorOf(addComment(ask, ADDRESS, 'hello'))).toMatchObject({ code: 'service-error' })
    expect(github.requests).toEqual(['issues/create-comment'])
    await addComment(ask, ADDRESS, 'hello')
    expect(github.docs.pulls[7]?.comments.map(({ body }) => body)).toEqual(['hello'])
  })
})
