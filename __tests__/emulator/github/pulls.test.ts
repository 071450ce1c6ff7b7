import { describe, expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import { type PullState, createPullState, type StoredReviewComment } from '../../../src/emulator/github/pull-state.ts'
import { getPage } from '../../../src/emulator/github/reply.ts'
import { closeIssue, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type TokenPermissions, DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { commit, deleteFork } from '../../../testing/github-state.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

const LINE: StoredReviewComment = {
  id: 71,
  user: 'mona',
  body: '/docs shorten',
  createdAtMs: 0,
  reactions: [],
  path: 'docs/a.md',
  line: 3,
  diffHunk: '@@ -1 +1 @@',
  reviewId: 70,
}

/** Creates GitHub with pull request 7 and issue 8. */
function drive(fields: Partial<PullState> = {}, headMs = 0): GitHubDriver {
  const opened = { branch: 'guide', headSha: commit('c'), user: 'ann', createdAtMs: DEFAULT_START_MS }
  const docs: Partial<RepositoryState> = {
    pulls: { 7: createPullState({ ...opened, labels: ['docs-agent'], reviewComments: [{ ...LINE }], ...fields }) },
    issues: { 8: createIssueState({ labels: ['Docs-Agent', 'question'], createdAtMs: DEFAULT_START_MS + 1 }) },
    labels: ['docs-agent'],
    collaborators: { mona: 'write', ann: 'write' },
    teams: ['writers'],
    mergeMethods: ['squash'],
  }
  return driveGitHub({ docs, scenario: { lag: { ...DEFAULT_LAG, mergeableMs: 3_000, headMs } } })
}

test.each([
  [{}, true, 'clean'],
  [{ conflict: true }, false, 'dirty'],
  [{ blocked: true }, true, 'blocked'],
  [{ draft: true }, true, 'draft'],
  [{ state: 'closed' }, null, 'unknown'],
] as const)('computes `mergeable` of %j some time after the pull request was opened', (fields, mergeable, state) => {
  const { read, advance } = drive(fields)
  expect(read('/pulls/7')).toMatchObject({ mergeable: null, mergeable_state: 'unknown' })
  advance(3)
  expect(read('/pulls/7')).toMatchObject({ mergeable, mergeable_state: state })
})

test('shows a new head only after the lag', () => {
  const until = (digit: string, untilMs: number) => ({ sha: commit(digit), untilMs: DEFAULT_START_MS + untilMs })
  const { read, advance } = drive({ earlierHeads: [until('a', 0), until('b', 3_000)] }, 5_000)
  const heads = [0, 5, 3].map((seconds) => {
    advance(seconds)
    return [read('/pulls/7').head.sha, read('/pulls')[0].head.sha]
  })
  expect(heads).toEqual(['a', 'b', 'c'].map((digit) => [commit(digit), commit(digit)]))
})

function createTwoPulls(): RepositoryState {
  const docs = createRepositoryState()
  const change = (filename: string) => ({ message: `Change ${filename}`, author: 'mona', files: [{ filename }] })
  pushCommit(docs, 'main', change('a.md'), DEFAULT_START_MS - 9_000)
  for (const [index, branch] of ['one', 'two'].entries()) {
    const atMs = DEFAULT_START_MS - 9_000 + index * 1_000
    pushCommit(docs, branch, change(`${branch}.md`), atMs)
    openPull(docs, index + 1, { branch, title: branch, updatedAtMs: DEFAULT_START_MS - index * 1_000 }, atMs)
  }
  return docs
}

test('lists pull requests by state, branch and time', () => {
  const docs = createTwoPulls()
  const { read } = driveGitHub({ docs })
  if (docs.pulls[2] !== undefined) closeIssue(docs, docs.pulls[2], DEFAULT_START_MS - 1_000)
  const listNumbers = (query: string) => read(`/pulls?${query}`).map(({ number }: { number: number }) => number)
  expect(listNumbers('')).toEqual([1])
  expect(listNumbers('state=closed')).toEqual([2])
  expect(listNumbers('state=all')).toEqual([2, 1])
  expect(listNumbers('state=all&direction=asc')).toEqual([1, 2])
  expect(listNumbers('state=all&sort=updated')).toEqual([2, 1])
  expect(listNumbers('state=all&sort=updated&direction=desc')).toEqual([1, 2])
})

describe('a pull request from a fork', () => {
  const FORK = 'ann/docs'

  /** Pull request 3 is from the branch `one` of a fork, and pull request 1 from the repository's own branch `one`. */
  function driveFork(): GitHubDriver {
    const docs = createTwoPulls()
    docs.forks[FORK] = { id: 50, branches: {} }
    const change = { message: 'Change it in a fork', author: 'ann', files: [{ filename: 'fork.md' }] }
    pushCommit(docs, 'one', change, DEFAULT_START_MS - 5_000, FORK)
    openPull(docs, 3, { branch: 'one', fork: FORK, title: 'From a fork' }, DEFAULT_START_MS - 4_000)
    return driveGitHub({ docs })
  }

  test('has its head in the fork, not in the repository’s branch of the same name', () => {
    const { read, docs } = driveFork()
    const { head, base } = read('/pulls/3')
    expect(head).toMatchObject({ ref: 'one', label: 'ann:one', repo: { full_name: FORK, id: 50, fork: true } })
    expect(base).toMatchObject({ label: 'acme:main', repo: { full_name: 'acme/docs', fork: false } })
    expect(read('/pulls/1').head.repo).toMatchObject({ full_name: 'acme/docs', fork: false })
    const files = (range: string) =>
      read(`/compare/${range}`).files.map(({ filename }: { filename: string }) => filename)
    expect([files('main...ann:one'), files('main...acme:one'), files('main...one')]).toEqual([
      ['fork.md'],
      ['one.md'],
      ['one.md'],
    ])
    pushCommit(docs, 'one', { message: 'Again', author: 'ann', files: [] }, DEFAULT_START_MS)
    expect([docs.pulls[1]?.pushes, docs.pulls[3]?.pushes]).toEqual([2, 1])
  })

  test('is closed when the fork is deleted', () => {
    const { read, docs } = driveFork()
    deleteFork(docs, FORK, DEFAULT_START_MS)
    expect(read('/pulls/3')).toMatchObject({ state: 'closed', head: { ref: 'one', repo: null } })
    expect(read('/pulls/1').state).toBe('open')
    docs.forks[FORK] = { id: 51, branches: { one: commit('a') } }
    expect(read('/pulls/3').head.repo).toBeNull()
  })
})

test('merges only the requested head', () => {
  const { request, read, advance, docs } = driveGitHub({ docs: createTwoPulls() })
  advance(5)
  const merge = (sha = docs.pulls[1]?.headSha) => request('PUT', '/pulls/1/merge', { sha, merge_method: 'squash' })
  const modified = 'Head branch was modified. Review and try the merge again.'
  expect(merge(commit('f'))).toMatchObject({ status: 409, body: { message: modified } })
  const { sha } = merge().body
  expect(docs.branches['main']).toBe(sha)
  const at = '2026-01-01T00:00:05Z'
  expect(read('/pulls/1')).toMatchObject({
    state: 'closed',
    merged: true,
    merged_by: { login: TOKEN_USER },
    merge_commit_sha: sha,
    merged_at: at,
    closed_at: at,
    commits: 1,
    additions: 1,
  })
  expect(merge().status).toBe(405)
})

test('keeps a review request, in any case, until the review is submitted', () => {
  const { request, read, docs } = drive()
  const path = '/pulls/7/requested_reviewers'
  expect(request('POST', path, { reviewers: ['Mona'], team_reviewers: ['Writers'] }).status).toBe(201)
  expect(request('POST', path, { reviewers: ['mona'] }).status).toBe(201)
  expect(read('/pulls/7')).toMatchObject({
    requested_reviewers: [{ login: 'mona' }],
    requested_teams: [{ slug: 'writers' }],
  })
  docs.pulls[7]?.reviewEvents.push({ id: 70, event: 'reviewed', actor: 'mona', name: 'mona', atMs: Date.UTC(2099, 0) })
  expect(read('/pulls/7').requested_reviewers).toEqual([])
})

test.each([
  ['a user without access', { reviewers: ['mona', 'dora'] }, ''],
  ['a team without access', { team_reviewers: ['writers', 'others'] }, ''],
  ['the author', { reviewers: ['ann'] }, 'Review cannot be requested from pull request author.'],
])('requests no review if the reviewers include %s', (_reviewer, body, message) => {
  const { request, read } = drive()
  const refused = request('POST', '/pulls/7/requested_reviewers', body)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining(message)])
  expect(read('/pulls/7')).toMatchObject({ requested_reviewers: [], requested_teams: [] })
})

