import { expect, test } from '@jest/globals'
import {
  closeIssue,
  mergePull,
  openPull,
  pushCommit,
  writeComment,
} from '../../../src/emulator/github/repository-events.ts'
import { type RepositoryState, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { driveGitHub } from './drive-github.ts'

const change = (filename: string) => ({ message: `Change ${filename}`, author: 'mona', files: [{ filename }] })

function withPull(): RepositoryState {
  const repository = repositoryState()
  pushCommit(repository, 'main', change('a.md'), 1)
  pushCommit(repository, 'guide', change('b.md'), 2)
  openPull(repository, 7, { branch: 'guide', title: 'Guide' }, 3)
  return repository
}

test('a push to a new branch starts from the default branch, and moves nothing else', () => {
  const { commits, branches } = withPull()
  expect(commits.map(({ parents }) => parents)).toEqual([[], [commits[0]?.sha]])
  expect(branches).toEqual({ main: commits[0]?.sha, guide: commits[1]?.sha })
})

test('the same history has the same ids', () => {
  expect(withPull().branches).toEqual(withPull().branches)
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

test.each([
  ['squash', 'Guide (#7)', 1],
  ['rebase', 'Guide (#7)', 1],
  ['merge', 'Merge pull request #7 from guide', 2],
] as const)('merging by %s writes “%s”', (method, message, parents) => {
  const repository = withPull()
  const made = mergePull(repository, 7, method, 'mona', 9)
  expect(made).toMatchObject({ message, parents: { length: parents } })
  expect(repository.branches['main']).toBe(made?.sha)
  expect(repository.pulls[7]).toMatchObject({ state: 'closed', merge: { sha: made?.sha, atMs: 9 } })
  expect(mergePull(repository, 7, method, 'mona', 10)).toBeUndefined()
})

test('comments have ids that count up', () => {
  const { service, docs, advance, get } = driveGitHub()
  get('/v2/agent/docs-demo/job/job_finished')
  advance(1)
  get('/v2/agent/docs-demo/job/job_finished')
  const { 1: pull } = docs.pulls
  if (pull === undefined) throw new Error('There is no pull request.')
  const { state } = service.github
  const ids = ['a', 'b'].map((text) => writeComment(state, pull, 'mona', text, 5).id)
  expect((ids[1] ?? 0) - (ids[0] ?? 0)).toBe(1)
  expect(pull.updatedAtMs).toBe(5)
})
