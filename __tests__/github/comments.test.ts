import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import {
  issueState,
  pullState,
  repositoryState,
  type RepositoryState,
  type ReviewComment,
} from '../../src/emulator/github/state.ts'
import { createAskGitHub, type AskGitHub } from '../../src/github/ask-github.ts'
import {
  addEyes,
  addReply,
  editReply,
  findReply,
  listReviewComments,
  type CommentAddress,
} from '../../src/github/comments.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { errorOf, withShortPauses } from '../support/github-client.ts'
import { commit } from '../support/github-state.ts'
import { violationsOf } from '../support/github-violations.ts'

const MARKER = '<!-- docs-agent-action: reply run=42 comment=71 -->'
const said = { user: 'mona', createdAtMs: 0 }
const PLACE = { path: 'docs/a.md', line: 3, diffHunk: '@@ -1 +1 @@' }

const ADDRESS: CommentAddress = {
  ...{ repository: 'acme/docs', number: 7, kind: 'comment' as const, id: 71, threadId: 71 },
  ...{ isOnPullRequest: true, writtenAt: '2020-01-01T00:00:00Z' },
}
const IN_THREAD: CommentAddress = { ...ADDRESS, kind: 'review-comment', id: 73, threadId: 72 }

/** A GitHub with a comment, and a thread of two at a line. All that is said must be as GitHub's description says. */
async function asking<T>(
  perform: (ask: AskGitHub, docs: RepositoryState, requests: readonly string[]) => Promise<T>,
  faults: Readonly<Record<string, { readonly faults: readonly GitHubFault[]; readonly then: 'stays' }>> = {},
): Promise<T> {
  const thread: ReviewComment[] = [
    { ...said, ...PLACE, id: 72, body: 'Too long.', reactions: [], reviewId: 70 },
    { ...said, ...PLACE, id: 73, body: '/docs Shorten it.', reactions: [], inReplyTo: 72, reviewId: 69 },
  ]
  const comments = [{ ...said, id: 71, body: '/docs Shorten it.', reactions: [] }]
  const docs = repositoryState({
    collaborators: { mona: 'write' },
    pulls: { 7: pullState({ branch: 'guide', headSha: commit('c'), comments, reviewComments: thread }) },
    issues: { 8: issueState({}) },
  })
  const violations: string[] = []
  const requests: string[] = []
  const emulator = await startEmulator({
    github: {
      state: { repositories: { 'acme/docs': docs } },
      faults,
      onExchange: (exchange) => {
        requests.push(exchange.operation ?? '')
        violations.push(...violationsOf(exchange))
      },
    },
  })
  const clock = systemClock
  const options = { apiUrl: emulator.github.apiUrl, token: GITHUB_TOKEN, env: {}, clock, retryUnitMs: 10 }
  const ask = createAskGitHub({
    ...options,
    signal: new AbortController().signal,
    deadlineAt: clock.now() + 60_000,
    debug: () => undefined,
    redact: (text) => text,
  })
  try {
    const result = await withShortPauses(() => perform(ask, docs, requests))
    expect(violations).toEqual([])
    return result
  } finally {
    await emulator.close()
  }
}

test('puts eyes on a comment and on a review comment, and asks nothing for a review', async () => {
  await asking(async (ask, docs) => {
    await addEyes(ask, ADDRESS)
    await addEyes(ask, IN_THREAD)
    await addEyes(ask, { ...ADDRESS, kind: 'review', id: 70 })
    expect(docs.pulls[7]?.comments[0]?.reactions).toMatchObject([{ content: 'eyes', user: TOKEN_USER }])
    expect(docs.pulls[7]?.reviewComments.map(({ reactions }) => reactions.length)).toEqual([0, 1])
  })
})

test('lists the comments of one review, with their places', async () => {
  const comments = await asking((ask) => listReviewComments(ask, { ...ADDRESS, kind: 'review', id: 70 }))
  expect(comments).toMatchObject([{ body: 'Too long.', path: 'docs/a.md', line: 3, hunk: '@@ -1 +1 @@' }])
  expect(typeof comments[0]?.authorId).toBe('number')
})

test('replies below a pull request and an issue, and in the thread of a review comment', async () => {
  await asking(async (ask, docs) => {
    await addReply(ask, ADDRESS, 'Done.')
    await addReply(ask, { ...ADDRESS, number: 8, isOnPullRequest: false }, 'Done.')
    await addReply(ask, IN_THREAD, 'Done.')
    expect(docs.pulls[7]?.comments.at(-1)?.body).toBe('Done.')
    expect(docs.issues[8]?.comments.at(-1)?.body).toBe('Done.')
    expect(docs.pulls[7]?.reviewComments.at(-1)).toMatchObject({ body: 'Done.', inReplyTo: 72 })
  })
})

test.each([ADDRESS, IN_THREAD])('finds its reply to a $kind, and writes it anew', async (address) => {
  await asking(async (ask) => {
    expect(await findReply(ask, address, MARKER)).toBeUndefined()
    await addReply(ask, address, `${MARKER}\nAt work.`)
    const id = (await findReply(ask, address, MARKER)) ?? 0
    await editReply(ask, address, id, `${MARKER}\nDone.`)
    expect(await findReply(ask, address, `${MARKER}\nDone.`)).toBe(id)
  })
})

test('what a stranger writes is no reply of ours', async () => {
  await asking(async (ask, docs) => {
    const body = `${MARKER}\nForged.`
    docs.pulls[7]?.comments.push({ ...said, id: 90, user: 'dora', association: 'NONE', body, reactions: [] })
    expect(await findReply(ask, ADDRESS, MARKER)).toBeUndefined()
  })
})

test('a locked conversation takes no reply, and the error names what is needed', async () => {
  await asking(async (ask, docs) => {
    const pull = docs.pulls[7]
    if (pull !== undefined) pull.locked = true
    expect(await errorOf(addReply(ask, ADDRESS, 'Done.'))).toMatchObject({ code: 'forbidden' })
  })
})

test.each([ADDRESS, IN_THREAD])('a reply to a $kind that may have been written is not sent again', async (address) => {
  const down = { faults: ['unavailable'] as const, then: 'stays' as const }
  await asking(
    async (ask, _docs, requests) => {
      expect(await errorOf(addReply(ask, address, 'Done.'))).toMatchObject({ code: 'service-error' })
      expect(requests).toHaveLength(1)
    },
    { 'issues/create-comment': down, 'pulls/create-reply-for-review-comment': down },
  )
})
