import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { changedFiles, changeOfPull, compareHistories, findCommit } from '../../../src/emulator/github/history.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue, mergePull, openPull, pushCommit } from '../../../src/emulator/github/repository-events.ts'
import {
  type Commit,
  type FileChange,
  repositoryState,
  type RepositoryState,
} from '../../../src/emulator/github/repository-state.ts'
import { USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { Timeline } from '../../../src/emulator/github/timeline.ts'
import { commit, madeCommit } from '../../support/github-state.ts'
import { driveGitHub } from './drive-github.ts'

const made = (sha: string, parents: readonly string[], files: readonly FileChange[] = []): Commit =>
  madeCommit({ sha: commit(sha), parents: parents.map(commit), message: sha, files })

/** `a - b - d` is main, `b - c - e` the branch, and `e` brings `d` in. */
const repository = repositoryState({
  commits: [
    made('a', []),
    made('b', ['a'], [{ filename: 'x.md' }]),
    made('c', ['b'], [{ filename: 'y.md', status: 'added' }]),
    made('d', ['b'], [{ filename: 'z.md' }]),
    made('e', ['c'], [{ filename: 'y.md' }]),
    made('f', []),
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
])('%s names the commit %s', (ref, sha) => {
  expect(findCommit(repository, ref)?.message).toBe(sha)
})

test.each(['next', 'bbbbbb', 'refs/heads/bbbbbbb', ''])('“%s” names nothing', (ref) => {
  expect(findCommit(repository, ref)).toBeUndefined()
})

test.each([
  ['b', 'e', 'ahead', 'b', ['c', 'e'], 0],
  ['d', 'e', 'diverged', 'b', ['c', 'e'], 1],
  ['e', 'b', 'behind', 'b', [], 2],
  ['e', 'e', 'identical', 'e', [], 0],
])('%s...%s is %s', (base, head, relation, mergeBase, ahead, behindBy) => {
  const compared = compareHistories(repository, commit(base), commit(head))
  expect(compared).toMatchObject({ relation, mergeBase: { message: mergeBase }, behindBy })
  expect(compared?.ahead.map(({ message }) => message)).toEqual(ahead)
})

const [ADDED, REMOVED] = [{ filename: 'a', status: 'added' } as const, { filename: 'a', status: 'removed' } as const]
const movedTo = (status: 'renamed' | 'copied') => ({ filename: 'b', status, previous_filename: 'a' })

test.each<[changes: readonly FileChange[], together: readonly object[]]>([
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
])('what several commits did to a file counts as one change: %j', (changes, together) => {
  const found = changedFiles(changes.map((file) => made('a', [], [file])))
  expect(found).toHaveLength(together.length)
  expect(found).toMatchObject(together)
})

test('a pull request brings what its base has not, also once it was closed', () => {
  const pull = pullState({ branch: 'docs/guide', headSha: commit('e') })
  expect(changeOfPull(repository, pull).files.map(({ filename }) => filename)).toEqual(['y.md'])
  const merged = { ...repository, branches: { ...repository.branches, main: commit('e') } }
  expect(changeOfPull(merged, pull).ahead).toEqual([])
  expect(changeOfPull(merged, { ...pull, closedBaseSha: commit('d') }).ahead).toHaveLength(2)
})

const getSha = (index: number): string => String(index).padStart(40, '0')

/** Main with 302 commits, each of which changes a file of its own, and one commit that has nothing in common with them. */
const docs = (fields: Partial<RepositoryState> = {}): Partial<RepositoryState> => {
  const line = Array.from({ length: 302 }, (_, index) =>
    madeCommit({
      sha: getSha(index),
      parents: index === 0 ? [] : [getSha(index - 1)],
      files: [{ filename: `docs/${index}.md`, patch: '+x' }],
    }),
  )
  const branches = { main: getSha(301), old: getSha(299), first: getSha(0) }
  return { commits: [...line, made('f', [])], branches, ...fields }
}

test.each([
  ['?per_page=250', 100, 1, 100, 300],
  ['?per_page=100&page=4', 1, 301, 301, 0],
])('a comparison with the query “%s” lists %d commits, %d to %d, and %d files', (query, length, from, to, files) => {
  const { commits, ...body } = driveGitHub({ docs: docs() }).read(`/compare/first...main${query}`)
  expect(body).toMatchObject({ status: 'ahead', ahead_by: 301, total_commits: 301, files: { length: files } })
  expect(body.merge_base_commit.sha).toBe(getSha(0))
  expect([commits.length, commits[0].sha, commits.at(-1).sha]).toEqual([length, getSha(from), getSha(to)])
  expect([commits[0].author, commits[0].commit.author.name]).toEqual([null, 'Ann'])
})

test.each([
  ['/compare/main...next', 404, 'Not Found'],
  [`/compare/main...${commit('f')}`, 404, `No common ancestor between main and ${commit('f')}.`],
  [`/commits/${commit('e')}/pulls`, 422, `No commit found for SHA: ${commit('e')}`],
])('%s is not there', (path, status, message) => {
  expect(driveGitHub({ docs: docs() }).ask('GET', path)).toMatchObject({ status, body: { message } })
})

const merged = pullState({
  ...{ branch: 'guide', headSha: getSha(300), state: 'closed', closedBaseSha: getSha(298) },
  merge: { sha: getSha(301), atMs: DEFAULT_START_MS },
})
const open = pullState({ branch: 'next', headSha: getSha(300), base: 'old' })

test('the pull request of a merge is known only some time later', () => {
  const scenario = { lag: { ...USUAL_LAG, commitPullsMs: 20_000 } }
  const { read, advance } = driveGitHub({ docs: docs({ pulls: { 3: merged } }), scenario })
  expect(read(`/commits/${getSha(301)}/pulls`)).toEqual([])
  advance(20)
  expect(read(`/commits/${getSha(301)}/pulls`)).toMatchObject([{ number: 3, merge_commit_sha: getSha(301) }])
})

test('a commit can be in several pull requests, and closed ones that were not merged do not count', () => {
  const pulls = { 3: merged, 4: open, 5: { ...open, state: 'closed' as const } }
  const { read } = driveGitHub({ docs: docs({ pulls }) })
  const numbers = (sha: string) => read(`/commits/${sha}/pulls`).map(({ number }: { number: number }) => number)
  expect([300, 299, 1].map((index) => numbers(getSha(index)))).toEqual([[3, 4], [3], []])
})

test('GitHub merges an open pull request for a test: the merge can be read, is on no branch, and is of no pull request', () => {
  const { read, ask, docs: repository } = driveGitHub({ docs: docs({ pulls: { 4: open } }) })
  const { merge_commit_sha: sha } = read('/pulls/4')
  const merge = read(`/commits/${sha}`)
  const message = `Merge ${getSha(300)} into ${getSha(299)}`
  expect(merge).toMatchObject({ sha, commit: { message }, parents: [{ sha: getSha(299) }, { sha: getSha(300) }] })
  expect(read('/commits/refs%2Fpull%2F4%2Fmerge').sha).toBe(sha)
  expect(read(`/commits/${sha}/pulls`)).toEqual([])
  expect(Object.values(repository.branches)).not.toContain(sha)
  // Another one takes its place when the base moves, and none when the pull request is closed.
  repository.branches['old'] = getSha(298)
  expect(read('/pulls/4').merge_commit_sha).not.toBe(sha)
  expect(ask('GET', `/commits/${sha}`)).toMatchObject({ status: 422 })
  const { 4: pull } = repository.pulls
  if (pull !== undefined) closeIssue(repository, pull, 1)
  expect(read('/pulls/4').merge_commit_sha).toBeNull()
})

test('of the commits of a pull request 250 are listed', () => {
  const pulls = { 4: pullState({ branch: 'main', headSha: getSha(301), base: 'first' }) }
  const { read } = driveGitHub({ docs: docs({ pulls }) })
  expect(read('/pulls/4/commits?per_page=100&page=3')).toHaveLength(50)
  expect(read('/pulls/4').commits).toBe(301)
})

test('of the files of a commit or a pull request 3,000 are listed', () => {
  const files = Array.from({ length: 3_001 }, (_, index) => ({ filename: `docs/${index}.md` }))
  const commits = [made('a', []), made('b', ['a'], files)]
  const pulls = { 4: pullState({ branch: 'big', headSha: commit('b'), base: 'main' }) }
  const repository = repositoryState({ commits, branches: { main: commit('a'), big: commit('b') }, pulls })
  const { read } = driveGitHub({ docs: repository })
  expect(read('/pulls/4').changed_files).toBe(3_001)
  for (const [page, length] of [
    [30, 100],
    [31, 0],
  ]) {
    expect(read(`/pulls/4/files?per_page=100&page=${page}`)).toHaveLength(length ?? 0)
    expect(read(`/commits/${commit('b')}?per_page=100&page=${page}`).files).toHaveLength(length ?? 0)
  }
})

test('what is due happens in order, at its own time, with what follows from it', () => {
  const timeline = new Timeline()
  const happened: string[] = []
  const note = (name: string) => (atMs: number) => happened.push(`${name} ${atMs}`)
  timeline.at(20, note('later'))
  timeline.at(10, (atMs) => {
    note('first')(atMs)
    timeline.at(15, note('follows'))
  })
  timeline.at(10, note('second'))
  timeline.at(Infinity, note('never'))
  timeline.runUntil(9)
  expect(happened).toEqual([])
  for (const untilMs of [1_000, 2_000]) timeline.runUntil(untilMs)
  expect(happened).toEqual(['first 10', 'second 10', 'follows 15', 'later 20'])
})

const change = (filename: string) => ({ message: `Change ${filename}`, author: 'mona', files: [{ filename }] })

function withPull(): RepositoryState {
  const repository = repositoryState()
  pushCommit(repository, 'main', change('a.md'), 1)
  pushCommit(repository, 'guide', change('b.md'), 2)
  openPull(repository, 7, { branch: 'guide', title: 'Guide' }, 3)
  return repository
}

test('a push to a new branch starts from the default branch, moves nothing else, and has the same id each time', () => {
  const { commits, branches } = withPull()
  expect(commits.map(({ parents }) => parents)).toEqual([[], [commits[0]?.sha]])
  expect(branches).toEqual({ main: commits[0]?.sha, guide: commits[1]?.sha })
  expect(withPull().branches).toEqual(branches)
})

test('a push moves the head of an open pull request, and of no closed one', () => {
  const repository = withPull()
  const { 7: pull } = repository.pulls
  const before = pull?.headSha
  const { sha } = pushCommit(repository, 'guide', change('c.md'), 4)
  expect(pull).toMatchObject({ headSha: sha, earlierHeads: [{ sha: before, untilMs: 4 }], pushes: 2 })
  if (pull !== undefined) closeIssue(repository, pull, 5)
  pushCommit(repository, 'guide', change('d.md'), 6)
  expect(pull?.headSha).toBe(sha)
})

test('a merge is one commit on the base, and done once', () => {
  const repository = withPull()
  const made = mergePull(repository, 7, 'mona', 9)
  expect(made).toMatchObject({ message: 'Guide (#7)', parents: { length: 1 }, files: [{ filename: 'b.md' }] })
  expect(repository.branches['main']).toBe(made?.sha)
  expect(repository.pulls[7]).toMatchObject({ state: 'closed', merge: { sha: made?.sha, atMs: 9 } })
  expect(mergePull(repository, 7, 'mona', 10)).toBeUndefined()
})

test.each(['merge', 'squash', 'rebase'] as const)(
  'the base of a merged pull request is from before the merge: %s',
  (method) => {
    const repository = withPull()
    pushCommit(repository, 'main', change('c.md'), 4)
    mergePull(repository, 7, 'mona', 9, { method })
    const { read } = driveGitHub({ docs: repository })
    const { base, head } = read('/pulls/7')
    const compared = read(`/compare/${base.sha}...${head.sha}`)
    expect(compared).toMatchObject({ total_commits: 1, files: [{ filename: 'b.md' }] })
  },
)

const { ask, docs: agents } = driveGitHub({ repository: 'me/guide' })
const main = agents.branches['main']
const mine = (path: string) => ask('GET', `/api/v3/repos/me/guide${path}`)

test.each([
  ['a push', `${commit('a')}...${commit('b')}`],
  ['a new branch', `main...${commit('b')}`],
  ['a change since a commit that is not known', `${commit('a')}...main`],
  ['a branch of another name', `trunk...${commit('b')}`],
])('%s of the own repository is the change since the last release', (_, range) => {
  const { status, body } = mine(`/compare/${range}`)
  expect(status).toBe(200)
  expect(body.commits).toMatchObject([{ sha: main, commit: { message: 'Add the --dry-run flag to deploy' } }])
  expect(body.files).toMatchObject([{ filename: 'src/deploy.ts' }])
})

test('a workflow that is not known ran at the last release, on its own branch', () => {
  const { body } = mine('/actions/workflows/rehearse.yml/runs?branch=trunk&status=success')
  expect(body.workflow_runs[0]).toMatchObject({ head_sha: main })
  expect(body.workflow_runs.at(-1)).toMatchObject({ head_sha: agents.tags['v1.1.0'] })
})

test('a commit that is not known came with no pull request, and has checks', () => {
  expect(mine(`/commits/${commit('b')}/pulls`)).toMatchObject({ status: 200, body: [] })
  expect(mine(`/commits/${commit('b')}/check-runs`).body.total_count).toBe(2)
})

test('what is known is itself: the repository is that of the agent', () => {
  expect(mine('/compare/v1.0.0...v1.1.0').body.total_commits).toBe(1)
  expect(mine('/issues/9/comments').status).toBe(ask('GET', '/issues/9/comments').status)
})

test('in every other repository, and without a rehearsal, nothing stands for anything', () => {
  const range = `${commit('a')}...${commit('b')}`
  expect(ask('GET', `/compare/${range}`).status).toBe(404)
  expect(ask('GET', `/api/v3/repos/you/guide/compare/${range}`).status).toBe(404)
  expect(driveGitHub().ask('GET', `/api/v3/repos/me/guide/compare/${range}`).status).toBe(404)
})