test.each<[method: string, path: string, body: object, status: number, message: string, fields?: Partial<PullState>]>([
  ['POST', '/pulls/7/comments/9/replies', { body: 'Done' }, 404, 'Not Found'],
  ['POST', '/pulls/comments/9/reactions', { content: 'eyes' }, 404, 'Not Found'],
  ['PATCH', '/issues/comments/9', { body: 'Bye' }, 404, 'Not Found'],
  ['POST', '/issues/7/comments', { body: '' }, 422, 'Validation Failed'],
  ['POST', '/issues/7/comments', { body: 'x'.repeat(65_537) }, 422, 'Validation Failed'],
  [
    'POST',
    '/issues/7/comments',
    { body: 'x' },
    403,
    'Unable to create comment because issue is locked.',
    { locked: true },
  ],
  ['PUT', '/pulls/7/merge', {}, 405, 'Pull Request is not mergeable', { conflict: true }],
  ['PUT', '/pulls/7/merge', {}, 405, 'Pull Request is not mergeable', { blocked: true }],
  ['PUT', '/pulls/7/merge', {}, 405, 'Pull Request is still a draft', { draft: true }],
  ['PUT', '/pulls/7/merge', {}, 405, 'Merge commits are not allowed on this repository.', {}],
])('refuses %s %s with %j', (method, path, body, status, message, fields = {}) => {
  const { request, advance } = drive(fields)
  advance(5)
  expect(request(method, path, body)).toMatchObject({ status, body: { message } })
})

