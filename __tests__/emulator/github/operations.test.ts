import { describe, expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN, MAINTAINER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import type { TokenPermissions } from '../../../src/emulator/github/state.ts'
import { checkRun } from '../../../testing/github-state.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

const HOUR_MS = 3_600_000

function push(docs: RepositoryState, branch: string, filename: string, line: string): void {
  const files = [{ filename, status: 'added', patch: `@@ -0,0 +1 @@\n+${line}` } as const]
  pushCommit(docs, branch, { message: `Write ${filename}`, author: MAINTAINER, files }, START - HOUR_MS)
}

/** Creates pull request 7 from `guide`, which has two commits. `main` has one commit that `guide` lacks. */
function createRepositoryWithGuide(
  fields: Partial<RepositoryState> = {},
  pull: Partial<PullState> = {},
): RepositoryState {
  const people = { collaborators: { [MAINTAINER]: 'maintain', ann: 'write' } as const }
  const docs = createRepositoryState({ labels: ['question'], ...people, ...fields })
  push(docs, 'main', 'docs/index.md', '# Acme')
  push(docs, 'guide', 'docs/guide.md', '# Guide')
  push(docs, 'guide', 'docs/more.md', '# More')
  push(docs, 'main', 'docs/news.md', '# News')
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: 'ann', ...pull }, START - HOUR_MS)
  return docs
}

const drive = (fields?: Partial<RepositoryState>, pull?: Partial<PullState>): GitHubDriver =>
  driveGitHub({ docs: createRepositoryWithGuide(fields, pull) })

