import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import {
  combineFileChanges,
  getPullChange,
  compareHistories,
  findCommit,
} from '../../../src/emulator/github/history.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue, mergePull, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import {
  type Commit,
  type FileChange,
  createRepositoryState,
  type RepositoryState,
} from '../../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { Timeline } from '../../../src/emulator/github/timeline.ts'
import { commit, madeCommit } from '../../../testing/github-state.ts'
import { toBody } from '../drive-service.ts'
import { driveGitHub } from './drive-github.ts'

const createCommit = (sha: string, parents: readonly string[], files: readonly FileChange[] = []): Commit =>
  madeCommit({ sha: commit(sha), parents: parents.map(commit), message: sha, files })

/** `main` is `a - b - d`, `docs/guide` is `a - b - c - e`, and `f` has no common ancestor with them. */
const repository = createRepositoryState({
  commits: [
    createCommit('a', []),
    createCommit('b', ['a'], [{ filename: 'x.md' }]),
    createCommit('c', ['b'], [{ filename: 'y.md', status: 'added' }]),
    createCommit('d', ['b'], [{ filename: 'z.md' }]),
    createCommit('e', ['c'], [{ filename: 'y.md' }]),
    createCommit('f', []),
  ],
  branches: { main: commit('d'), 'docs/guide': commit('e'), v1: commit('c') },
  tags: { v1: commit('a') },
})

test.each([
  ['main', 'd'],
  ['docs/guide', 'e'],
  ['heads/main', 'd'],
  ['refs/heads/docs/guide', 'e'],
  ['v1', 'c'],
  ['refs/tags/v1', 'a'],
  ['tags/v1', 'a'],
  ['dora:main', 'd'],
  ['HEAD', 'd'],
  [commit('b'), 'b'],
  ['bbbbbbb', 'b'],
])('resolves %s to the commit %s', (ref, sha) => {
  expect(findCommit(repository, ref)?.message).toBe(sha)
})

test.each(['next', 'bbbbbb', 'refs/heads/bbbbbbb', ''])('does not resolve “%s”', (ref) => {
  expect(findCommit(repository, ref)).toBeUndefined()
})

test.each([
  ['b', 'e', 'ahead', 'b', ['c', 'e'], 0],
  ['d', 'e', 'diverged', 'b', ['c', 'e'], 1],
  ['e', 'b', 'behind', 'b', [], 2],
  ['e', 'e', 'identical', 'e', [], 0],
])('compares %s...%s as %s', (base, head, relation, mergeBase, ahead, behindBy) => {
  const compared = compareHistories(repository, commit(base), commit(head))
  expect(compared).toMatchObject({ relation, mergeBase: { message: mergeBase }, behindBy })
  expect(compared?.ahead.map(({ message }) => message)).toEqual(ahead)
})

const [ADDED, REMOVED] = [{ filename: 'a', status: 'added' } as const, { filename: 'a', status: 'removed' } as const]
const movedTo = (status: 'renamed' | 'copied') => ({ filename: 'b', status, previous_filename: 'a' })

test.each<[changes: readonly FileChange[], combined: readonly object[]]>([
  [
    [{ filename: 'b', status: 'added', additions: 2 }, { filename: 'b', patch: '+' }, { filename: 'a' }],
    [{ filename: 'a' }, { filename: 'b', status: 'added', additions: 3, deletions: 0, patch: '+' }],
  ],
  [[ADDED, REMOVED], []],
  [[REMOVED, ADDED], [{ filename: 'a', status: 'modified' }]],
  [[{ filename: 'a' }, REMOVED], [REMOVED]],
  [[ADDED, movedTo('renamed')], [{ filename: 'b', status: 'added' }]],
  [
    [{ filename: 'a' }, movedTo('copied')],
    [{ filename: 'a' }, movedTo('copied')],
  ],
])('combines the changes of several commits: %j', (changes, combined) => {
  const found = combineFileChanges(changes.map((file) => createCommit('a', [], [file])))
  expect(found).toHaveLength(combined.length)
  expect(found).toMatchObject(combined)
})

test('a pull request contains the changes that its base lacks, even after it was closed', () => {
  const pull = createPullState({ branch: 'docs/guide', headSha: commit('e') })
  expect(getPullChange(repository, pull).files.map(({ filename }) => filename)).toEqual(['y.md'])
  const merged = { ...repository, branches: { ...repository.branches, main: commit('e') } }
  expect(getPullChange(merged, pull).ahead).toEqual([])
  expect(getPullChange(merged, { ...pull, closedBaseSha: commit('d') }).ahead).toHaveLength(2)
})

const getSha = (index: number): string => String(index).padStart(40, '0')

