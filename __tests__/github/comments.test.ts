import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/marker.ts'
import { TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { issueState, type Comment } from '../../src/emulator/github/issue-state.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { CommentAddress, CommentPlace } from '../../src/github/comments.ts'
import type { GitHub } from '../../src/github/github.ts'
import { answering, askingGitHub, errorOf, type AskedGitHub, type AskingOptions } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const PULL = { repository: 'acme/docs', number: 7 }
const ANSWER: CommentAddress = {
  ...PULL,
  kind: 'comment',
  id: 71,
  threadId: 71,
  isOnPullRequest: true,
  writtenAt: '2020-01-01T00:00:00Z',
}
const IN_THREAD: CommentAddress = { ...ANSWER, kind: 'review-comment', id: 73, threadId: 72 }

const comment = (body: string, user = 'mona') =>
  ({ id: 71, createdAtMs: 0, reactions: [], body, user }) satisfies Comment

/** A GitHub with some comments, and a thread of two at a line. */
function asking<T>(
  comments: readonly Comment[],
  perform: (github: GitHub, given: AskedGitHub) => Promise<T>,
  options: AskingOptions = {},
): Promise<T> {
  const place = { path: 'docs/a.md', line: 3, diffHunk: '@@ -1 +1 @@' }
  const reviewComments = [
    { ...comment('Too long.'), ...place, id: 72, reviewId: 70 },
    { ...comment('/docs Shorten it.'), ...place, id: 73, inReplyTo: 72, reviewId: 69 },
  ]
  const repository = { collaborators: { mona: 'maintain' as const }, issues: { 8: issueState({}) } }
  const docs = repositoryWithPull({ comments: [...comments], reviewComments }, repository)
  return askingGitHub({ docs, ...options }, perform)
}

const COMMAND = comment('/docs Shorten it.')

test('puts eyes on a comment and on a review comment, and asks nothing for a review', async () => {
  await asking([COMMAND], async (github, { docs }) => {
    await github.addEyes(ANSWER)
    await github.addEyes(IN_THREAD)
    await github.addEyes({ ...ANSWER, kind: 'review', id: 70 })
    const { comments = [], reviewComments = [] } = docs.pulls[7] ?? {}
    expect(comments[0]?.reactions).toMatchObject([{ content: 'eyes', user: TOKEN_USER }])
    expect(reviewComments.map(({ reactions }) => reactions.length)).toEqual([0, 1])
  })
})

test('lists the comments of one review, with their places', async () => {
  const found = await asking([], (github) => github.listReviewComments({ ...ANSWER, kind: 'review', id: 70 }))
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
  ['below an issue', { ...ANSWER, number: 8, isOnPullRequest: false }, ({ issues }) => issues[8]?.comments],
])('writes a comment %s, finds it, and writes it anew and no other', async (_which, place, commentsIn) => {
  await asking([COMMAND], async (github, { docs }) => {
    const before = commentsIn(docs)?.map(({ body }) => body) ?? []
    const id = await github.addComment(place, `${MARKER}\nAt work.`)
    expect(await github.listComments(place, isOwnComment)).toEqual([
      { id, author: 'trusted', body: `${MARKER}\nAt work.` },
    ])
    await github.editComment(place, id ?? 0, `${MARKER}\nDone.`)
    expect(commentsIn(docs)?.map(({ body }) => body)).toEqual([...before, `${MARKER}\nDone.`])
    if (place === IN_THREAD) expect(commentsIn(docs)?.at(-1)).toMatchObject({ inReplyTo: 72 })
  })
})

test('in the place of an answer, only comments since the one that it answers are asked for', async () => {
  const asked: unknown[] = []
  const github = answering((_path, query) => {
    asked.push(query.get('since'))
    return []
  })
  for (const place of [ANSWER, PULL]) await github.listComments(place, isOwnComment)
  expect(asked).toEqual([ANSWER.writtenAt, null])
})

test.each<[string, readonly string[], number]>([
  ['what begins as a marker does, and not what quotes one', [`A quote: ${MARKER}`, MARKER], 1],
  ['a marker behind more than 500 comments, and asks of none of them', [...Array<string>(620).fill('x'), MARKER], 7],
])('finds %s', async (_what, bodies, pages) => {
  const comments = bodies.map((body) => comment(body, 'github-actions[bot]'))
  await asking(comments, async (github, { asked }) => {
    expect(await github.listComments(PULL, isOwnComment)).toMatchObject([{ body: MARKER, author: 'trusted' }])
    expect(asked).toEqual(Array(pages).fill('issues/list-comments'))
  })
})

test('who wrote what does not matter is not asked for', async () => {
  await asking([comment(MARKER)], async (github, { asked }) => {
    expect(await github.listComments(PULL, (body) => body.includes('job_2'))).toEqual([])
    expect(asked).toEqual(['issues/list-comments'])
  })
})

test('reads what one comment says', async () => {
  expect(await asking([COMMAND], (github) => github.readComment(PULL, 71))).toBe('/docs Shorten it.')
})

test.each<[string, CommentPlace]>([
  ['issues/create-comment', PULL],
  ['pulls/create-reply-for-review-comment', IN_THREAD],
])('a comment that may have been written is not sent again: %s', async (operation, place) => {
  const options = { faults: { [operation]: ['answer-lost', 'unavailable'] } } as const
  const add = async (github: GitHub, { asked }: AskedGitHub): Promise<void> => {
    expect(await errorOf(github.addComment(place, 'Done.'))).toMatchObject({ code: 'unreachable' })
    expect(await errorOf(github.addComment(place, 'Done.'))).toMatchObject({ code: 'service-error' })
    expect(asked).toEqual([operation, operation])
  }
  await asking([COMMAND], add, options)
})