test.each<[string, TokenPermissions, string[], number]>([
  ['adds a label that exists with `pull-requests: write`', { 'pull-requests': 'write' }, ['Question'], 200],
  ['creates no label without `issues: write`', { 'pull-requests': 'write', issues: 'read' }, ['question', 'new'], 403],
  ['creates a label with `issues: write`', { issues: 'write', 'pull-requests': 'read' }, ['question', 'new'], 200],
])('%s', (_what, permissions, labels, status) => {
  const { request, docs, service } = drive()
  docs.labels.push('question')
  service.github.state.permissions = permissions
  const { status: actual, body } = request('POST', '/issues/7/labels', { labels })
  expect(actual).toBe(status)
  const isRefused = status === 403
  expect(docs.pulls[7]?.labels).toEqual(
    isRefused ? ['docs-agent'] : ['docs-agent', ...labels.map((label) => label.toLowerCase())],
  )
  expect(docs.labels.includes('new')).toBe(!isRefused && labels.includes('new'))
  if (isRefused)
    expect(body).toMatchObject({
      message: 'You do not have permission to create labels on this repository.',
      errors: [{ resource: 'Repository', field: 'label', code: 'unauthorized' }],
    })
})

test('lists issues and pull requests together, by label in any case', () => {
  const { read } = drive()
  const listNumbers = (query: string) => read(`/issues?${query}`).map(({ number }: { number: number }) => number)
  expect(listNumbers('labels=docs-agent')).toEqual([8, 7])
  expect(listNumbers('labels=docs-agent,question')).toEqual([8])
  expect(listNumbers('labels=docs-agent&sort=created&direction=asc')).toEqual([7, 8])
  expect(listNumbers('state=closed')).toEqual([])
  expect(read('/issues').map((issue: object) => 'pull_request' in issue)).toEqual([false, true])
})