/** `main` has 302 commits that each change a different file. `f` has no common ancestor with them. */
const createDocs = (fields: Partial<RepositoryState> = {}): Partial<RepositoryState> => {
  const commits = Array.from({ length: 302 }, (_, index) =>
    madeCommit({
      sha: getSha(index),
      parents: index === 0 ? [] : [getSha(index - 1)],
      files: [{ filename: `docs/${index}.md`, patch: '+x' }],
    }),
  )
  const branches = { main: getSha(301), old: getSha(299), first: getSha(0) }
  return { commits: [...commits, createCommit('f', [])], branches, ...fields }
}

test.each([
  ['?per_page=250', 100, 1, 100, 300],
  ['?per_page=100&page=4', 1, 301, 301, 0],
])(
  'a comparison with the query “%s” lists %d commits, from %d to %d, and %d files',
  (query, length, from, to, files) => {
    const { commits, ...body } = driveGitHub({ docs: createDocs() }).read(`/compare/first...main${query}`)
    expect(body).toMatchObject({ status: 'ahead', ahead_by: 301, total_commits: 301, files: { length: files } })
    expect(body.merge_base_commit.sha).toBe(getSha(0))
    expect([commits.length, commits[0].sha, commits.at(-1).sha]).toEqual([length, getSha(from), getSha(to)])
    expect([commits[0].author, commits[0].commit.author.name]).toEqual([null, 'Ann'])
  },
)

test.each([
  ['/compare/main...next', 404, 'Not Found'],
  [`/compare/main...${commit('f')}`, 404, `No common ancestor between main and ${commit('f')}.`],
  [`/commits/${commit('e')}/pulls`, 422, `No commit found for SHA: ${commit('e')}`],
])('responds to %s with %d', (path, status, message) => {
  expect(driveGitHub({ docs: createDocs() }).request('GET', path)).toMatchObject({ status, body: { message } })
})

const merged = createPullState({
  branch: 'guide',
  headSha: getSha(300),
  state: 'closed',
  closedBaseSha: getSha(298),
  merge: { sha: getSha(301), atMs: DEFAULT_START_MS },
})
const open = createPullState({ branch: 'next', headSha: getSha(300), base: 'old' })

test('lists the pull request of a merged commit only after a lag', () => {
  const scenario = { lag: { ...DEFAULT_LAG, commitPullsMs: 20_000 } }
  const { read, advance } = driveGitHub({ docs: createDocs({ pulls: { 3: merged } }), scenario })
  expect(read(`/commits/${getSha(301)}/pulls`)).toEqual([])
  advance(20)
  expect(read(`/commits/${getSha(301)}/pulls`)).toMatchObject([{ number: 3, merge_commit_sha: getSha(301) }])
})

test('lists several pull requests of a commit, without the ones that were closed but not merged', () => {
  const pulls = { 3: merged, 4: open, 5: { ...open, state: 'closed' as const } }
  const { read } = driveGitHub({ docs: createDocs({ pulls }) })
  const numbers = (sha: string) => read(`/commits/${sha}/pulls`).map(({ number }: { number: number }) => number)
  expect([300, 299, 1].map((index) => numbers(getSha(index)))).toEqual([[3, 4], [3], []])
})

test('serves the test merge of an open pull request, which is on no branch and in no pull request', () => {
  const { read, request, docs: repository } = driveGitHub({ docs: createDocs({ pulls: { 4: open } }) })
  const { merge_commit_sha: sha } = read('/pulls/4')
  const message = `Merge ${getSha(300)} into ${getSha(299)}`
  expect(findCommit(repository, 'refs/pull/4/merge')).toMatchObject({
    sha,
    message,
    parents: [getSha(299), getSha(300)],
  })
  expect(read(`/commits/${sha}/pulls`)).toEqual([])
  expect(Object.values(repository.branches)).not.toContain(sha)
  // The test merge changes when the base moves, and is deleted when the pull request is closed.
  repository.branches['old'] = getSha(298)
  expect(read('/pulls/4').merge_commit_sha).not.toBe(sha)
  expect(request('GET', `/commits/${sha}/pulls`)).toMatchObject({ status: 422 })
  const { 4: pull } = repository.pulls
  if (pull !== undefined) closeIssue(repository, pull, 1)
  expect(read('/pulls/4').merge_commit_sha).toBeNull()
})

test('lists at most 250 commits of a pull request', () => {
  const pulls = { 4: createPullState({ branch: 'main', headSha: getSha(301), base: 'first' }) }
  const { read } = driveGitHub({ docs: createDocs({ pulls }) })
  expect(read('/pulls/4/commits?per_page=100&page=3')).toHaveLength(50)
  expect(read('/pulls/4').commits).toBe(301)
})

