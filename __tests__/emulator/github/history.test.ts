import { expect, test } from '@jest/globals'
import {
  changeOfPull,
  changedFiles,
  compareHistories,
  findCommit,
  historyOf,
} from '../../../src/emulator/github/history.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import { type Commit, type FileChange, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { commit } from './drive-github.ts'

const made = (sha: string, parents: readonly string[], files: readonly FileChange[] = []): Commit => ({
  sha: commit(sha),
  parents: parents.map(commit),
  message: sha,
  author: 'mona',
  atMs: 0,
  files,
})

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

test('the history of a commit is newest first, and holds no other branches', () => {
  expect(historyOf(repository, commit('e')).map(({ message }) => message)).toEqual(['e', 'c', 'b', 'a'])
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

test('histories without a common commit cannot be compared', () => {
  expect(compareHistories(repository, commit('a'), commit('f'))).toBeUndefined()
})

test('what several commits did to a file counts as one change', () => {
  const of = (...files: FileChange[]): readonly FileChange[] => changedFiles(files.map((file) => made('a', [], [file])))
  expect(
    of({ filename: 'b', status: 'added', additions: 2 }, { filename: 'b', patch: '+' }, { filename: 'a' }),
  ).toEqual([{ filename: 'a' }, { filename: 'b', status: 'added', additions: 3, deletions: 0, patch: '+' }])
  expect(of({ filename: 'a', status: 'added' }, { filename: 'a', status: 'removed' })).toEqual([])
  expect(of({ filename: 'a', status: 'removed' }, { filename: 'a', status: 'added' })).toMatchObject([
    { status: 'modified' },
  ])
  expect(
    of({ filename: 'a', status: 'added' }, { filename: 'b', status: 'renamed', previous_filename: 'a' }),
  ).toMatchObject([{ filename: 'b', status: 'added' }])
  expect(of({ filename: 'a' }, { filename: 'b', status: 'copied', previous_filename: 'a' })).toHaveLength(2)
})

test('a pull request brings what its base has not, also once it was closed', () => {
  const pull = pullState({ branch: 'docs/guide', headSha: commit('e') })
  expect(changeOfPull(repository, pull).files.map(({ filename }) => filename)).toEqual(['y.md'])
  const merged = { ...repository, branches: { ...repository.branches, main: commit('e') } }
  expect(changeOfPull(merged, pull).ahead).toEqual([])
  expect(changeOfPull(merged, { ...pull, closedBaseSha: commit('d') }).ahead).toHaveLength(2)
})