test('writes comments as the token’s user, changes them, and lists them by `since`', () => {
  const { request, read, advance } = drive()
  const { body: written } = request('POST', '/issues/7/comments', { body: 'Hello' })
  expect(written).toMatchObject({ user: { login: TOKEN_USER, type: 'Bot' }, author_association: 'NONE' })
  advance(60.5)
  request('PATCH', `/issues/comments/${written.id}`, { body: 'Bye' })
  const changed = { body: 'Bye', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:01:00Z' }
  const since = (second: string) => read(`/issues/7/comments?since=2026-01-01T00:${second}Z`)
  expect(since('01:00')).toMatchObject([{ id: written.id, ...changed }])
  expect(since('01:01')).toEqual([])
})

test('stores the same reaction by the same user once', () => {
  const { request, docs } = drive()
  const statuses = [1, 2].map(() => request('POST', '/pulls/comments/71/reactions', { content: 'eyes' }).status)
  expect(statuses).toEqual([201, 200])
  expect(docs.pulls[7]?.reviewComments[0]?.reactions).toMatchObject([{ content: 'eyes', user: TOKEN_USER }])
})

test('a reply refers to the first comment of its thread', () => {
  const { request, read } = drive()
  request('POST', '/pulls/7/comments/71/replies', { body: 'Done' })
  const ids = read('/pulls/7/comments').map((reply: { in_reply_to_id?: number }) => reply.in_reply_to_id)
  expect(ids).toEqual([undefined, 71])
})

test('a reply to a reply is refused', () => {
  const { request } = drive()
  const { id } = request('POST', '/pulls/7/comments/71/replies', { body: 'Done' }).body
  expect(request('POST', `/pulls/7/comments/${id}/replies`, { body: 'Thanks' }).status).toBe(404)
})

test('derives the author association from the collaborators, unless the comment has its own', () => {
  const { id, body, createdAtMs, reactions } = LINE
  const writtenBy = (user: string, association = {}) => ({ id, body, createdAtMs, reactions, user, ...association })
  const { read } = drive({
    comments: [writtenBy('mona'), writtenBy('dora'), writtenBy('mona', { association: 'CONTRIBUTOR' })],
  })
  const associations = read('/issues/7/comments').map(
    (found: { author_association: string }) => found.author_association,
  )
  expect(associations).toEqual(['COLLABORATOR', 'NONE', 'CONTRIBUTOR'])
})

const ITEMS = Array.from({ length: 250 }, (_, index) => index)
const getTestPage = (query: string) => getPage({ query: new URLSearchParams(query), url: 'http://x/list' }, ITEMS)

test.each([
  ['', 0, 30, ['next 2', 'last 9']],
  ['per_page=100&state=all', 0, 100, ['next 2', 'last 3']],
  ['per_page=100&page=2', 100, 100, ['prev 1', 'next 3', 'last 3', 'first 1']],
  ['per_page=100&page=3', 200, 50, ['prev 2', 'first 1']],
  ['per_page=1000', 0, 100, ['next 2', 'last 3']],
  ['per_page=0&page=x', 0, 30, ['next 2', 'last 9']],
])('the page for “%s” begins at %d, has %d items, and links to %j', (query, from, length, links) => {
  const { items, headers } = getTestPage(query)
  expect([items[0], items.length]).toEqual([from, length])
  const { link = '' } = headers
  const found = [...link.matchAll(/<http:\/\/x\/list\?([^>]*)>; rel="(\w+)"/g)].map(([, at = '', rel = '']) => {
    const parameters = new URLSearchParams(at)
    expect(parameters.get('state')).toBe(new URLSearchParams(query).get('state'))
    return `${rel} ${parameters.get('page') ?? ''}`
  })
  expect(found).toEqual(links)
})
