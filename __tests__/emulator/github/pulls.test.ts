import { describe, expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { type PullState, pullState, type ReviewComment } from '../../../src/emulator/github/pull-state.ts'
import { invalid, pageOf, refusal, wireTime } from '../../../src/emulator/github/reply.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-events.ts'
import { type RepositoryState, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

describe('pull body', () => {
  function drive(fields: Partial<PullState> = {}, headMs = 0): GitHubDriver {
    const pull = pullState({ branch: 'guide', headSha: commit('c'), createdAtMs: DEFAULT_START_MS, ...fields })
    const lag = { ...USUAL_LAG, mergeableMs: 3_000, headMs }
    return driveGitHub({ docs: { pulls: { 7: pull }, collaborators: { mona: 'write' } }, scenario: { lag } })
  }

  test.each([
    [{}, true, 'clean'],
    [{ conflict: true }, false, 'dirty'],
    [{ blocked: true }, true, 'blocked'],
    [{ draft: true }, true, 'draft'],
    [{ state: 'closed' }, null, 'unknown'],
  ] as const)('whether %j can be merged is found out some time after it was opened', (fields, mergeable, state) => {
    const { read, advance } = drive(fields)
    expect(read('/pulls/7')).toMatchObject({ mergeable: null, mergeable_state: 'unknown' })
    advance(3)
    expect(read('/pulls/7')).toMatchObject({ mergeable, mergeable_state: state })
  })

  test('a head that moved is shown some time later', () => {
    const earlierHeads = [
      { sha: commit('a'), untilMs: DEFAULT_START_MS },
      { sha: commit('b'), untilMs: DEFAULT_START_MS + 3_000 },
    ]
    const { read, advance } = drive({ earlierHeads }, 5_000)
    expect(read('/pulls/7').head.sha).toBe(commit('a'))
    advance(5)
    expect(read('/pulls/7').head.sha).toBe(commit('b'))
    advance(3)
    expect(read('/pulls/7').head.sha).toBe(commit('c'))
    expect(read('/pulls')[0].head.sha).toBe(commit('c'))
  })

  test('a merged pull request is closed, and names its merge', () => {
    const { read } = drive({ state: 'closed', merge: { sha: commit('d'), atMs: DEFAULT_START_MS } })
    const merged = { state: 'closed', merged: true, merge_commit_sha: commit('d'), merged_at: '2026-01-01T00:00:00Z' }
    expect(read('/pulls/7')).toMatchObject(merged)
  })

  test('who works with the repository is told from strangers', () => {
    expect(drive().read('/pulls/7').author_association).toBe('COLLABORATOR')
    expect(drive({ user: 'dora' }).read('/pulls/7').author_association).toBe('NONE')
  })
})

describe('pull operations', () => {
  function twoPulls(): RepositoryState {
    const docs = repositoryState()
    const change = (filename: string) => ({ message: `Change ${filename}`, author: 'mona', files: [{ filename }] })
    pushCommit(docs, 'main', change('a.md'), DEFAULT_START_MS - 9_000)
    for (const [index, branch] of ['one', 'two'].entries()) {
      const atMs = DEFAULT_START_MS - 9_000 + index * 1_000
      pushCommit(docs, branch, change(`${branch}.md`), atMs)
      openPull(docs, index + 1, { branch, title: branch, updatedAtMs: DEFAULT_START_MS - index * 1_000 }, atMs)
    }
    return docs
  }

  const numbersOf = (list: readonly { number: number }[]): number[] => list.map(({ number }) => number)

  test('pull requests are listed by state, branch and time', () => {
    const docs = twoPulls()
    const { read, ask } = driveGitHub({ docs })
    expect(ask('PATCH', '/pulls/2', { state: 'closed' }).body.state).toBe('closed')
    const listed = (query: string) => numbersOf(read(`/pulls?${query}`))
    expect(listed('')).toEqual([1])
    expect(listed('state=closed')).toEqual([2])
    expect(listed('state=all')).toEqual([2, 1])
    expect(listed('state=all&direction=asc')).toEqual([1, 2])
    expect(listed('state=all&head=acme:two')).toEqual([2])
    expect(listed('state=all&base=next')).toEqual([])
  })

  test('a pull request tells its commits and files', () => {
    const { read } = driveGitHub({ docs: twoPulls() })
    expect(read('/pulls/2')).toMatchObject({ commits: 1, changed_files: 1 })
    expect(read('/pulls/2/files')).toMatchObject([{ filename: 'two.md', status: 'modified', changes: 1 }])
    expect(read('/pulls/2/commits')).toMatchObject([{ commit: { message: 'Change two.md' } }])
  })

  test('a merge wants the head that it was asked for', () => {
    const { ask, read, advance, docs } = driveGitHub({ docs: twoPulls() })
    advance(5)
    expect(ask('PUT', '/pulls/1/merge', { sha: commit('f') })).toMatchObject({
      status: 409,
      body: { message: 'Head branch was modified. Review and try the merge again.' },
    })
    const sha = docs.pulls[1]?.headSha ?? ''
    const { body } = ask('PUT', '/pulls/1/merge', { sha, merge_method: 'squash' })
    expect(body).toMatchObject({ merged: true })
    expect(read('/commits')[0]).toMatchObject({ sha: body.sha, commit: { message: 'one (#1)' } })
    expect(read('/pulls/1/files')).toMatchObject([{ filename: 'one.md' }])
    expect(ask('PUT', '/pulls/1/merge', { sha }).status).toBe(405)
  })

  test.each(['conflict', 'blocked', 'draft'] as const)('a pull request with “%s” is not merged', (field) => {
    const { ask, advance, docs } = driveGitHub({ docs: twoPulls() })
    advance(5)
    const { 1: pull } = docs.pulls
    if (pull !== undefined) pull[field] = true
    expect(ask('PUT', '/pulls/1/merge', {}).body).toMatchObject({ message: 'Pull Request is not mergeable' })
    expect(pull?.state).toBe('open')
  })
})

describe('review operations', () => {
  const line: ReviewComment = {
    ...{ id: 71, user: 'mona', body: '/docs shorten', createdAtMs: 0, reactions: [] },
    ...{ path: 'docs/a.md', line: 3, diffHunk: '@@ -1 +1 @@', reviewId: 70 },
  }

  function drive(): GitHubDriver {
    const reviewComments = [line, { ...line, id: 72, inReplyTo: 71 }, { ...line, id: 73, reviewId: 69 }]
    const pull = pullState({ branch: 'guide', headSha: commit('c'), reviewComments })
    return driveGitHub({ docs: { pulls: { 7: pull } } })
  }

  test('who is asked for a review stays so until they have given one', () => {
    const pull = pullState({ branch: 'guide', headSha: commit('c'), user: 'ann' })
    const docs = { pulls: { 7: pull }, collaborators: { mona: 'write', ann: 'write' } as const, teams: ['writers'] }
    const { ask, read } = driveGitHub({ docs })
    const path = '/pulls/7/requested_reviewers'
    expect(ask('POST', path, { reviewers: ['mona'], team_reviewers: ['writers'] }).status).toBe(201)
    expect(ask('POST', path, { reviewers: ['mona'] }).status).toBe(201)
    expect(read('/pulls/7')).toMatchObject({
      requested_reviewers: [{ login: 'mona' }],
      requested_teams: [{ slug: 'writers' }],
    })
    pull.reviewEvents.push({ id: 70, event: 'reviewed', actor: 'mona', name: 'mona', atMs: 0 })
    expect(read('/pulls/7').requested_reviewers).toEqual([])
    expect(read('/issues/7/timeline').map(({ event }: { event: string }) => event)).toEqual([
      'review_requested',
      'review_requested',
      'reviewed',
    ])
  })

  test.each([
    ['who has no access', { reviewers: ['mona', 'dora'] }],
    ['a team without access', { team_reviewers: ['others'] }],
    ['the author', { reviewers: ['ann'] }],
  ])('nobody is asked together with %s', (_who, body) => {
    const pull = pullState({ branch: 'guide', headSha: commit('c'), user: 'ann' })
    const { ask, read } = driveGitHub({ docs: { pulls: { 7: pull }, collaborators: { mona: 'write', ann: 'write' } } })
    expect(ask('POST', '/pulls/7/requested_reviewers', body).status).toBe(422)
    expect(read('/pulls/7').requested_reviewers).toEqual([])
  })

  test('a review has its comments', () => {
    const { read } = drive()
    expect(read('/pulls/7/reviews/70/comments').map(({ id }: { id: number }) => id)).toEqual([71, 72])
    expect(read('/pulls/7/comments')).toHaveLength(3)
  })

  test.each([71, 72])('a reply to comment %d stands in its thread', (id) => {
    const { ask, read } = drive()
    expect(ask('POST', `/pulls/7/comments/${id}/replies`, { body: 'Done' }).status).toBe(201)
    expect(read('/pulls/7/comments').at(-1)).toMatchObject({
      body: 'Done',
      in_reply_to_id: 71,
      path: 'docs/a.md',
      line: 3,
    })
  })

  test('what is not there is neither answered nor reacted to', () => {
    const { ask } = drive()
    expect(ask('POST', '/pulls/7/comments/9/replies', { body: 'Done' }).status).toBe(404)
    expect(ask('POST', '/pulls/comments/9/reactions', { content: 'eyes' }).status).toBe(404)
    expect(ask('POST', '/pulls/comments/71/reactions', { content: 'eyes' }).status).toBe(201)
  })

  test('a comment of a review can be written anew', () => {
    const { ask, read } = drive()
    expect(ask('PATCH', '/pulls/comments/71', { body: 'Shorter' }).status).toBe(200)
    expect(read('/pulls/7/comments')[0]).toMatchObject({ id: 71, body: 'Shorter' })
  })
})

describe('issue operations', () => {
  const drive = (): GitHubDriver =>
    driveGitHub({
      docs: {
        labels: ['docs-agent'],
        pulls: { 7: pullState({ branch: 'guide', headSha: commit('c'), labels: ['docs-agent'] }) },
        issues: { 8: issueState({ title: 'A question', labels: ['docs-agent', 'question'], createdAtMs: 5 }) },
      },
    })

  test('issues and pull requests are listed together, by label', () => {
    const { read } = drive()
    const listed = (query: string) => read(`/issues?${query}`).map(({ number }: { number: number }) => number)
    expect(listed('labels=docs-agent')).toEqual([8, 7])
    expect(listed('labels=docs-agent,question')).toEqual([8])
    expect(listed('labels=docs-agent&sort=created&direction=asc')).toEqual([7, 8])
    expect(listed('state=closed')).toEqual([])
    expect(read('/issues/7').pull_request).toBeDefined()
    expect(read('/issues/8').pull_request).toBeUndefined()
  })

  test('comments are written by the token’s own user, and can be changed', () => {
    const { ask, read, advance } = drive()
    const { body: written } = ask('POST', '/issues/7/comments', { body: 'Hello' })
    expect(written).toMatchObject({ user: { login: TOKEN_USER, type: 'Bot' }, author_association: 'NONE' })
    advance(60)
    expect(ask('PATCH', `/issues/comments/${written.id}`, { body: 'Bye' }).status).toBe(200)
    expect(read('/issues/7/comments')).toMatchObject([
      { id: written.id, body: 'Bye', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:01:00Z' },
    ])
    const since = (second: string) => read(`/issues/7/comments?since=2026-01-01T00:${second}Z`)
    expect([since('01:00'), since('01:01')]).toEqual([[expect.objectContaining({ body: 'Bye' })], []])
    expect(ask('PATCH', '/issues/comments/9', { body: 'Bye' }).status).toBe(404)
  })

  test.each([
    ['nothing', '', 422, 'Validation Failed'],
    ['too much', 'x'.repeat(65_537), 422, 'Body is too long'],
  ])('a comment with %s in it is refused', (_name, body, status, message) => {
    expect(drive().ask('POST', '/issues/7/comments', { body })).toMatchObject({
      status,
      body: { message: expect.stringContaining(message) },
    })
  })

  test('a locked conversation takes no comments', () => {
    const { ask, docs } = drive()
    const { 7: pull } = docs.pulls
    if (pull !== undefined) pull.locked = true
    expect(ask('POST', '/issues/7/comments', { body: 'Hello' })).toMatchObject({
      status: 403,
      body: { message: 'Unable to create comment because issue is locked.' },
    })
  })

  test('a label is made once, and put on once', () => {
    const { ask, read, docs } = drive()
    for (const other of ['other', 'OTHER']) ask('POST', '/issues/7/labels', { labels: ['new', other] })
    expect(read('/pulls/7').labels).toMatchObject([{ name: 'docs-agent' }, { name: 'new' }, { name: 'other' }])
    expect(docs.labels).toEqual(['docs-agent', 'new', 'other'])
  })

  test('an issue can be closed', () => {
    const { ask, read } = drive()
    ask('PATCH', '/issues/8', { state: 'closed' })
    expect(read('/issues/8')).toMatchObject({ state: 'closed', closed_at: '2026-01-01T00:00:00Z' })
  })
})

describe('comment body', () => {
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
    const { read } = driveGitHub({
      docs: { collaborators: { mona: 'admin' }, issues: { 8: issueState({ comments }) } },
    })
    const shown = read('/issues/8/comments').map((found: { author_association: string }) => found.author_association)
    expect(shown).toEqual(['COLLABORATOR', 'CONTRIBUTOR'])
  })
})

const ITEMS = Array.from({ length: 250 }, (_, index) => index)
const page = (query: string) => pageOf({ query: new URLSearchParams(query), url: 'http://x/list' }, ITEMS)

test('pages are 30 long, or as long as is asked for, and never longer than 100', () => {
  expect(page('').items).toEqual(ITEMS.slice(0, 30))
  expect(page('per_page=100&page=2').items).toEqual(ITEMS.slice(100, 200))
  expect(page('per_page=1000').items).toHaveLength(100)
  expect(page('per_page=0&page=x').items).toHaveLength(30)
})

test('a page names those before and behind it, with all else that was asked', () => {
  expect(page('per_page=100&state=all').headers['link']).toBe(
    '<http://x/list?per_page=100&state=all&page=2>; rel="next", <http://x/list?per_page=100&state=all&page=3>; rel="last"',
  )
  const names = ({ headers }: ReturnType<typeof page>) =>
    [...(headers['link'] ?? '').matchAll(/page=(\d)>; rel="(\w+)"/g)].map(([, at, rel]) => `${rel ?? ''} ${at ?? ''}`)
  expect(names(page('per_page=100&page=2'))).toEqual(['prev 1', 'next 3', 'last 3', 'first 1'])
  expect(names(page('per_page=100&page=3'))).toEqual(['prev 2', 'first 1'])
})

test('refusals are in GitHub’s form', () => {
  expect(refusal(404, 'Not Found').body).toMatchObject({ message: 'Not Found', status: '404' })
  expect(invalid('Label', 'name', 'already_exists')).toMatchObject({
    status: 422,
    body: { message: 'Validation Failed', errors: [{ resource: 'Label', field: 'name', code: 'already_exists' }] },
  })
})

test('times are told to the second', () => {
  expect(wireTime(1_999)).toBe('1970-01-01T00:00:01Z')
})
