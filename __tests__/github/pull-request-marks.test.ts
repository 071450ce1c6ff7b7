import { expect, test } from '@jest/globals'
import type { Comment } from '../../src/emulator/github/state.ts'
import { addComment, addLabel, listMarkerComments } from '../../src/github/pull-request-marks.ts'
import { answering, askingGitHub, errorOf } from '../support/github-client.ts'
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

const MARKER = '<!-- docs-agent-action: job=job_1 -->'

test('lists what begins as a marker does, and says whether its author may be believed', async () => {
  const comments = [
    comment(`${MARKER} of a workflow`, 'github-actions[bot]', 'NONE'),
    comment(`${MARKER} of an app`, 'docs-agent[bot]', 'COLLABORATOR'),
    comment(`${MARKER} of a maintainer`, 'mona', 'CONTRIBUTOR'),
    comment(`${MARKER} of a stranger`, 'dora', 'MEMBER'),
    comment(`A quote: ${MARKER}`, 'mona', 'OWNER'),
  ]
  const docs = repositoryWithPull({ comments }, { collaborators: { mona: 'maintain' } })
  const found = await askingGitHub({ docs }, ({ ask }) => listMarkerComments(ask, ADDRESS))
  expect(found.map(({ body, author }) => [body.slice(MARKER.length + 1), author])).toEqual([
    ['of a workflow', 'trusted'],
    ['of an app', 'bot'],
    ['of a maintainer', 'trusted'],
    ['of a stranger', 'stranger'],
  ])
})

test('finds a marker behind more than 500 comments, and asks of nobody who wrote none', async () => {
  const others = Array.from({ length: 620 }, () => comment('x', 'dora', 'NONE'))
  const docs = repositoryWithPull({ comments: [...others, comment(MARKER, 'github-actions[bot]', 'NONE')] })
  await askingGitHub({ docs }, async ({ ask, github }) => {
    expect(await listMarkerComments(ask, ADDRESS)).toMatchObject([{ body: MARKER, author: 'trusted' }])
    expect(github.requests).toEqual(Array(7).fill('issues/list-comments'))
  })
})

test('a list of comments that is a page to sign in is no empty list', async () => {
  const server = { docs: repositoryWithPull(), faults: { 'issues/list-comments': ['html'] } } as const
  const error = await askingGitHub(server, ({ ask }) => errorOf(listMarkerComments(ask, ADDRESS)))
  expect(error).toMatchObject({ code: 'bad-answer' })
})

/** Pages with one comment each, which is fewer than there may be. */
const shortPages = (count: number) =>
  answering({
    issues: {
      listComments: ({ page }: { page: number }) => {
        const headers = page < count ? { link: `<https://api.github.com/x?page=${page + 1}>; rel="next"` } : {}
        return Promise.resolve({ data: [{ body: `${MARKER} ${page}`, user: null }], headers })
      },
    },
  })

test('a page that is not full is not taken for the last one', async () => {
  expect(await listMarkerComments(shortPages(3), ADDRESS)).toHaveLength(3)
})

test('more comments than it reads are not known', async () => {
  await expect(listMarkerComments(shortPages(51), ADDRESS)).rejects.toMatchObject({ code: 'rejected' })
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
