import { expect, test } from '@jest/globals'
import { TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { issueState, type Comment } from '../../src/emulator/github/issue-state.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { connectComments, type CommentAddress, type CommentPlace } from '../../src/github/comments.ts'
import { answering, askingGitHub, errorOf, type AskedGitHub, type AskingOptions } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const PULL = { repository: 'acme/docs', number: 7 }
const ANSWER: CommentAddress = {
  ...{ ...PULL, kind: 'comment' as const, id: 71, threadId: 71 },
  ...{ isOnPullRequest: true, writtenAt: '2020-01-01T00:00:00Z' },
}
const IN_THREAD: CommentAddress = { ...ANSWER, kind: 'review-comment', id: 73, threadId: 72 }
const PLACES = [
  ['below a pull request', PULL, ({ pulls }) => pulls[7]?.comments],
  ['in the thread of a review comment', IN_THREAD, ({ pulls }) => pulls[7]?.reviewComments],
  ['below an issue', { ...ANSWER, number: 8, isOnPullRequest: false }, ({ issues }) => issues[8]?.comments],
] satisfies [string, CommentPlace, (docs: RepositoryState) => unknown][]

const comment = (body: string, user = 'mona'): Comment => ({ id: 71, createdAtMs: 0, reactions: [], body, user })

/** A GitHub with some comments, and a thread of two at a line. */
function asking<T>(
  perform: (asked: AskedGitHub) => Promise<T>,
  comments: readonly Comment[] = [comment('/docs Shorten it.')],
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

test('puts eyes on a comment and on a review comment, and asks nothing for a review', async () => {
  await asking(async ({ ask, github }) => {
    await connectComments(ask).addEyes(ANSWER)
    await connectComments(ask).addEyes(IN_THREAD)
    await connectComments(ask).addEyes({ ...ANSWER, kind: 'review', id: 70 })
    const pull = github.docs.pulls[7]
    expect(pull?.comments[0]?.reactions).toMatchObject([{ content: 'eyes', user: TOKEN_USER }])
    expect(pull?.reviewComments.map(({ reactions }) => reactions.length)).toEqual([0, 1])
  })
})

test('lists the comments of one review, with their places', async () => {
  const comments = await asking(({ ask }) =>
    connectComments(ask).listReviewComments({ ...ANSWER, kind: 'review', id: 70 }),
  )
  expect(comments).toMatchObject([{ body: 'Too long.', path: 'docs/a.md', line: 3, hunk: '@@ -1 +1 @@' }])
  expect(typeof comments[0]?.authorId).toBe('number')
})

test.each(PLACES)(
  'writes a comment %s, finds it, and writes it anew and no other',
  async (_which, place, commentsIn) => {
    await asking(async ({ ask, github: { docs } }) => {
      const before = commentsIn(docs)?.map(({ body }) => body) ?? []
      await connectComments(ask).addComment(place, `${MARKER}\nAt work.`)
      const found = await connectComments(ask).listMarkerComments(place)
      expect(found).toEqual([{ id: expect.any(Number), author: 'trusted', body: `${MARKER}\nAt work.` }])
      await connectComments(ask).editComment(place, found[0]?.id ?? 0, `${MARKER}\nDone.`)
      expect(commentsIn(docs)?.map(({ body }) => body)).toEqual([...before, `${MARKER}\nDone.`])
      if (place === IN_THREAD) expect(docs.pulls[7]?.reviewComments.at(-1)).toMatchObject({ inReplyTo: 72 })
    })
  },
)

test('in the place of an answer, only comments since the one that it answers are asked for', async () => {
  const asked: unknown[] = []
  const listComments = ({ since }: { since?: string }) => {
    asked.push(since)
    return Promise.resolve({ data: [], headers: {} })
  }
  await connectComments(answering({ issues: { listComments } })).listMarkerComments(ANSWER)
  await connectComments(answering({ issues: { listComments } })).listMarkerComments(PULL)
  expect(asked).toEqual([ANSWER.writtenAt, undefined])
})

test('lists what begins as a marker does, and says whether its author may be believed', async () => {
  const comments = [
    { ...comment(`${MARKER} of an app`, 'docs-agent[bot]'), association: 'COLLABORATOR' },
    { ...comment(`${MARKER} of a maintainer`), association: 'CONTRIBUTOR' },
    { ...comment(`${MARKER} of a stranger`, 'dora'), association: 'MEMBER' },
    comment(`A quote: ${MARKER}`),
  ]
  const found = await asking(({ ask }) => connectComments(ask).listMarkerComments(PULL), comments)
  expect(found.map(({ body, author }) => [body.slice(MARKER.length + 1), author])).toEqual([
    ['of an app', 'bot'],
    ['of a maintainer', 'trusted'],
    ['of a stranger', 'stranger'],
  ])
})

test('finds a marker behind more than 500 comments, and asks of nobody who wrote none', async () => {
  const others = Array.from({ length: 620 }, () => comment('x', 'dora'))
  const all = [...others, comment(MARKER, 'github-actions[bot]')]
  await asking(async ({ ask, github }) => {
    expect(await connectComments(ask).listMarkerComments(PULL)).toMatchObject([{ body: MARKER, author: 'trusted' }])
    expect(github.requests).toEqual(Array(7).fill('issues/list-comments'))
  }, all)
})

test('a thousand markers of strangers beside that of a workflow cost the pages that they are on', async () => {
  const forged = Array.from({ length: 1_000 }, (_, id) => comment(MARKER, `stranger-${id}`))
  const all = [comment(MARKER, 'github-actions[bot]'), ...forged]
  await asking(async ({ ask, github }) => {
    expect(
      (await connectComments(ask).listMarkerComments(PULL)).filter(({ author }) => author === 'trusted'),
    ).toHaveLength(1)
    expect(github.requests).toEqual(Array(11).fill('issues/list-comments'))
  }, all)
})

test('who wrote what does not matter is not asked for', async () => {
  await asking(
    async ({ ask, github }) => {
      expect(await connectComments(ask).listMarkerComments(PULL, (body) => body.includes('job_2'))).toEqual([])
      expect(github.requests).toEqual(['issues/list-comments'])
    },
    [comment(MARKER)],
  )
})

test('reads what one comment says', async () => {
  expect(await asking(({ ask }) => connectComments(ask).readComment(PULL, 71))).toBe('/docs Shorten it.')
})

test('a list of comments that is a page to sign in is no empty list', async () => {
  const faults = { 'issues/list-comments': ['html'] } as const
  const error = await asking(({ ask }) => errorOf(connectComments(ask).listMarkerComments(PULL)), [], { faults })
  expect(error).toMatchObject({ code: 'bad-answer' })
})

/** Pages with one comment each, which is fewer than there may be. */
const shortPages = (count: number) =>
  answering({
    issues: {
      listComments: ({ page }: { page: number }) => {
        const headers = page < count ? { link: `<https://api.github.com/x?page=${page + 1}>; rel="next"` } : {}
        return Promise.resolve({ data: [{ id: page, body: `${MARKER} ${page}`, user: null }], headers })
      },
    },
  })

test('a page that is not full is not taken for the last one', async () => {
  expect(await connectComments(shortPages(3)).listMarkerComments(PULL)).toHaveLength(3)
})

test('of fifty pages all is known, and of more nothing', async () => {
  expect(await connectComments(shortPages(50)).listMarkerComments(PULL)).toHaveLength(50)
  await expect(connectComments(shortPages(51)).listMarkerComments(PULL)).rejects.toMatchObject({
    code: 'rejected',
    message: 'GitHub has more than 5000 to list.',
  })
})

test.each([
  ['add', (asked: AskedGitHub) => connectComments(asked.ask).addComment(PULL, 'Done.')],
  ['edit', (asked: AskedGitHub) => connectComments(asked.ask).editComment(PULL, 71, 'Done.')],
])('the error names what is needed to %s a comment', async (_what, perform) => {
  const state = { permissions: { 'pull-requests': 'read' } } as const
  const error = await asking((asked) => errorOf(perform(asked)), undefined, { state })
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('`pull-requests: write`') as unknown })
})

test.each([PULL, IN_THREAD])('a comment that may have been written is not sent again: %j', async (place) => {
  const down = ['unavailable'] as const
  const faults = { 'issues/create-comment': down, 'pulls/create-reply-for-review-comment': down }
  await asking(
    async ({ ask, github }) => {
      expect(await errorOf(connectComments(ask).addComment(place, 'Done.'))).toMatchObject({ code: 'service-error' })
      expect(github.requests).toHaveLength(1)
    },
    undefined,
    { faults },
  )
})
