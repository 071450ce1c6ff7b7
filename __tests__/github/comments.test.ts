import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/history/state.ts'
import { TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { createIssueState, type StoredComment } from '../../src/emulator/github/issue-state.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { CommentAddress, CommentPlace } from '../../src/github/comments.ts'
import type { GitHub } from '../../src/github/github.ts'
import {
  stubGitHub,
  withGitHub,
  catchError,
  type EmbeddedGitHub,
  type EmbeddedGitHubOptions,
} from '../../testing/github-client.ts'
import { repositoryWithPull } from '../../testing/github-state.ts'

const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const PULL = { repository: 'acme/docs', number: 7 }
const ADDRESS: CommentAddress = {
  ...PULL,
  kind: 'comment',
  id: 71,
  threadId: 71,
  isOnPullRequest: true,
  writtenAt: '2020-01-01T00:00:00Z',
}

const IN_THREAD: CommentAddress = { ...ADDRESS, kind: 'review-comment', id: 73, threadId: 72 }

const comment = (body: string, user = 'mona') =>
  ({ id: 71, createdAtMs: 0, reactions: [], body, user }) satisfies StoredComment

/** Runs calls on a pull request with comments and a thread of two review comments. */
function withComments<T>(
  comments: readonly StoredComment[],
  perform: (github: GitHub, given: EmbeddedGitHub) => Promise<T>,
  options: EmbeddedGitHubOptions = {},
): Promise<T> {
  const place = { path: 'docs/a.md', line: 3, diffHunk: '@@ -1 +1 @@' }
  const reviewComments = [
    { ...comment('Too long.'), ...place, id: 72, reviewId: 70 },
    { ...comment('/docs Shorten it.'), ...place, id: 73, inReplyTo: 72, reviewId: 69 },
  ]
  const repository = { collaborators: { mona: 'maintain' as const }, issues: { 8: createIssueState({}) } }
  const docs = repositoryWithPull({ comments: [...comments], reviewComments }, repository)
  return withGitHub({ docs, ...options }, perform)
}

const COMMAND = comment('/docs Shorten it.')

test('adds eyes to a comment and to a review comment, and sends nothing for a review', async () => {
  await withComments([COMMAND], async (github, { docs }) => {
    await github.addEyes(ADDRESS)
    await github.addEyes(IN_THREAD)
    await github.addEyes({ ...ADDRESS, kind: 'review', id: 70 })
    const { comments = [], reviewComments = [] } = docs.pulls[7] ?? {}
    expect(comments[0]?.reactions).toMatchObject([{ content: 'eyes', user: TOKEN_USER }])
    expect(reviewComments.map(({ reactions }) => reactions.length)).toEqual([0, 1])
  })
})

test('adds eyes to a pull request, once', async () => {
  await withComments([], async (github, { docs }) => {
    await github.addEyesToPullRequest(PULL)
    await github.addEyesToPullRequest(PULL)
    expect(docs.pulls[7]?.reactions).toMatchObject([{ content: 'eyes', user: TOKEN_USER }])
  })
})

test('lists the comments of a review, with their positions', async () => {
  const found = await withComments([], (github) => github.listReviewComments({ ...ADDRESS, kind: 'review', id: 70 }))
  expect(found).toEqual([
    {
      authorId: expect.any(Number),
      body: 'Too long.',
      path: 'docs/a.md',
      line: 3,
      startLine: undefined,
      hunk: '@@ -1 +1 @@',
    },
  ])
})

test.each<[string, CommentPlace, (docs: RepositoryState) => readonly { body: string }[] | undefined]>([
  ['below a pull request', PULL, ({ pulls }) => pulls[7]?.comments],
  ['in the thread of a review comment', IN_THREAD, ({ pulls }) => pulls[7]?.reviewComments],
  ['below an issue', { ...ADDRESS, number: 8, isOnPullRequest: false }, ({ issues }) => issues[8]?.comments],
])('adds a comment %s, finds it, and edits only that comment', async (_which, place, commentsIn) => {
  await withComments([COMMAND], async (github, { docs }) => {
    const before = commentsIn(docs)?.map(({ body }) => body) ?? []
    const id = await github.addComment(place, `${MARKER}\nAt work.`)
    expect(await github.listComments(place, isOwnComment)).toMatchObject([
      { id, author: 'trusted', body: `${MARKER}\nAt work.` },
    ])
    await github.editComment(place, id ?? 0, `${MARKER}\nDone.`)
    expect(commentsIn(docs)?.map(({ body }) => body)).toEqual([...before, `${MARKER}\nDone.`])
    if (place === IN_THREAD) expect(commentsIn(docs)?.at(-1)).toMatchObject({ inReplyTo: 72 })
  })
})

test('for a reply, requests only the comments since the comment that it is about', async () => {
  const sinceValues: unknown[] = []
  const github = stubGitHub((_path, query) => {
    sinceValues.push(query.get('since'))
    return []
  })
  for (const place of [ADDRESS, PULL]) await github.listComments(place, isOwnComment)
  expect(sinceValues).toEqual([ADDRESS.writtenAt, null])
})

test.each<[string, readonly string[], number]>([
  ['a comment that begins with a marker, but not one that quotes a marker', [`A quote: ${MARKER}`, MARKER], 1],
  [
    'a marker after more than 500 comments, without looking up their authors',
    [...Array<string>(620).fill('x'), MARKER],
    7,
  ],
])('finds %s', async (_what, bodies, pages) => {
  const comments = bodies.map((body) => comment(body, 'github-actions[bot]'))
  await withComments(comments, async (github, { operations }) => {
    expect(await github.listComments(PULL, isOwnComment)).toMatchObject([{ body: MARKER, author: 'trusted' }])
    expect(operations).toEqual(Array(pages).fill('issues/list-comments'))
  })
})

test('does not look up the authors of irrelevant comments', async () => {
  await withComments([comment(MARKER)], async (github, { operations }) => {
    expect(await github.listComments(PULL, (body) => body.includes('job_2'))).toEqual([])
    expect(operations).toEqual(['issues/list-comments'])
  })
})

test('reads the text and the age of a comment', async () => {
  const read = await withComments([COMMAND], (github) => github.readComment(PULL, 71))
  expect(read).toEqual({ body: '/docs Shorten it.', ageMs: expect.any(Number) })
})

test.each<[string, CommentPlace]>([
  ['issues/create-comment', PULL],
  ['pulls/create-reply-for-review-comment', IN_THREAD],
])('does not resend a comment that may have been added: %s', async (operation, place) => {
  const options = { faults: { [operation]: ['response-lost', 'unavailable'] } } as const
  const add = async (github: GitHub, { operations }: EmbeddedGitHub): Promise<void> => {
    expect(await catchError(github.addComment(place, 'Done.'))).toMatchObject({ code: 'unreachable' })
    expect(await catchError(github.addComment(place, 'Done.'))).toMatchObject({ code: 'service-error' })
    expect(operations).toEqual([operation, operation])
  }
  await withComments([COMMAND], add, options)
})