test('runs due callbacks in order, including the ones that they schedule', () => {
  const timeline = new Timeline()
  const calls: string[] = []
  const record = (name: string) => (atMs: number) => calls.push(`${name} ${atMs}`)
  timeline.schedule(20, record('later'))
  timeline.schedule(10, (atMs) => {
    record('first')(atMs)
    timeline.schedule(15, record('follows'))
  })
  timeline.schedule(10, record('second'))
  timeline.schedule(Infinity, record('never'))
  timeline.runUntil(9)
  expect(calls).toEqual([])
  for (const untilMs of [1_000, 2_000]) timeline.runUntil(untilMs)
  expect(calls).toEqual(['first 10', 'second 10', 'follows 15', 'later 20'])
})

const change = (filename: string) => ({ message: `Change ${filename}`, author: 'mona', files: [{ filename }] })

function createRepositoryWithPull(): RepositoryState {
  const repository = createRepositoryState()
  pushCommit(repository, 'main', change('a.md'), 1)
  pushCommit(repository, 'guide', change('b.md'), 2)
  openPull(repository, 7, { branch: 'guide', title: 'Guide' }, 3)
  return repository
}

test('creates a new branch from the default branch, with reproducible commit ids', () => {
  const { commits, branches } = createRepositoryWithPull()
  expect(commits.map(({ parents }) => parents)).toEqual([[], [commits[0]?.sha]])
  expect(branches).toEqual({ main: commits[0]?.sha, guide: commits[1]?.sha })
  expect(createRepositoryWithPull().branches).toEqual(branches)
})

test('a push moves the head of an open pull request, but not of a closed one', () => {
  const repository = createRepositoryWithPull()
  const { 7: pull } = repository.pulls
  const before = pull?.headSha
  const { sha } = pushCommit(repository, 'guide', change('c.md'), 4)
  expect(pull).toMatchObject({ headSha: sha, earlierHeads: [{ sha: before, untilMs: 4 }], pushes: 2 })
  if (pull !== undefined) closeIssue(repository, pull, 5)
  pushCommit(repository, 'guide', change('d.md'), 6)
  expect(pull?.headSha).toBe(sha)
})

test('merges a pull request as one commit on the base, and only once', () => {
  const repository = createRepositoryWithPull()
  const mergeCommit = mergePull(repository, 7, 'mona', 9)
  expect(mergeCommit).toMatchObject({ message: 'Guide (#7)', parents: { length: 1 }, files: [{ filename: 'b.md' }] })
  expect(repository.branches['main']).toBe(mergeCommit?.sha)
  expect(repository.pulls[7]).toMatchObject({ state: 'closed', merge: { sha: mergeCommit?.sha, atMs: 9 } })
  expect(mergePull(repository, 7, 'mona', 10)).toBeUndefined()
})

test.each(['merge', 'squash', 'rebase'] as const)(
  'keeps the base commit from before the merge of a pull request: %s',
  (method) => {
    const repository = createRepositoryWithPull()
    pushCommit(repository, 'main', change('c.md'), 4)
    mergePull(repository, 7, 'mona', 9, { method })
    const { read } = driveGitHub({ docs: repository })
    const { base, head } = read('/pulls/7')
    const comparison = read(`/compare/${base.sha}...${head.sha}`)
    expect(comparison).toMatchObject({ total_commits: 1, files: [{ filename: 'b.md' }] })
  },
)

const { request, docs: agentDocs } = driveGitHub({ repository: 'me/guide' })
const main = agentDocs.branches['main']
const getFromAlias = (path: string) => request('GET', `/api/v3/repos/me/guide${path}`)

test.each([
  ['a push', `${commit('a')}...${commit('b')}`],
  ['a new branch', `main...${commit('b')}`],
  ['a change since an unknown commit', `${commit('a')}...main`],
  ['a branch of another name', `trunk...${commit('b')}`],
])('in a rehearsal, %s becomes the change since the last release', (_, range) => {
  const { status, body } = getFromAlias(`/compare/${range}`)
  expect(status).toBe(200)
  expect(body.commits).toMatchObject([{ sha: main, commit: { message: 'Add the --dry-run flag to deploy' } }])
  expect(body.files).toMatchObject([{ filename: 'src/deploy.ts' }])
})

test('in a rehearsal, an unknown workflow becomes one that ran at the last release', () => {
  const { body } = getFromAlias('/actions/workflows/rehearse.yml/runs?branch=trunk&status=success')
  expect(body.workflow_runs[0]).toMatchObject({ head_sha: main })
  expect(body.workflow_runs.at(-1)).toMatchObject({ head_sha: agentDocs.tags['v1.1.0'] })
})

