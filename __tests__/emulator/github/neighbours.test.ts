import { describe, expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { applyPatch, diffTexts, readTree } from '../../../src/emulator/github/contents.ts'
import { MAINTAINER, STRANGER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { findMergeBlocker, readMergeState, reviewDecision } from '../../../src/emulator/github/mergeability.ts'
import type { PullState, Review } from '../../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-events.ts'
import { type RepositoryState, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type Permissions, USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { checkRun } from '../../support/github-state.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

const HOUR_MS = 3_600_000

function push(docs: RepositoryState, branch: string, filename: string, line: string): void {
  const files = [{ filename, status: 'added', patch: `@@ -0,0 +1 @@\n+${line}` } as const]
  pushCommit(docs, branch, { message: `Write ${filename}`, author: MAINTAINER, files }, START - HOUR_MS)
}

/** Main has one commit, and one more since the branch `guide` of pull request 7 left it with two. */
function repositoryWithGuide(fields: Partial<RepositoryState> = {}, pull: Partial<PullState> = {}): RepositoryState {
  const people = { collaborators: { [MAINTAINER]: 'maintain', ann: 'write' } as const }
  const docs = repositoryState({ labels: ['question'], ...people, ...fields })
  push(docs, 'main', 'docs/index.md', '# Acme')
  push(docs, 'guide', 'docs/guide.md', '# Guide')
  push(docs, 'guide', 'docs/more.md', '# More')
  push(docs, 'main', 'docs/news.md', '# News')
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: 'ann', ...pull }, START - HOUR_MS)
  return docs
}

/** For refusals that GitHub's description does not have. */
const driveUndescribed = (): GitHubDriver => driveGitHub({ docs: repositoryWithGuide(), isUndescribed: true })

const drive = (fields?: Partial<RepositoryState>, pull?: Partial<PullState>): GitHubDriver =>
  driveGitHub({ docs: repositoryWithGuide(fields, pull) })

describe('merges', () => {
  const parentsOf = ({ commits }: RepositoryState, sha: string | undefined) =>
    commits.find((one) => one.sha === sha)?.parents

  test.each([
    ['merge', 'Merge pull request #7 from acme/guide\n\nGuide', 2],
    ['squash', 'Guide (#7)\n\n* Write docs/guide.md\n\n* Write docs/more.md', 1],
    ['rebase', 'Write docs/more.md', 1],
  ])('%s makes a commit with the message and the parents that GitHub gives it', (method, message, parents) => {
    const { ask, docs } = drive()
    const [main, guide] = [docs.branches['main'], docs.branches['guide']]
    const { sha } = ask('PUT', '/pulls/7/merge', { merge_method: method }).body
    const made = docs.commits.find((one) => one.sha === sha)
    expect([docs.branches['main'], made?.message, made?.parents.length]).toEqual([sha, message, parents])
    if (method === 'merge') expect(made?.parents).toEqual([main, guide])
    if (method === 'squash') expect(made?.parents).toEqual([main])
    if (method === 'rebase') expect(parentsOf(docs, made?.parents[0])).toEqual([main])
  })

  test.each(['merge', 'squash', 'rebase'])('after %s the base has every file once', (method) => {
    const { ask, read, docs } = drive()
    const before = docs.branches['main']
    ask('PUT', '/pulls/7/merge', { merge_method: method })
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

  test('a merge commit shows what it brought, and the title and the text that were asked for', () => {
    const { ask, read } = drive()
    const text = { commit_title: 'Bring the guide', commit_message: 'At last' }
    const { sha } = ask('PUT', '/pulls/7/merge', { merge_method: 'merge', ...text }).body
    const { commit, files, stats } = read(`/commits/${sha}`)
    expect([commit.message, files.length, stats.total]).toEqual(['Bring the guide\n\nAt last', 2, 2])
    expect(read('/pulls/7')).toMatchObject({ merged: true, merged_by: { login: TOKEN_USER }, merge_commit_sha: sha })
  })

  test('a repository may delete the branch of what was merged', () => {
    const { ask, docs } = drive({ deletesBranchOnMerge: true })
    ask('PUT', '/pulls/7/merge', {})
    expect(docs.branches).not.toHaveProperty('guide')
  })
})

describe('what has to be there before a merge', () => {
  const review = (user: string, state: Review['state']): Review => ({
    ...{ id: 1, user, body: '', state, headSha: '', submittedAtMs: START },
  })
  const requires = (requiredChecks: readonly string[], requiredApprovals = 0, isStrict = false) => ({
    protections: { main: { requiredChecks, requiredApprovals, isStrict } },
  })
  const check = (conclusion: string) => (headSha: string) => ({
    checkRuns: [checkRun({ name: 'build', headSha, conclusion, createdAtMs: START, completedAtMs: START })],
  })
  const runs = (headSha: string) => ({
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
    ['nothing', {}, {}, 'clean', undefined],
    ['no check that fails', {}, {}, 'unstable', undefined, check('failure')],
    ['a check that is not there', requires(['build']), {}, 'blocked', 'Required status check "build" is expected.'],
    ['a check that runs', requires(['build']), {}, 'blocked', 'Required status check "build" is in progress.', runs],
    [
      'a check that fails',
      requires(['build']),
      {},
      'blocked',
      'Required status check "build" is failing.',
      check('failure'),
    ],
    ['a check that passes', requires(['build']), {}, 'clean', undefined, check('success')],
    [
      'a review',
      requires([], 1),
      {},
      'blocked',
      'At least 1 approving review is required by reviewers with write access.',
    ],
    ['an approval', requires([], 1), { reviews: [review('mona', 'APPROVED')] }, 'clean', undefined],
    [
      'another approval',
      requires([], 2),
      { reviews: [review('mona', 'APPROVED'), review('mona', 'APPROVED')] },
      'blocked',
      'At least 2 approving reviews are required by reviewers with write access.',
    ],
    [
      'changes',
      requires([], 1),
      { reviews: [review('mona', 'APPROVED'), review('ann', 'CHANGES_REQUESTED')] },
      'blocked',
      'Changes must be addressed before merging.',
    ],
    [
      'the newest commit',
      requires([], 0, true),
      {},
      'behind',
      'The head branch is not up to date with the base branch.',
    ],
    ['no conflict', {}, { conflict: true }, 'dirty', 'Pull Request is not mergeable'],
    ['to be ready', {}, { draft: true }, 'draft', 'Pull Request is still a draft'],
    ['a method', { mergeMethods: ['squash'] }, {}, 'clean', 'Merge commits are not allowed on this repository.'],
  ])('%s is wanted: the state is as GitHub names it, and the refusal as it words it', (...row) => {
    const [, fields, given, state, blocker, checks] = row
    const docs = repositoryWithGuide(fields, given)
    Object.assign(docs, checks?.(docs.branches['guide'] ?? ''))
    const { 7: pull } = docs.pulls
    if (pull === undefined) throw new Error('There is no pull request 7.')
    expect([readMergeState(docs, pull, START), findMergeBlocker(docs, pull, 'merge', START)]).toEqual([state, blocker])
  })

  test('a review that was dismissed counts no more', () => {
    const docs = repositoryWithGuide(requires([], 1), {
      reviews: [review('mona', 'CHANGES_REQUESTED'), review('mona', 'DISMISSED'), review('ann', 'COMMENTED')],
    })
    expect(docs.pulls[7] && reviewDecision(docs, docs.pulls[7])).toBe('REVIEW_REQUIRED')
  })
})

describe('pull requests', () => {
  test('one is opened from a branch with commits of its own, once', () => {
    const { ask, read, docs } = drive()
    pushCommit(docs, 'next', { message: 'Next', author: 'ann', files: [] }, START)
    const open = (fields: object) =>
      ask('POST', '/pulls', { title: 'Next', head: 'acme:next', base: 'main', ...fields })
    const problems = [
      { head: 'gone' },
      { base: 'gone' },
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

  test('GitHub Actions opens none where the repository does not allow it', () => {
    const { status, body } = drive({ canActionsCreatePulls: false }).ask('POST', '/pulls', {
      head: 'guide',
      base: 'main',
    })
    expect([status, body.message]).toEqual([403, 'GitHub Actions is not permitted to create or approve pull requests.'])
  })

  test('one is closed and opened again, unless it was merged or its branch is gone', () => {
    const { ask, docs } = drive()
    const set = (state: string) => {
      const { status, body } = ask('PATCH', '/pulls/7', { state })
      return body.state ?? [status, body.errors[0].message]
    }
    expect([set('closed'), set('open')]).toEqual(['closed', 'open'])
    const guide = docs.branches['guide'] ?? ''
    ask('DELETE', '/git/refs/heads/guide')
    expect(docs.pulls[7]?.state).toBe('closed')
    expect(set('open')).toEqual([422, 'state cannot be changed. The guide branch has been deleted.'])
    docs.branches['guide'] = guide
    expect(set('open')).toBe('open')
    ask('PUT', '/pulls/7/merge', {})
    expect(set('open')).toEqual([422, 'state cannot be changed. The pull request was merged.'])
  })

  test('its base can be changed, which changes what it brings', () => {
    const { ask, read, docs } = drive()
    docs.branches['next'] = docs.branches['guide'] ?? ''
    push(docs, 'guide', 'docs/third.md', '# Third')
    expect(read('/pulls/7/files')).toHaveLength(3)
    ask('PATCH', '/pulls/7', { base: 'next', title: 'The third page', body: 'New' })
    expect(read('/pulls/7')).toMatchObject({
      base: { ref: 'next' },
      title: 'The third page',
      body: 'New',
      changed_files: 1,
    })
  })

  test('its branch is brought up to date with a merge, where it is behind', () => {
    const { ask, read, docs } = drive()
    const [main, guide] = [docs.branches['main'], docs.branches['guide']]
    const update = (body = {}) => ask('PUT', '/pulls/7/update-branch', body).status
    expect(update({ expected_head_sha: 'f'.repeat(40) })).toBe(422)
    expect(update()).toBe(202)
    expect(docs.commits.at(-1)).toMatchObject({ message: "Merge branch 'main' into guide", parents: [guide, main] })
    expect(read('/compare/main...guide').status).toBe('ahead')
    expect(update()).toBe(422)
  })
})

describe('reviews', () => {
  function reviewed(login: string, body: object, fields?: Partial<RepositoryState>) {
    const driver = drive(fields)
    driver.service.github.state.identity = login
    const { status, body: answer } = driver.ask('POST', '/pulls/7/reviews', body)
    return { ...driver, answer: status === 200 ? answer.state : answer.errors[0] }
  }

  test.each([
    [MAINTAINER, { event: 'APPROVE' }, 'APPROVED'],
    [MAINTAINER, { event: 'REQUEST_CHANGES', body: 'Shorter' }, 'CHANGES_REQUESTED'],
    [MAINTAINER, { event: 'COMMENT' }, 'Body cannot be blank'],
    [MAINTAINER, {}, 'PENDING'],
    ['ann', { event: 'APPROVE' }, 'Can not approve your own pull request'],
    ['ann', { event: 'REQUEST_CHANGES', body: 'No' }, 'Can not request changes on your own pull request'],
    [TOKEN_USER, { event: 'APPROVE' }, 'APPROVED'],
  ])('%s reviews with %j: %s', (login, body, answer) => {
    expect(reviewed(login, body).answer).toBe(answer)
  })

  test('GitHub Actions approves nothing where the repository does not allow it', () => {
    const { answer } = reviewed(TOKEN_USER, { event: 'APPROVE' }, { canActionsCreatePulls: false })
    expect(answer).toBe('GitHub Actions is not permitted to approve pull requests.')
  })

  test('a review takes the place of the request for it', () => {
    const { ask, read, service } = drive()
    ask('POST', '/pulls/7/requested_reviewers', { reviewers: ['mona'] })
    service.github.state.identity = MAINTAINER
    ask('POST', '/pulls/7/reviews', { event: 'APPROVE' })
    expect(read('/pulls/7/requested_reviewers')).toEqual({ users: [], teams: [] })
    expect(ask('POST', '/pulls/7/reviews', {}).status).toBe(200)
    expect(ask('POST', '/pulls/7/reviews', {}).body.errors).toEqual([
      'User can only have one pending review per pull request',
    ])
  })

  test('a request for a review can be taken back', () => {
    const { ask, read } = drive()
    ask('POST', '/pulls/7/requested_reviewers', { reviewers: ['mona'] })
    ask('DELETE', '/pulls/7/requested_reviewers', { reviewers: ['mona'] })
    expect(read('/pulls/7').requested_reviewers).toEqual([])
  })

  test('a comment cannot be dismissed', () => {
    const { ask } = drive(
      {},
      { reviews: [{ id: 3, user: 'mona', body: 'Nice', state: 'COMMENTED', headSha: '', submittedAtMs: START }] },
    )
    expect(ask('PUT', '/pulls/7/reviews/3/dismissals', { message: 'Old' }).body.message).toBe(
      'Can not dismiss a commented pull request review',
    )
  })
})

describe('labels', () => {
  test('a label is renamed and deleted on every issue that has it', () => {
    const { ask, read } = drive()
    ask('POST', '/issues/7/labels', { labels: ['Question'] })
    ask('PATCH', '/labels/question', { new_name: 'help', color: '00ff00' })
    expect(read('/issues/7/labels')).toMatchObject([{ name: 'help', color: '00ff00' }])
    ask('DELETE', '/labels/HELP')
    expect([read('/issues/7/labels'), read('/labels')]).toEqual([[], []])
  })

  test.each([
    [{ name: 'Question' }, 'already_exists'],
    [{ name: 'new', color: 'red' }, 'invalid'],
    [{ name: ' ' }, 'missing_field'],
  ])('the label %j is refused: %s', (label, code) => {
    expect(drive().ask('POST', '/labels', label)).toMatchObject({ status: 422, body: { errors: [{ code }] } })
  })

  test.each<[Permissions, number]>([
    [{ 'pull-requests': 'write' }, 403],
    [{ issues: 'write' }, 201],
  ])('with %j a label is created with the status %d', (permissions, status) => {
    const { ask, service } = drive()
    service.github.state.permissions = permissions
    expect(ask('POST', '/labels', { name: 'new' }).status).toBe(status)
  })

  test('a label that is not there cannot be taken away', () => {
    expect(drive().ask('DELETE', '/issues/7/labels/none')).toMatchObject({
      status: 404,
      body: { message: 'Label does not exist' },
    })
  })
})

describe('issues', () => {
  test('an issue is opened, closed with a reason, and opened again', () => {
    const { ask, read } = drive()
    const { number } = ask('POST', '/issues', { title: 'A page is missing', assignees: ['Mona', STRANGER] }).body
    expect(read(`/issues/${number}`)).toMatchObject({ number: 101, state: 'open', assignees: [{ login: 'mona' }] })
    const close = { state: 'closed', state_reason: 'not_planned' }
    expect(ask('PATCH', `/issues/${number}`, close).body).toMatchObject(close)
    expect(ask('PATCH', `/issues/${number}`, { state: 'open' }).body.state_reason).toBe('reopened')
  })

  test('a comment is deleted, and every comment has a page', () => {
    const { ask, read } = drive()
    const { id, html_url } = ask('POST', '/issues/7/comments', { body: 'Hello' }).body
    expect(html_url).toMatch(new RegExp(`/acme/docs/pull/7#issuecomment-${id}$`))
    expect(ask('DELETE', `/issues/comments/${id}`).status).toBe(204)
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
    ['DELETE', '/git/refs/heads/gone', undefined, 'Reference does not exist'],
    ['DELETE', '/git/refs/heads/main', undefined, 'Cannot delete the default branch'],
  ])('%s %s with %j is refused', (method, path, body, message) => {
    expect(drive().ask(method, path, body)).toMatchObject({ status: 422, body: { message } })
  })

  test('a branch moves back only by force, and takes its pull request along', () => {
    const { ask, docs } = drive()
    const sha = docs.commits[0]?.sha
    const move = (force: boolean) => ask('PATCH', '/git/refs/heads/guide', { sha, force }).body
    expect(move(false).message).toBe('Update is not a fast forward')
    expect(move(true).object.sha).toBe(sha)
    expect(docs.pulls[7]?.headSha).toBe(sha)
  })

  test('refs are found by the beginning of their names', () => {
    const { read, docs } = drive()
    docs.tags['v1'] = docs.branches['main'] ?? ''
    const refs = (prefix: string) => read(`/git/matching-refs/${prefix}`).map(({ ref }: { ref: string }) => ref)
    expect([refs('heads/g'), refs('tags/')]).toEqual([['refs/heads/guide'], ['refs/tags/v1']])
  })

  test('a file is read at a commit, and a folder is listed', () => {
    const { read, ask } = drive()
    const { content, size } = read('/contents/docs/guide.md?ref=guide')
    expect([Buffer.from(content, 'base64').toString(), size]).toEqual(['# Guide\n', 8])
    expect(ask('GET', '/contents/docs/guide.md').status).toBe(404)
    expect(read('/contents/docs').map(({ path }: { path: string }) => path)).toEqual(['docs/index.md', 'docs/news.md'])
    expect(read('/contents/')).toMatchObject([{ type: 'dir', path: 'docs' }])
  })

  test('a file whose text nobody gave is not played', () => {
    const { docs, ask } = driveUndescribed()
    pushCommit(docs, 'main', { message: 'Picture', author: 'ann', files: [{ filename: 'logo.png' }] }, START)
    const message = 'The embedded GitHub does not play the content of logo.png, which is not known.'
    expect(ask('GET', '/contents/logo.png')).toMatchObject({ status: 501, body: { message } })
  })

  test('a file is written only over the version that was read', () => {
    const { ask, read, docs } = driveUndescribed()
    const { sha } = read('/contents/docs/index.md')
    const content = Buffer.from('# Acme\nMore\n').toString('base64')
    const put = (fields: object) =>
      ask('PUT', '/contents/docs/index.md', { message: 'More', content, ...fields }).status
    expect([put({}), put({ sha: 'f'.repeat(40) }), put({ sha })]).toEqual([422, 409, 200])
    expect(docs.commits.at(-1)?.files).toMatchObject([{ status: 'modified', patch: '@@ -1,0 +2,1 @@\n+More' }])
  })

  test.each([
    ['', '@@ -0,0 +1,2 @@\n+a\n+b', 'a\nb\n'],
    ['a\nb\nc\n', '@@ -2 +2 @@\n-b\n+x', 'a\nx\nc\n'],
    ['a\nb\nc\n', '@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -3 +4 @@\n-c\n+d\n\\ No newline at end of file', 'a\nx\nb\nd\n'],
    ['a\n', '@@ -1 +0,0 @@\n-a', ''],
  ])('%j with the patch %j is %j', (before, patch, after) => {
    expect(applyPatch(before, patch)).toBe(after)
  })

  test.each([
    ['', 'a\n'],
    ['a\nb\nc\n', 'a\nx\nc\n'],
    ['a\nb\n', 'b\n'],
    ['a\n', 'a\n'],
  ])('the patch from %j to %j makes the one of the other', (before, after) => {
    expect(applyPatch(before, diffTexts(before, after).patch ?? '')).toBe(after)
  })
})

describe('checks and statuses', () => {
  test('a check is reported, completed once it has a conclusion, and changed by its own app alone', () => {
    const { ask, docs, read, service } = driveUndescribed()
    const head_sha = docs.branches['guide']
    const { id, status } = ask('POST', '/check-runs', { name: 'links', head_sha }).body
    expect(status).toBe('queued')
    expect(ask('PATCH', `/check-runs/${id}`, { status: 'completed' }).status).toBe(422)
    const output = { title: 'Links', summary: 'Two are broken' }
    ask('PATCH', `/check-runs/${id}`, { conclusion: 'failure', output })
    expect(read(`/commits/guide/check-runs`).check_runs).toMatchObject([
      { status: 'completed', conclusion: 'failure', output },
    ])
    service.github.state.identity = 'link-checker[bot]'
    expect(ask('PATCH', `/check-runs/${id}`, { conclusion: 'success' }).status).toBe(403)
    expect(ask('POST', '/check-runs', { name: 'links', head_sha: 'f'.repeat(40) }).status).toBe(422)
  })

  test('checks are filtered by name, app and status', () => {
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

  test('a commit status is reported and listed, newest first', () => {
    const { ask, read, docs } = driveUndescribed()
    const report = (state: string) => ask('POST', `/statuses/${docs.branches['guide']}`, { state }).status
    expect([report('pending'), report('success'), report('fine')]).toEqual([201, 201, 422])
    const states = read('/commits/guide/statuses').map(({ state }: { state: string }) => state)
    expect([states, read('/commits/guide/status').state]).toEqual([['success', 'pending'], 'success'])
  })
})

describe('searches', () => {
  function searching() {
    const driver = driveGitHub({
      docs: repositoryWithGuide({}, { labels: ['question'], createdAtMs: START, updatedAtMs: START }),
      scenario: { lag: { ...USUAL_LAG, searchMs: 5_000 } },
    })
    const find = (q: string) =>
      driver
        .read(`/api/v3/search/issues?q=${encodeURIComponent(q)}`)
        .items.map(({ number }: { number: number }) => number)
    return { ...driver, find }
  }

  test('finds what is new, and what has changed, only some time later', () => {
    const { find, advance, ask } = searching()
    expect(find('repo:acme/docs is:pr')).toEqual([])
    advance(5)
    expect(find('repo:acme/docs is:pr')).toEqual([7])
    ask('PATCH', '/pulls/7', { state: 'closed' })
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
  ])('%s finds %j', (q, numbers) => {
    const { find, advance } = searching()
    advance(5)
    expect(find(`repo:acme/docs ${q}`)).toEqual(numbers)
  })

  test('a repository that is not there cannot be searched', () => {
    expect(driveGitHub().ask('GET', '/api/v3/search/issues?q=repo:acme/none').status).toBe(422)
  })
})

test('a dispatch is noted, and one of a workflow queues a run', () => {
  const { ask, docs, read } = drive()
  expect(ask('POST', '/actions/workflows/none.yml/dispatches', { ref: 'main' }).status).toBe(404)
  expect(ask('POST', '/actions/workflows/docs.yml/dispatches', { ref: 'gone' }).status).toBe(422)
  expect(ask('POST', '/actions/workflows/2/dispatches', { ref: 'main', inputs: { page: 'all' } }).status).toBe(204)
  ask('POST', '/dispatches', { event_type: 'docs', client_payload: { page: 'all' } })
  expect(docs.dispatches).toMatchObject([
    { event: 'workflow_dispatch', actor: TOKEN_USER, payload: { inputs: { page: 'all' } } },
    { event: 'repository_dispatch', payload: { action: 'docs', client_payload: { page: 'all' } } },
  ])
  expect(read('/actions/runs?event=workflow_dispatch').workflow_runs).toMatchObject([{ status: 'queued' }])
})

test('what is left of the hour can be read, which costs no request', () => {
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
])('issues with %s are %j', (query, numbers) => {
  const { ask, read } = drive()
  ask('POST', '/issues', { title: 'First', body: 'What do you think, @ann?' })
  ask('POST', '/issues', { title: 'Second', assignees: ['mona'] })
  expect(read(`/issues?${query}`).map(({ number }: { number: number }) => number)).toEqual(numbers)
})

test('a workflow’s run has jobs, which follow from its checks', () => {
  const { ask, docs, read, advance } = drive()
  ask('POST', '/actions/workflows/docs.yml/dispatches', { ref: 'main' })
  const { id = 0, headSha = '' } = docs.workflowRuns[0] ?? {}
  const job = { headSha, runId: id, createdAtMs: START, startedAtMs: START, completedAtMs: START + 60_000 }
  docs.checkRuns.push(
    checkRun({ ...job, id: 5, name: 'pages', completedAtMs: START }),
    checkRun({ ...job, id: 6, name: 'pages', attempt: 2, conclusion: 'failure' }),
  )
  const list = (query = ''): readonly string[] =>
    read(`/actions/runs/${id}/jobs${query}`).jobs.map(
      (one: { id: number; status: string; conclusion: string | null }) => `${one.id} ${one.status} ${one.conclusion}`,
    )
  expect(list()).toEqual(['6 in_progress null'])
  expect(list('?filter=all')).toEqual(['5 completed success', '6 in_progress null'])
  advance(60)
  expect(list()).toEqual(['6 completed failure'])
  expect(read(`/actions/runs/${id}/artifacts`)).toEqual({ total_count: 0, artifacts: [] })
  expect(ask('GET', '/actions/runs/99/jobs').status).toBe(404)
})

test('workflows are found by their files and ids', () => {
  const { ask, read } = drive()
  const { workflows } = read('/actions/workflows')
  expect(workflows.map(({ path }: { path: string }) => path)).toEqual([
    '.github/workflows/ci.yml',
    '.github/workflows/docs.yml',
  ])
  expect(read('/actions/workflows/docs.yml')).toEqual(workflows[1])
  expect(read(`/actions/workflows/${workflows[1].id}`)).toEqual(workflows[1])
  expect(ask('GET', '/actions/workflows/none.yml').status).toBe(404)
})

describe('comments on lines', () => {
  const PATCH = '@@ -1,2 +1,3 @@\n # Guide\n-Old\n+New\n+More\n@@ -9 +10 @@\n-Last\n+End'

  function driveChange(isUndescribed = false): GitHubDriver {
    const docs = repositoryWithGuide()
    const files = [{ filename: 'docs/guide.md', patch: PATCH }]
    pushCommit(docs, 'guide', { message: 'Change the guide', author: 'ann', files }, START - HOUR_MS)
    return driveGitHub({ docs, isUndescribed })
  }

  test.each([
    [{ line: 3 }, 3, 'RIGHT', '@@ -1,2 +1,3 @@\n # Guide\n-Old\n+New\n+More'],
    [{ line: 1, side: 'RIGHT' }, 1, 'RIGHT', '@@ -1,2 +1,3 @@\n # Guide'],
    [{ line: 2, side: 'LEFT' }, 2, 'LEFT', '@@ -1,2 +1,3 @@\n # Guide\n-Old'],
    [{ line: 3, start_line: 2 }, 3, 'RIGHT', '@@ -1,2 +1,3 @@\n # Guide\n-Old\n+New\n+More'],
    [{ position: 7 }, 10, 'RIGHT', '@@ -9 +10 @@\n-Last\n+End'],
    [{ position: 6 }, 9, 'LEFT', '@@ -9 +10 @@\n-Last'],
  ])('%j is line %d on the side %s', (place, line, side, hunk) => {
    const { ask, docs, read } = driveChange()
    const where = { path: 'docs/guide.md', commit_id: docs.pulls[7]?.headSha, ...place }
    const { status, body } = ask('POST', '/pulls/7/comments', { body: 'Why?', ...where })
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
  ])('%j is no line of the change', (place, field) => {
    const { ask, docs } = driveChange()
    const answered = ask('POST', '/pulls/7/comments', { body: 'Why?', commit_id: docs.pulls[7]?.headSha, ...place })
    expect([answered.status, answered.body.errors[0].field]).toEqual([422, field])
    expect(docs.pulls[7]?.reviewComments).toEqual([])
  })

  test('a review brings its comments when it is submitted, and needs no other text', () => {
    const { ask, read } = driveChange()
    const comments = [{ path: 'docs/guide.md', line: 2, body: 'Say more.' }]
    const { id } = ask('POST', '/pulls/7/reviews', { comments }).body
    expect(read('/pulls/7/comments')).toEqual([])
    expect(ask('POST', `/pulls/7/reviews/${id}/events`, { event: 'COMMENT' }).status).toBe(200)
    expect(read('/pulls/7/comments')).toMatchObject([{ line: 2, body: 'Say more.', pull_request_review_id: id }])
    expect(read(`/pulls/7/reviews/${id}/comments`)).toHaveLength(1)
  })

  test.each([
    [{ path: 'docs/other.md', line: 2 }, 'Path could not be resolved'],
    [{ path: 'docs/guide.md', line: 6 }, 'Line could not be resolved'],
  ])('a review with a comment on %j is refused as a whole', (place, problem) => {
    const { ask, docs } = driveChange(true)
    const good = { path: 'docs/guide.md', line: 2, body: 'Good' }
    const { status, body } = ask('POST', '/pulls/7/reviews', { comments: [good, { ...place, body: 'Bad' }] })
    expect([status, body.errors]).toEqual([422, [problem]])
    expect([docs.pulls[7]?.reviews, docs.pulls[7]?.reviewComments]).toEqual([[], []])
  })

  test('a comment can be answered, read, changed and deleted', () => {
    const { ask, docs, read } = driveChange()
    const where = { path: 'docs/guide.md', line: 2, commit_id: docs.pulls[7]?.headSha }
    const { id } = ask('POST', '/pulls/7/comments', { body: 'Why?', ...where }).body
    const reply = ask('POST', '/pulls/7/comments', { body: 'Because.', ...where, in_reply_to: id })
    expect(reply.body).toMatchObject({ in_reply_to_id: id, body: 'Because.' })
    ask('PATCH', `/pulls/comments/${id}`, { body: 'Why so?' })
    expect(read(`/pulls/comments/${id}`)).toMatchObject({ body: 'Why so?' })
    expect(ask('DELETE', `/pulls/comments/${id}`).status).toBe(204)
    expect(ask('GET', `/pulls/comments/${id}`).status).toBe(404)
  })
})

describe('users', () => {
  test.each([
    ['MONA', 200, 'mona'],
    ['github-actions[bot]', 200, TOKEN_USER],
    ['nobody', 404, undefined],
  ])('%s is answered %d', (name, status, login) => {
    const answered = drive().ask('GET', `/api/v3/users/${encodeURIComponent(name)}`)
    expect([answered.status, answered.body.login]).toEqual([status, login])
  })

  test('the token of a workflow has no user', () => {
    const { ask, service } = drive()
    expect(ask('GET', '/api/v3/user').status).toBe(403)
    service.github.state.identity = MAINTAINER
    expect(ask('GET', '/api/v3/user').body.login).toBe(MAINTAINER)
  })
})
