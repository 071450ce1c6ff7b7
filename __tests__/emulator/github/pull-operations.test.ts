import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-events.ts'
import { type RepositoryState, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { commit, driveGitHub } from './drive-github.ts'

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