test('in a rehearsal, earlier runs were on the branch of the real run', () => {
  const { request: ask } = driveGitHub({ repository: 'me/guide', branch: 'trunk' })
  const { body } = ask('GET', '/api/v3/repos/me/guide/actions/workflows/rehearse.yml/runs')
  expect(body.workflow_runs[0]).toMatchObject({ head_branch: 'trunk', conclusion: 'success', head_sha: main })
})

test('in a rehearsal, an unknown commit has checks but no pull request', () => {
  expect(getFromAlias(`/commits/${commit('b')}/pulls`)).toMatchObject({ status: 200, body: [] })
  expect(getFromAlias(`/commits/${commit('b')}/check-runs`).body.total_count).toBe(2)
})

test('in a rehearsal, known refs and issues are those of the agent’s repository', () => {
  expect(getFromAlias('/compare/v1.0.0...v1.1.0').body.total_commits).toBe(1)
  expect(getFromAlias('/issues/9/comments').status).toBe(request('GET', '/issues/9/comments').status)
})

test('in a rehearsal, every repository that a step names exists, under its name', () => {
  const range = `${commit('a')}...${commit('b')}`
  expect(request('GET', `/api/v3/repos/you/library/compare/${range}`).body.total_commits).toBe(1)
  expect(request('GET', '/api/v3/repos/you/library').body.full_name).toBe('you/library')
  // Another repository of the embedded GitHub stays as it is.
  expect(request('GET', `/api/v3/repos/acme/code/compare/${range}`).status).toBe(404)
})

test('in a rehearsal, the agent opens its pull request in the repository of the run, or where the step looked for one', () => {
  const rehearsal = driveGitHub({ repository: 'me/code' })
  const openPullRequest = (): string | null | undefined => {
    const { id = '' } = toBody(rehearsal.post('/v2/agent/my-project/job', 'Document the flag.'))
    rehearsal.advance(60)
    return toBody(rehearsal.get(`/v2/agent/my-project/job/${id}`)).prLink
  }
  expect(openPullRequest()).toMatch(/\/me\/code\/pull\/\d+$/)
  rehearsal.request('GET', '/api/v3/repos/me/docs/pulls')
  const link = openPullRequest() ?? ''
  expect(link).toMatch(/\/me\/docs\/pull\/\d+$/)
  const number = Number(/\d+$/.exec(link)?.[0])
  expect(rehearsal.request('GET', `/api/v3/repos/me/docs/pulls/${number}`).body.html_url).toBe(link)
})

test('in a rehearsal, the job of the open pull request is in the project that the workflow names', () => {
  const rehearsal = driveGitHub({ repository: 'me/code', scenarios: ['open-pull-request'] })
  const [pull] = rehearsal.request('GET', '/api/v3/repos/me/code/pulls').body
  expect(toBody(rehearsal.get('/v2/agent/my-project/job/job_finished')).prLink).toBe(pull.html_url)
})

test('the change of a run consists of the given files', () => {
  const rehearsal = driveGitHub({ repository: 'me/code', changedFiles: ['packages/cli/x.ts', 'docs/index.md'] })
  const { body } = rehearsal.request('GET', `/api/v3/repos/me/code/compare/${commit('a')}...${commit('b')}`)
  expect(body.files).toMatchObject([
    { filename: 'docs/index.md', additions: 1 },
    { filename: 'packages/cli/x.ts', additions: 1 },
  ])
})

test('in a rehearsal, a pull request that only the real repository has is a change of a person', () => {
  const rehearsal = driveGitHub({ repository: 'me/code', changedFiles: ['packages/cli/x.ts'] })
  const read = (path: string) => rehearsal.request('GET', `/api/v3/repos/me/code${path}`)
  const { status, body } = read('/pulls/123')
  expect([status, body]).toMatchObject([200, { state: 'open', user: { login: MAINTAINER, type: 'User' }, labels: [] }])
  const { body: comparison } = read(`/compare/${body.base.sha}...${body.head.sha}`)
  expect(comparison).toMatchObject({ total_commits: 1, files: [{ filename: 'packages/cli/x.ts' }] })
  expect(read('/pulls/123/commits').body).toMatchObject([{ author: { login: MAINTAINER } }])
  expect(read('/issues/123/comments')).toMatchObject({ status: 200, body: [] })
})

test('replaces no unknown commit, and has no other repository, without a rehearsal', () => {
  const range = `${commit('a')}...${commit('b')}`
  const { request } = driveGitHub()
  expect(request('GET', `/compare/${range}`).status).toBe(404)
  expect(request('GET', `/api/v3/repos/me/guide/compare/${range}`).status).toBe(404)
  expect(request('GET', '/pulls/123').status).toBe(404)
})