describe('merges', () => {
  test.each([
    ['merge', 'Merge pull request #7 from acme/guide\n\nGuide', 2],
    ['squash', 'Guide (#7)\n\n* Write docs/guide.md\n\n* Write docs/more.md', 1],
    ['rebase', 'Write docs/more.md', 1],
  ])('%s creates a commit with GitHub’s message and parents', (method, message, parents) => {
    const { request, docs } = drive()
    const [main, guide] = [docs.branches['main'], docs.branches['guide']]
    const { sha } = request('PUT', '/pulls/7/merge', { merge_method: method }).body
    const findParents = (id: string | undefined) => docs.commits.find((one) => one.sha === id)?.parents
    const mergeCommit = docs.commits.find((one) => one.sha === sha)
    expect([docs.branches['main'], mergeCommit?.message, mergeCommit?.parents.length]).toEqual([sha, message, parents])
    if (method === 'merge') expect(mergeCommit?.parents).toEqual([main, guide])
    if (method === 'squash') expect(mergeCommit?.parents).toEqual([main])
    if (method === 'rebase') expect(findParents(mergeCommit?.parents[0])).toEqual([main])
  })

  test.each(['merge', 'squash', 'rebase'])('the base contains every change once after %s', (method) => {
    const { request, read, docs } = drive()
    const before = docs.branches['main']
    request('PUT', '/pulls/7/merge', { merge_method: method })
    const { files, ahead_by } = read(`/compare/${before}...main`)
    expect(files).toMatchObject([
      { filename: 'docs/guide.md', additions: 1 },
      { filename: 'docs/more.md', additions: 1 },
    ])
    expect(ahead_by).toBe({ merge: 3, squash: 1, rebase: 2 }[method])
  })

  test('a merged pull request names the token’s user and the merge commit', () => {
    const { request, read, docs } = drive()
    const { sha } = request('PUT', '/pulls/7/merge', { merge_method: 'merge' }).body
    expect(docs.commits.at(-1)?.message).toMatch(/^Merge pull request #7 from acme\/guide\n\n/)
    expect(read('/pulls/7')).toMatchObject({ merged: true, merged_by: { login: TOKEN_USER }, merge_commit_sha: sha })
  })

  type Row = readonly [
    what: string,
    fields: Partial<RepositoryState>,
    pull: Partial<PullState>,
    state: string,
    refusal: string | undefined,
  ]
  test.each<Row>([
    ['no requirement', {}, {}, 'clean', undefined],
    ['a requirement that is not met', {}, { blocked: true }, 'blocked', 'Pull Request is not mergeable'],
    [
      'an outdated branch',
      { requiresUpToDate: true },
      {},
      'behind',
      'The head branch is not up to date with the base branch.',
    ],
    ['a conflict', {}, { conflict: true }, 'dirty', 'Pull Request is not mergeable'],
    ['a draft', {}, { draft: true }, 'draft', 'Pull Request is still a draft'],
    [
      'a merge method that is not allowed',
      { mergeMethods: ['squash'] },
      {},
      'clean',
      'Merge commits are not allowed on this repository.',
    ],
  ])('with %s, the merge state and the response to a merge are GitHub’s', (...row) => {
    const [, fields, pull, mergeable_state, message] = row
    const { request, read } = drive(fields, pull)
    expect(read('/pulls/7')).toMatchObject({ mergeable_state })
    expect(request('PUT', '/pulls/7/merge', { merge_method: 'merge' })).toMatchObject(
      message === undefined ? { status: 200 } : { status: 405, body: { message } },
    )
  })

  test('a failed check makes a pull request unstable, and does not prevent its merge', () => {
    const { request, read, docs } = drive()
    docs.checkRuns.push(checkRun({ name: 'build', headSha: docs.branches['guide'] ?? '', conclusion: 'failure' }))
    expect(read('/pulls/7').mergeable_state).toBe('unstable')
    expect(request('PUT', '/pulls/7/merge', {}).status).toBe(200)
  })

  test('an outdated branch is updated with a merge commit', () => {
    const { request, read, docs } = drive()
    const [main, guide] = [docs.branches['main'], docs.branches['guide']]
    const update = () => request('PUT', '/pulls/7/update-branch', {}).status
    expect(update()).toBe(202)
    expect(docs.commits.at(-1)).toMatchObject({ message: "Merge branch 'main' into guide", parents: [guide, main] })
    expect(read('/compare/main...guide').status).toBe('ahead')
    expect(update()).toBe(422)
  })

  test('an update with an app’s token starts checks, and one with the workflow’s own token does not', () => {
    const update = (token: string) => {
      const { request, docs } = drive()
      const headers = { authorization: `token ${token}` }
      expect(request('PUT', '/pulls/7/update-branch', {}, headers).status).toBe(202)
      return docs.checkRuns.length
    }
    expect(update(GITHUB_TOKEN)).toBe(0)
    expect(update(`${GITHUB_TOKEN}:acme/docs`)).toBeGreaterThan(0)
  })

  test('shows that auto-merge is enabled', () => {
    const autoMerge = { method: 'squash', enabledBy: MAINTAINER, enabledAtMs: START } as const
    const { auto_merge: shown } = drive({}, { autoMerge }).read('/pulls/7')
    expect(shown).toMatchObject({ enabled_by: { login: MAINTAINER }, merge_method: 'squash' })
  })
})

describe('labels and comments', () => {
  test.each([
    [{ name: 'Question' }, 'already_exists'],
    [{ name: ' ' }, 'missing_field'],
  ])('refuses the label %j: %s', (label, code) => {
    expect(drive().request('POST', '/labels', label)).toMatchObject({ status: 422, body: { errors: [{ code }] } })
  })

  test.each<[TokenPermissions, number]>([
    [{ 'pull-requests': 'write' }, 403],
    [{ issues: 'write' }, 201],
  ])('creating a label with %j results in %d', (permissions, status) => {
    const { request, service } = drive()
    service.github.state.permissions = permissions
    expect(request('POST', '/labels', { name: 'new' }).status).toBe(status)
  })

  test('a comment has a page', () => {
    const { id, html_url } = drive().request('POST', '/issues/7/comments', { body: 'Hello' }).body
    expect(html_url).toMatch(new RegExp(`/acme/docs/pull/7#issuecomment-${id}$`))
  })
})
