import { describe, expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { applyPatch, diffTexts, readTree } from '../../../src/emulator/github/contents.ts'
import { MAINTAINER, OUTSIDER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { findMergeBlocker, getMergeState, getReviewDecision } from '../../../src/emulator/github/mergeability.ts'
import type { PullState, Review } from '../../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type Permissions, DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { checkRun } from '../../support/github-state.ts'
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

/** For error responses that GitHub's API description does not contain. */
const driveUndocumented = (): GitHubDriver =>
  driveGitHub({ docs: createRepositoryWithGuide(), allowsUndocumented: true })

const drive = (fields?: Partial<RepositoryState>, pull?: Partial<PullState>): GitHubDriver =>
  driveGitHub({ docs: createRepositoryWithGuide(fields, pull) })

describe('merges', () => {
  const getParents = ({ commits }: RepositoryState, sha: string | undefined) =>
    commits.find((one) => one.sha === sha)?.parents

  test.each([
    ['merge', 'Merge pull request #7 from acme/guide\n\nGuide', 2],
    ['squash', 'Guide (#7)\n\n* Write docs/guide.md\n\n* Write docs/more.md', 1],
    ['rebase', 'Write docs/more.md', 1],
  ])('%s creates a commit with GitHub’s message and parents', (method, message, parents) => {
    const { request, docs } = drive()
    const [main, guide] = [docs.branches['main'], docs.branches['guide']]
    const { sha } = request('PUT', '/pulls/7/merge', { merge_method: method }).body
    const mergeCommit = docs.commits.find((one) => one.sha === sha)
    expect([docs.branches['main'], mergeCommit?.message, mergeCommit?.parents.length]).toEqual([sha, message, parents])
    if (method === 'merge') expect(mergeCommit?.parents).toEqual([main, guide])
    if (method === 'squash') expect(mergeCommit?.parents).toEqual([main])
    if (method === 'rebase') expect(getParents(docs, mergeCommit?.parents[0])).toEqual([main])
  })

  test.each(['merge', 'squash', 'rebase'])('the base contains every file once after %s', (method) => {
    const { request, read, docs } = drive()
    const before = docs.branches['main']
    request('PUT', '/pulls/7/merge', { merge_method: method })
    expect([...readTree(docs, docs.branches['main'] ?? '').keys()].toSorted()).toEqual([
      'docs/guide.md',
      'docs/index.md',
      'docs/more.md',
      'docs/news.md',
    ])
    const { files, ahead_by } = read(`/compare/${before}...main`)
    expect(files).toMatchObject([
      { filename: 'docs/guide.md', additions: 1 },
      { filename: 'docs/more.md', additions: 1 },
    ])
    expect(ahead_by).toBe({ merge: 3, squash: 1, rebase: 2 }[method])
  })

  test('a merge commit shows the merged changes and the requested title and message', () => {
    const { request, read } = drive()
    const text = { commit_title: 'Bring the guide', commit_message: 'At last' }
    const { sha } = request('PUT', '/pulls/7/merge', { merge_method: 'merge', ...text }).body
    const { commit, files, stats } = read(`/commits/${sha}`)
    expect([commit.message, files.length, stats.total]).toEqual(['Bring the guide\n\nAt last', 2, 2])
    expect(read('/pulls/7')).toMatchObject({ merged: true, merged_by: { login: TOKEN_USER }, merge_commit_sha: sha })
  })

  test('deletes the merged branch if the repository is configured so', () => {
    const { request, docs } = drive({ deletesBranchOnMerge: true })
    request('PUT', '/pulls/7/merge', {})
    expect(docs.branches).not.toHaveProperty('guide')
  })
})

describe('merge requirements', () => {
  const createReview = (user: string, state: Review['state']): Review => ({
    id: 1,
    user,
    body: '',
    state,
    headSha: '',
    submittedAtMs: START,
  })
  const protectMain = (requiredChecks: readonly string[], requiredApprovals = 0, isStrict = false) => ({
    protections: { main: { requiredChecks, requiredApprovals, isStrict } },
  })
  const completeBuild = (conclusion: string) => (headSha: string) => ({
    checkRuns: [checkRun({ name: 'build', headSha, conclusion, createdAtMs: START, completedAtMs: START })],
  })
  const runBuild = (headSha: string) => ({
    checkRuns: [checkRun({ name: 'build', headSha, createdAtMs: START, completedAtMs: Infinity })],
  })

  type Row = readonly [
    what: string,
    fields: Partial<RepositoryState>,
    pull: Partial<PullState>,
    state: string,
    blocker: string | undefined,
    checks?: (headSha: string) => Partial<RepositoryState>,
  ]
  test.each<Row>([
    ['no requirement', {}, {}, 'clean', undefined],
    ['a failed check that is not required', {}, {}, 'unstable', undefined, completeBuild('failure')],
    [
      'a required check that is not registered',
      protectMain(['build']),
      {},
      'blocked',
      'Required status check "build" is expected.',
    ],
    [
      'a required check in progress',
      protectMain(['build']),
      {},
      'blocked',
      'Required status check "build" is in progress.',
      runBuild,
    ],
    [
      'a failed required check',
      protectMain(['build']),
      {},
      'blocked',
      'Required status check "build" is failing.',
      completeBuild('failure'),
    ],
    ['a passed required check', protectMain(['build']), {}, 'clean', undefined, completeBuild('success')],
    [
      'a missing approval',
      protectMain([], 1),
      {},
      'blocked',
      'At least 1 approving review is required by reviewers with write access.',
    ],
    ['a required approval', protectMain([], 1), { reviews: [createReview('mona', 'APPROVED')] }, 'clean', undefined],
    [
      'one of two required approvals',
      protectMain([], 2),
      { reviews: [createReview('mona', 'APPROVED'), createReview('mona', 'APPROVED')] },
      'blocked',
      'At least 2 approving reviews are required by reviewers with write access.',
    ],
    [
      'requested changes',
      protectMain([], 1),
      { reviews: [createReview('mona', 'APPROVED'), createReview('ann', 'CHANGES_REQUESTED')] },
      'blocked',
      'Changes must be addressed before merging.',
    ],
    [
      'an outdated branch',
      protectMain([], 0, true),
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
  ])('with %s, the merge state and the error message are GitHub’s', (...row) => {
    const [, fields, given, state, blocker, checks] = row
    const docs = createRepositoryWithGuide(fields, given)
    Object.assign(docs, checks?.(docs.branches['guide'] ?? ''))
    const { 7: pull } = docs.pulls
    if (pull === undefined) throw new Error('There is no pull request 7.')
    expect([getMergeState(docs, pull, START), findMergeBlocker(docs, pull, 'merge', START)]).toEqual([state, blocker])
  })

  test('ignores a dismissed review', () => {
    const docs = createRepositoryWithGuide(protectMain([], 1), {
      reviews: [
        createReview('mona', 'CHANGES_REQUESTED'),
        createReview('mona', 'DISMISSED'),
        createReview('ann', 'COMMENTED'),
      ],
    })
    expect(docs.pulls[7] && getReviewDecision(docs, docs.pulls[7])).toBe('REVIEW_REQUIRED')
  })
})

describe('pull requests', () => {
  test('are opened once, from a branch with its own commits', () => {
    const { request, read, docs } = drive()
    pushCommit(docs, 'next', { message: 'Next', author: 'ann', files: [] }, START)
    const open = (fields: object) =>
      request('POST', '/pulls', { title: 'Next', head: 'acme:next', base: 'main', ...fields })
    const problems = [
      { head: 'missing' },
      { base: 'missing' },
      { title: '' },
      { head: 'main' },
      { head: 'guide' },
      {},
      {},
    ].map((fields) => {
      const { status, body } = open(fields)
      return status === 201 ? [201, body.number] : [status, body.errors[0].message ?? body.errors[0].field]
    })
    expect(problems).toEqual([
      [422, 'head'],
      [422, 'base'],
      [422, 'title'],
      [422, 'No commits between main and main'],
      [422, 'A pull request already exists for acme:guide.'],
      [201, 101],
      [422, 'A pull request already exists for acme:next.'],
    ])
    expect(read('/pulls/101')).toMatchObject({ state: 'open', user: { login: TOKEN_USER }, commits: 1 })
  })

  test('cannot be opened by GitHub Actions if the repository does not allow it', () => {
    const { status, body } = drive({ canActionsCreatePulls: false }).request('POST', '/pulls', {
      head: 'guide',
      base: 'main',
    })
    expect([status, body.message]).toEqual([403, 'GitHub Actions is not permitted to create or approve pull requests.'])
  })

  test('can be reopened unless they were merged or their branch was deleted', () => {
    const { request, docs } = drive()
    const set = (state: string) => {
      const { status, body } = request('PATCH', '/pulls/7', { state })
      return body.state ?? [status, body.errors[0].message]
    }
    expect([set('closed'), set('open')]).toEqual(['closed', 'open'])
    const guide = docs.branches['guide'] ?? ''
    request('DELETE', '/git/refs/heads/guide')
    expect(docs.pulls[7]?.state).toBe('closed')
    expect(set('open')).toEqual([422, 'state cannot be changed. The guide branch has been deleted.'])
    docs.branches['guide'] = guide
    expect(set('open')).toBe('open')
    request('PUT', '/pulls/7/merge', {})
    expect(set('open')).toEqual([422, 'state cannot be changed. The pull request was merged.'])
  })

  test('have other changes after their base was changed', () => {
    const { request, read, docs } = drive()
    docs.branches['next'] = docs.branches['guide'] ?? ''
    push(docs, 'guide', 'docs/third.md', '# Third')
    expect(read('/pulls/7/files')).toHaveLength(3)
    request('PATCH', '/pulls/7', { base: 'next', title: 'The third page', body: 'New' })
    expect(read('/pulls/7')).toMatchObject({
      base: { ref: 'next' },
      title: 'The third page',
      body: 'New',
      changed_files: 1,
    })
  })

  test('are updated with a merge commit if they are behind their base', () => {
    const { request, read, docs } = drive()
    const [main, guide] = [docs.branches['main'], docs.branches['guide']]
    const update = (body = {}) => request('PUT', '/pulls/7/update-branch', body).status
    expect(update({ expected_head_sha: 'f'.repeat(40) })).toBe(422)
    expect(update()).toBe(202)
    expect(docs.commits.at(-1)).toMatchObject({ message: "Merge branch 'main' into guide", parents: [guide, main] })
    expect(read('/compare/main...guide').status).toBe('ahead')
    expect(update()).toBe(422)
  })
})

describe('reviews', () => {
  function submitReview(login: string, body: object, fields?: Partial<RepositoryState>) {
    const driver = drive(fields)
    driver.service.github.state.identity = login
    const { status, body: review } = driver.request('POST', '/pulls/7/reviews', body)
    return { ...driver, result: status === 200 ? review.state : review.errors[0] }
  }

  test.each([
    [MAINTAINER, { event: 'APPROVE' }, 'APPROVED'],
    [MAINTAINER, { event: 'REQUEST_CHANGES', body: 'Shorter' }, 'CHANGES_REQUESTED'],
    [MAINTAINER, { event: 'COMMENT' }, 'Body cannot be blank'],
    [MAINTAINER, {}, 'PENDING'],
    ['ann', { event: 'APPROVE' }, 'Can not approve your own pull request'],
    ['ann', { event: 'REQUEST_CHANGES', body: 'No' }, 'Can not request changes on your own pull request'],
    [TOKEN_USER, { event: 'APPROVE' }, 'APPROVED'],
  ])('a review by %s with %j results in: %s', (login, body, expected) => {
    expect(submitReview(login, body).result).toBe(expected)
  })

  test('GitHub Actions cannot approve if the repository does not allow it', () => {
    const { result } = submitReview(TOKEN_USER, { event: 'APPROVE' }, { canActionsCreatePulls: false })
    expect(result).toBe('GitHub Actions is not permitted to approve pull requests.')
  })

  test('a submitted review completes the request for it', () => {
    const { request, read, service } = drive()
    request('POST', '/pulls/7/requested_reviewers', { reviewers: ['mona'] })
    service.github.state.identity = MAINTAINER
    request('POST', '/pulls/7/reviews', { event: 'APPROVE' })
    expect(read('/pulls/7/requested_reviewers')).toEqual({ users: [], teams: [] })
    expect(request('POST', '/pulls/7/reviews', {}).status).toBe(200)
    expect(request('POST', '/pulls/7/reviews', {}).body.errors).toEqual([
      'User can only have one pending review per pull request',
    ])
  })

  test('a review request can be removed', () => {
    const { request, read } = drive()
    request('POST', '/pulls/7/requested_reviewers', { reviewers: ['mona'] })
    request('DELETE', '/pulls/7/requested_reviewers', { reviewers: ['mona'] })
    expect(read('/pulls/7').requested_reviewers).toEqual([])
  })

  test('a comment cannot be dismissed', () => {
    const { request } = drive(
      {},
      { reviews: [{ id: 3, user: 'mona', body: 'Nice', state: 'COMMENTED', headSha: '', submittedAtMs: START }] },
    )
    expect(request('PUT', '/pulls/7/reviews/3/dismissals', { message: 'Old' }).body.message).toBe(
      'Can not dismiss a commented pull request review',
    )
  })
})

describe('labels', () => {
  test('a label is renamed and deleted on every issue that has it', () => {
    const { request, read } = drive()
    request('POST', '/issues/7/labels', { labels: ['Question'] })
    request('PATCH', '/labels/question', { new_name: 'help', color: '00ff00' })
    expect(read('/issues/7/labels')).toMatchObject([{ name: 'help', color: '00ff00' }])
    request('DELETE', '/labels/HELP')
    expect([read('/issues/7/labels'), read('/labels')]).toEqual([[], []])
  })

  test.each([
    [{ name: 'Question' }, 'already_exists'],
    [{ name: 'new', color: 'red' }, 'invalid'],
    [{ name: ' ' }, 'missing_field'],
  ])('refuses the label %j: %s', (label, code) => {
    expect(drive().request('POST', '/labels', label)).toMatchObject({ status: 422, body: { errors: [{ code }] } })
  })

  test.each<[Permissions, number]>([
    [{ 'pull-requests': 'write' }, 403],
    [{ issues: 'write' }, 201],
  ])('creating a label with %j results in %d', (permissions, status) => {
    const { request, service } = drive()
    service.github.state.permissions = permissions
    expect(request('POST', '/labels', { name: 'new' }).status).toBe(status)
  })

  test('a label that an issue does not have cannot be removed', () => {
    expect(drive().request('DELETE', '/issues/7/labels/none')).toMatchObject({
      status: 404,
      body: { message: 'Label does not exist' },
    })
  })
})

describe('issues', () => {
  test('an issue is opened, closed with a reason, and reopened', () => {
    const { request, read } = drive()
    const { number } = request('POST', '/issues', { title: 'A page is missing', assignees: ['Mona', OUTSIDER] }).body
    expect(read(`/issues/${number}`)).toMatchObject({ number: 101, state: 'open', assignees: [{ login: 'mona' }] })
    const close = { state: 'closed', state_reason: 'not_planned' }
    expect(request('PATCH', `/issues/${number}`, close).body).toMatchObject(close)
    expect(request('PATCH', `/issues/${number}`, { state: 'open' }).body.state_reason).toBe('reopened')
  })

  test('a comment has a page, and can be deleted', () => {
    const { request, read } = drive()
    const { id, html_url } = request('POST', '/issues/7/comments', { body: 'Hello' }).body
    expect(html_url).toMatch(new RegExp(`/acme/docs/pull/7#issuecomment-${id}$`))
    expect(request('DELETE', `/issues/comments/${id}`).status).toBe(204)
    expect(read('/issues/7/comments')).toEqual([])
  })
})

describe('refs and files', () => {
  test.each([
    ['POST', '/git/refs', { ref: 'refs/heads/guide', sha: 'x' }, 'Reference already exists'],
    [
      'POST',
      '/git/refs',
      { ref: 'heads/new', sha: 'x' },
      "Reference name must start with 'refs/heads/' or 'refs/tags/'.",
    ],
    ['POST', '/git/refs', { ref: 'refs/heads/new', sha: 'f'.repeat(40) }, 'Object does not exist'],
    ['DELETE', '/git/refs/heads/missing', undefined, 'Reference does not exist'],
    ['DELETE', '/git/refs/heads/main', undefined, 'Cannot delete the default branch'],
  ])('refuses %s %s with %j', (method, path, body, message) => {
    expect(drive().request(method, path, body)).toMatchObject({ status: 422, body: { message } })
  })

  test('a branch moves back only with `force`, and its pull request moves with it', () => {
    const { request, docs } = drive()
    const sha = docs.commits[0]?.sha
    const move = (force: boolean) => request('PATCH', '/git/refs/heads/guide', { sha, force }).body
    expect(move(false).message).toBe('Update is not a fast forward')
    expect(move(true).object.sha).toBe(sha)
    expect(docs.pulls[7]?.headSha).toBe(sha)
  })

  test('finds refs by prefix', () => {
    const { read, docs } = drive()
    docs.tags['v1'] = docs.branches['main'] ?? ''
    const refs = (prefix: string) => read(`/git/matching-refs/${prefix}`).map(({ ref }: { ref: string }) => ref)
    expect([refs('heads/g'), refs('tags/')]).toEqual([['refs/heads/guide'], ['refs/tags/v1']])
  })

  test('reads a file at a commit, and lists a folder', () => {
    const { read, request } = drive()
    const { content, size } = read('/contents/docs/guide.md?ref=guide')
    expect([Buffer.from(content, 'base64').toString(), size]).toEqual(['# Guide\n', 8])
    expect(request('GET', '/contents/docs/guide.md').status).toBe(404)
    expect(read('/contents/docs').map(({ path }: { path: string }) => path)).toEqual(['docs/index.md', 'docs/news.md'])
    expect(read('/contents/')).toMatchObject([{ type: 'dir', path: 'docs' }])
  })

  test('responds with 501 to a request for a file with unknown text', () => {
    const { docs, request } = driveUndocumented()
    pushCommit(docs, 'main', { message: 'Picture', author: 'ann', files: [{ filename: 'logo.png' }] }, START)
    const message = 'The embedded GitHub does not play the content of logo.png, which is not known.'
    expect(request('GET', '/contents/logo.png')).toMatchObject({ status: 501, body: { message } })
  })

  test('overwrites a file only with the id of its current version', () => {
    const { request, read, docs } = driveUndocumented()
    const { sha } = read('/contents/docs/index.md')
    const content = Buffer.from('# Acme\nMore\n').toString('base64')
    const put = (fields: object) =>
      request('PUT', '/contents/docs/index.md', { message: 'More', content, ...fields }).status
    expect([put({}), put({ sha: 'f'.repeat(40) }), put({ sha })]).toEqual([422, 409, 200])
    expect(docs.commits.at(-1)?.files).toMatchObject([{ status: 'modified', patch: '@@ -1,0 +2,1 @@\n+More' }])
  })

  test.each([
    ['', '@@ -0,0 +1,2 @@\n+a\n+b', 'a\nb\n'],
    ['a\nb\nc\n', '@@ -2 +2 @@\n-b\n+x', 'a\nx\nc\n'],
    ['a\nb\nc\n', '@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -3 +4 @@\n-c\n+d\n\\ No newline at end of file', 'a\nx\nb\nd\n'],
    ['a\n', '@@ -1 +0,0 @@\n-a', ''],
  ])('patches %j with %j to %j', (before, patch, after) => {
    expect(applyPatch(before, patch)).toBe(after)
  })

  test.each([
    ['', 'a\n'],
    ['a\nb\nc\n', 'a\nx\nc\n'],
    ['a\nb\n', 'b\n'],
    ['a\n', 'a\n'],
  ])('creates a diff from %j to %j that can be applied', (before, after) => {
    expect(applyPatch(before, diffTexts(before, after).patch ?? '')).toBe(after)
  })
})

describe('checks and statuses', () => {
  test('a check run is completed by a conclusion, and can be changed only by its app', () => {
    const { request, docs, read, service } = driveUndocumented()
    const head_sha = docs.branches['guide']
    const { id, status } = request('POST', '/check-runs', { name: 'links', head_sha }).body
    expect(status).toBe('queued')
    expect(request('PATCH', `/check-runs/${id}`, { status: 'completed' }).status).toBe(422)
    const output = { title: 'Links', summary: 'Two are broken' }
    request('PATCH', `/check-runs/${id}`, { conclusion: 'failure', output })
    expect(read(`/commits/guide/check-runs`).check_runs).toMatchObject([
      { status: 'completed', conclusion: 'failure', output },
    ])
    service.github.state.identity = 'link-checker[bot]'
    expect(request('PATCH', `/check-runs/${id}`, { conclusion: 'success' }).status).toBe(403)
    expect(request('POST', '/check-runs', { name: 'links', head_sha: 'f'.repeat(40) }).status).toBe(422)
  })

  test.each([
    ['a title', { summary: 'Two are broken' }, '"title" wasn\'t supplied.'],
    ['a summary', { title: 'Links' }, '"summary" wasn\'t supplied.'],
    ['a title and a summary', { text: 'Details' }, '"title", "summary" weren\'t supplied.'],
  ])('does not create a check run whose output lacks %s', (_what, output, message) => {
    const { request, docs } = driveUndocumented()
    const response = request('POST', '/check-runs', { name: 'links', head_sha: docs.branches['guide'], output })
    expect([response.status, response.body.message]).toEqual([422, `Invalid request.\n\n${message}`])
    expect(docs.checkRuns).toEqual([])
  })

  test('updates the output of a check run with a summary, even without a title', () => {
    const { request, docs } = driveUndocumented()
    const { id } = request('POST', '/check-runs', { name: 'links', head_sha: docs.branches['guide'] }).body
    const update = (output: object) => request('PATCH', `/check-runs/${id}`, { conclusion: 'failure', output })
    expect(update({ title: 'Links' }).body.message).toBe('Invalid request.\n\n"summary" wasn\'t supplied.')
    expect(update({ summary: 'Two are broken' })).toMatchObject({
      status: 200,
      body: { output: { title: null, summary: 'Two are broken' } },
    })
  })

  test('filters check runs by name, app and status', () => {
    const { docs, read } = drive()
    const headSha = docs.branches['guide'] ?? ''
    const run = { headSha, createdAtMs: START, completedAtMs: START }
    docs.checkRuns.push(
      checkRun({ ...run, id: 1, name: 'build', suiteId: 1 }),
      checkRun({ ...run, id: 2, name: 'build', suiteId: 1 }),
      checkRun({ ...run, id: 3, name: 'links', app: 'link-checker', suiteId: 2, completedAtMs: Infinity }),
    )
    const ids = (query: string) =>
      read(`/commits/guide/check-runs?${query}`).check_runs.map(({ id }: { id: number }) => id)
    expect([ids('check_name=build'), ids('filter=all'), ids('app_id=2'), ids('status=completed')]).toEqual([
      [2],
      [1, 2, 3],
      [3],
      [2],
    ])
    const suites = (query: string) => read(`/commits/guide/check-suites?${query}`).total_count
    expect([suites('app_id=2'), suites('check_name=build'), suites('check_name=none')]).toEqual([1, 1, 0])
  })

  test('creates commit statuses, and lists them newest first', () => {
    const { request, read, docs } = driveUndocumented()
    const report = (state: string) => request('POST', `/statuses/${docs.branches['guide']}`, { state }).status
    expect([report('pending'), report('success'), report('fine')]).toEqual([201, 201, 422])
    const states = read('/commits/guide/statuses').map(({ state }: { state: string }) => state)
    expect([states, read('/commits/guide/status').state]).toEqual([['success', 'pending'], 'success'])
  })
})

describe('searches', () => {
  function driveSearch() {
    const driver = driveGitHub({
      docs: createRepositoryWithGuide({}, { labels: ['question'], createdAtMs: START, updatedAtMs: START }),
      scenario: { lag: { ...DEFAULT_LAG, searchMs: 5_000 } },
    })
    const find = (q: string) =>
      driver
        .read(`/api/v3/search/issues?q=${encodeURIComponent(q)}`)
        .items.map(({ number }: { number: number }) => number)
    return { ...driver, find }
  }

  test('find new and changed pull requests only after the lag of the index', () => {
    const { find, advance, request } = driveSearch()
    expect(find('repo:acme/docs is:pr')).toEqual([])
    advance(5)
    expect(find('repo:acme/docs is:pr')).toEqual([7])
    request('PATCH', '/pulls/7', { state: 'closed' })
    expect(find('is:closed')).toEqual([])
    advance(5)
    expect(find('is:closed')).toEqual([7])
  })

  test.each([
    ['is:pr is:open label:Question author:ann', [7]],
    ['is:issue', []],
    ['-label:question', []],
    ['label:"question",bug draft:false', [7]],
    ['head:guide base:main no:assignee', [7]],
    ['guide in:title', [7]],
    ['guide in:body', []],
    ['-guide', []],
    ['created:>=2026-01-01 updated:2026-01-01', [7]],
    ['created:<2026-01-01', []],
    ['created:2025-12-31..2026-01-02', [7]],
    ['assignee:mona', []],
    ['is:merged', []],
    ['user:acme archived:false state:open type:pr', [7]],
  ])('with %s find %j', (q, numbers) => {
    const { find, advance } = driveSearch()
    advance(5)
    expect(find(`repo:acme/docs ${q}`)).toEqual(numbers)
  })

  test('are refused for an unknown repository', () => {
    expect(driveGitHub().request('GET', '/api/v3/search/issues?q=repo:acme/none').status).toBe(422)
  })
})

test('records dispatches, and queues a run for a workflow dispatch', () => {
  const { request, docs, read } = drive()
  expect(request('POST', '/actions/workflows/none.yml/dispatches', { ref: 'main' }).status).toBe(404)
  expect(request('POST', '/actions/workflows/docs.yml/dispatches', { ref: 'missing' }).status).toBe(422)
  expect(request('POST', '/actions/workflows/2/dispatches', { ref: 'main', inputs: { page: 'all' } }).status).toBe(204)
  request('POST', '/dispatches', { event_type: 'docs', client_payload: { page: 'all' } })
  expect(docs.dispatches).toMatchObject([
    { event: 'workflow_dispatch', actor: TOKEN_USER, payload: { inputs: { page: 'all' } } },
    { event: 'repository_dispatch', payload: { action: 'docs', client_payload: { page: 'all' } } },
  ])
  expect(read('/actions/runs?event=workflow_dispatch').workflow_runs).toMatchObject([{ status: 'queued' }])
})

test('returns the rate limit without counting the request', () => {
  const { read } = drive()
  read('/pulls')
  const rates = [1, 2].map(() => read('/api/v3/rate_limit').rate)
  expect(rates).toMatchObject([{ limit: 1000, used: 1, remaining: 999, reset: START / 1_000 + 3_600 }, { used: 1 }])
})

test.each([
  ['assignee=mona', [102]],
  ['assignee=none', [101, 7]],
  ['assignee=*', [102]],
  ['mentioned=ann', [101]],
])('lists the issues with %s as %j', (query, numbers) => {
  const { request, read } = drive()
  request('POST', '/issues', { title: 'First', body: 'What do you think, @ann?' })
  request('POST', '/issues', { title: 'Second', assignees: ['mona'] })
  expect(read(`/issues?${query}`).map(({ number }: { number: number }) => number)).toEqual(numbers)
})

test('derives the jobs of a workflow run from its check runs', () => {
  const { request, docs, read, advance } = drive()
  request('POST', '/actions/workflows/docs.yml/dispatches', { ref: 'main' })
  const { id = 0, headSha = '' } = docs.workflowRuns[0] ?? {}
  const job = { headSha, runId: id, createdAtMs: START, startedAtMs: START, completedAtMs: START + 60_000 }
  docs.checkRuns.push(
    checkRun({ ...job, id: 5, name: 'pages', completedAtMs: START }),
    checkRun({ ...job, id: 6, name: 'pages', attempt: 2, conclusion: 'failure' }),
  )
  const list = (query = ''): readonly string[] =>
    read(`/actions/runs/${id}/jobs${query}`).jobs.map(
      (entry: { id: number; status: string; conclusion: string | null }) =>
        `${entry.id} ${entry.status} ${entry.conclusion}`,
    )
  expect(list()).toEqual(['6 in_progress null'])
  expect(list('?filter=all')).toEqual(['5 completed success', '6 in_progress null'])
  advance(60)
  expect(list()).toEqual(['6 completed failure'])
  expect(read(`/actions/runs/${id}/artifacts`)).toEqual({ total_count: 0, artifacts: [] })
  expect(request('GET', '/actions/runs/99/jobs').status).toBe(404)
})

test('finds workflows by file name and id', () => {
  const { request, read } = drive()
  const { workflows } = read('/actions/workflows')
  expect(workflows.map(({ path }: { path: string }) => path)).toEqual([
    '.github/workflows/ci.yml',
    '.github/workflows/docs.yml',
  ])
  expect(read('/actions/workflows/docs.yml')).toEqual(workflows[1])
  expect(read(`/actions/workflows/${workflows[1].id}`)).toEqual(workflows[1])
  expect(request('GET', '/actions/workflows/none.yml').status).toBe(404)
})

describe('line comments', () => {
  const PATCH = '@@ -1,2 +1,3 @@\n # Guide\n-Old\n+New\n+More\n@@ -9 +10 @@\n-Last\n+End'

  function driveChange(allowsUndocumented = false): GitHubDriver {
    const docs = createRepositoryWithGuide()
    const files = [{ filename: 'docs/guide.md', patch: PATCH }]
    pushCommit(docs, 'guide', { message: 'Change the guide', author: 'ann', files }, START - HOUR_MS)
    return driveGitHub({ docs, allowsUndocumented })
  }

  test.each([
    [{ line: 3 }, 3, 'RIGHT', '@@ -1,2 +1,3 @@\n # Guide\n-Old\n+New\n+More'],
    [{ line: 1, side: 'RIGHT' }, 1, 'RIGHT', '@@ -1,2 +1,3 @@\n # Guide'],
    [{ line: 2, side: 'LEFT' }, 2, 'LEFT', '@@ -1,2 +1,3 @@\n # Guide\n-Old'],
    [{ line: 3, start_line: 2 }, 3, 'RIGHT', '@@ -1,2 +1,3 @@\n # Guide\n-Old\n+New\n+More'],
    [{ position: 7 }, 10, 'RIGHT', '@@ -9 +10 @@\n-Last\n+End'],
    [{ position: 6 }, 9, 'LEFT', '@@ -9 +10 @@\n-Last'],
  ])('with %j are on line %d of the side %s', (fields, line, side, hunk) => {
    const { request, docs, read } = driveChange()
    const where = { path: 'docs/guide.md', commit_id: docs.pulls[7]?.headSha, ...fields }
    const { status, body } = request('POST', '/pulls/7/comments', { body: 'Why?', ...where })
    expect([status, body]).toMatchObject([201, { path: 'docs/guide.md', line, side, diff_hunk: hunk }])
    expect(read('/pulls/7/comments')).toEqual([body])
    expect(read(`/pulls/7/reviews/${body.pull_request_review_id}`)).toMatchObject({ state: 'COMMENTED', body: '' })
  })

  test.each([
    [{ path: 'docs/other.md', line: 1 }, 'pull_request_review_thread.path'],
    [{ path: 'docs/guide.md', line: 5 }, 'pull_request_review_thread.line'],
    [{ path: 'docs/guide.md', line: 3, start_line: 5 }, 'pull_request_review_thread.line'],
    [{ path: 'docs/guide.md', position: 5 }, 'pull_request_review_thread.line'],
    [{ path: 'docs/guide.md', line: 3, commit_id: '0'.repeat(40) }, 'pull_request_review_thread.commit'],
  ])('with %j are refused, because they are not on a line of the diff', (fields, field) => {
    const { request, docs } = driveChange()
    const target = { commit_id: docs.pulls[7]?.headSha, ...fields }
    const { status, body } = request('POST', '/pulls/7/comments', { body: 'Why?', ...target })
    expect([status, body.errors[0].field]).toEqual([422, field])
    expect(docs.pulls[7]?.reviewComments).toEqual([])
  })

  test('of a review become visible when it is submitted, and the review needs no body', () => {
    const { request, read } = driveChange()
    const comments = [{ path: 'docs/guide.md', line: 2, body: 'Say more.' }]
    const { id } = request('POST', '/pulls/7/reviews', { comments }).body
    expect(read('/pulls/7/comments')).toEqual([])
    expect(request('POST', `/pulls/7/reviews/${id}/events`, { event: 'COMMENT' }).status).toBe(200)
    expect(read('/pulls/7/comments')).toMatchObject([{ line: 2, body: 'Say more.', pull_request_review_id: id }])
    expect(read(`/pulls/7/reviews/${id}/comments`)).toHaveLength(1)
  })

  test.each([
    [{ path: 'docs/other.md', line: 2 }, 'Path could not be resolved'],
    [{ path: 'docs/guide.md', line: 6 }, 'Line could not be resolved'],
  ])('with %j make a complete review fail', (place, problem) => {
    const { request, docs } = driveChange(true)
    const good = { path: 'docs/guide.md', line: 2, body: 'Good' }
    const { status, body } = request('POST', '/pulls/7/reviews', { comments: [good, { ...place, body: 'Bad' }] })
    expect([status, body.errors]).toEqual([422, [problem]])
    expect([docs.pulls[7]?.reviews, docs.pulls[7]?.reviewComments]).toEqual([[], []])
  })

  test('can be replied to, read, changed and deleted', () => {
    const { request, docs, read } = driveChange()
    const where = { path: 'docs/guide.md', line: 2, commit_id: docs.pulls[7]?.headSha }
    const { id } = request('POST', '/pulls/7/comments', { body: 'Why?', ...where }).body
    const reply = request('POST', '/pulls/7/comments', { body: 'Because.', ...where, in_reply_to: id })
    expect(reply.body).toMatchObject({ in_reply_to_id: id, body: 'Because.' })
    request('PATCH', `/pulls/comments/${id}`, { body: 'Why so?' })
    expect(read(`/pulls/comments/${id}`)).toMatchObject({ body: 'Why so?' })
    expect(request('DELETE', `/pulls/comments/${id}`).status).toBe(204)
    expect(request('GET', `/pulls/comments/${id}`).status).toBe(404)
  })
})

describe('users', () => {
  test.each([
    ['MONA', 200, 'mona'],
    ['github-actions[bot]', 200, TOKEN_USER],
    ['nobody', 404, undefined],
  ])('the user %s is a %d', (name, status, login) => {
    const response = drive().request('GET', `/api/v3/users/${encodeURIComponent(name)}`)
    expect([response.status, response.body.login]).toEqual([status, login])
  })

  test('the token of a workflow has no user', () => {
    const { request, service } = drive()
    expect(request('GET', '/api/v3/user').status).toBe(403)
    service.github.state.identity = MAINTAINER
    expect(request('GET', '/api/v3/user').body.login).toBe(MAINTAINER)
  })
})
