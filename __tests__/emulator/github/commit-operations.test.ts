import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import type { Commit, RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { commit, driveGitHub } from './drive-github.ts'

const shaOf = (index: number): string => String(index).padStart(40, '0')

function line(count: number, filesEach = 1): Commit[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: shaOf(index),
    parents: index === 0 ? [] : [shaOf(index - 1)],
    message: `Change ${index}`,
    author: index === 0 ? 'mona' : 'Ann',
    atMs: index * 1_000,
    files: Array.from({ length: filesEach }, (__, file) => ({ filename: `docs/${index}-${file}.md`, patch: '+x' })),
  }))
}

const docs = (fields: Partial<RepositoryState> = {}): Partial<RepositoryState> => ({
  commits: line(302),
  branches: { main: shaOf(301) },
  ...fields,
})

test('a comparison lists its commits in pages, and files on the first one only', () => {
  const { read } = driveGitHub({ docs: docs() })
  const first = read(`/compare/${shaOf(0)}...main`)
  expect(first).toMatchObject({
    status: 'ahead',
    ahead_by: 301,
    total_commits: 301,
    merge_base_commit: { sha: shaOf(0) },
  })
  expect([first.commits.length, first.files.length]).toEqual([250, 300])
  const second = read(`/compare/${shaOf(0)}...main?per_page=100&page=4`)
  expect([second.commits.length, second.files.length]).toEqual([1, 0])
  expect(second.commits[0].commit).toMatchObject({ message: 'Change 301', author: { name: 'Ann' } })
})

test('a comparison of what is not there, or has nothing in common, is 404', () => {
  const others = line(1).map((other) => ({ ...other, sha: commit('f') }))
  const { ask } = driveGitHub({ docs: docs({ commits: [...line(302), ...others] }) })
  expect(ask('GET', '/compare/main...next').body).toMatchObject({ message: 'Not Found' })
  expect(ask('GET', `/compare/main...${commit('f')}`).body).toMatchObject({
    message: `No common ancestor between main and ${commit('f')}.`,
  })
})

test('commits are listed newest first, by path and by time', () => {
  const { read } = driveGitHub({ docs: docs() })
  const messages = (query: string) =>
    read(`/commits?${query}`).map((found: { commit: { message: string } }) => found.commit.message)
  expect(messages('per_page=2')).toEqual(['Change 301', 'Change 300'])
  expect(messages('path=docs%2F7-0.md')).toEqual(['Change 7'])
  expect(messages('since=1970-01-01T00%3A05%3A00Z')).toEqual(['Change 301', 'Change 300'])
  expect(messages('until=1970-01-01T00%3A00%3A00Z')).toEqual(['Change 0'])
})

test('a commit tells its files, and whose it is where GitHub knows', () => {
  const { read, ask } = driveGitHub({ docs: docs() })
  expect(read(`/commits/${shaOf(0)}`)).toMatchObject({
    author: { login: 'mona', id: 11 },
    files: [{ filename: 'docs/0-0.md' }],
  })
  expect(read('/commits/main').author).toBeNull()
  expect(ask('GET', `/commits/${commit('e')}`).status).toBe(422)
})

const merged = pullState({
  ...{ branch: 'guide', headSha: shaOf(300), state: 'closed', closedBaseSha: shaOf(298) },
  merge: { sha: shaOf(301), atMs: DEFAULT_START_MS },
})
const open = pullState({ branch: 'next', headSha: shaOf(300), base: 'old' })
const branches = { main: shaOf(301), old: shaOf(299) }

test.each([
  ['empty', 200],
  ['unprocessable', 422],
] as const)('the pull request of a merge is known only some time later: %s', (commitPullsAnswer, status) => {
  const { ask, read, advance } = driveGitHub({
    docs: docs({ branches, pulls: { 3: merged } }),
    scenario: { lag: { ...USUAL_LAG, commitPullsMs: 20_000, commitPullsAnswer } },
  })
  const early = ask('GET', `/commits/${shaOf(301)}/pulls`)
  expect([early.status, Array.isArray(early.body) ? early.body.length : 0]).toEqual([status, 0])
  advance(20)
  expect(read(`/commits/${shaOf(301)}/pulls`)).toMatchObject([{ number: 3, merge_commit_sha: shaOf(301) }])
})

test('a commit can be in several pull requests, and closed ones that were not merged do not count', () => {
  const pulls = { 3: merged, 4: open, 5: { ...open, state: 'closed' as const } }
  const { read } = driveGitHub({ docs: docs({ branches, pulls }) })
  const numbers = (sha: string) => read(`/commits/${sha}/pulls`).map(({ number }: { number: number }) => number)
  expect(numbers(shaOf(300))).toEqual([3, 4])
  expect(numbers(shaOf(299))).toEqual([3])
  expect(numbers(shaOf(1))).toEqual([])
})

test('tags come newest first', () => {
  expect(driveGitHub().read('/tags')).toMatchObject([{ name: 'v1.1.0' }, { name: 'v1.0.0' }])
})
