import { expect, test } from '@jest/globals'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../src/emulator/github/repository-changes.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { listHistory, listOwners } from '../../src/github/commits.ts'
import { pullCommits } from '../../testing/github-values.ts'
import { withGitHub } from '../../testing/github-client.ts'
import { commit, madeCommit } from '../../testing/github-state.ts'

test('lists all commits, oldest first, with the accounts that GitHub knows', async () => {
  const docs = createRepositoryState()
  const push = (branch: string, author: string, message: string): string =>
    pushCommit(docs, branch, { message, author, files: [] }, 0).sha
  push('main', 'mona', 'Begin')
  const shas = ['docs-agent[bot]', 'mona', 'Somebody Else'].map((author) => push('agent/x', author, `By ${author}`))
  const more = Array.from({ length: 120 }, (_, index) => push('agent/x', 'mona', `More ${index}`))
  const head = more.at(-1) ?? ''
  openPull(docs, 7, createPullState({ branch: 'agent/x', headSha: head }), 0)

  await withGitHub({ docs }, async (github) => {
    const found = await github.listPullRequestCommits({ repository: 'acme/docs', number: 7 })
    const people = [
      ['docs-agent[bot]', { login: 'docs-agent[bot]', type: 'Bot' }, 'docs-agent[bot]'],
      ['mona', { login: 'mona', type: 'User' }, 'mona'],
      ['Somebody Else', { login: '', type: '' }, 'Somebody Else <Somebody Else@users.noreply.example>'],
    ] as const
    expect(found.slice(0, 3)).toEqual(
      people.map(([author, account, writtenBy], index) => ({
        sha: shas[index],
        committerLogin: account.login,
        message: `By ${author}`,
        author,
        account,
        writtenBy,
        committedBy: writtenBy,
        writtenAt: '1970-01-01T00:00:00Z',
        parents: [shas[index - 1] ?? docs.branches['main']],
      })),
    )
    expect(found).toHaveLength(123)
    expect(await github.listCommitsBetween('acme/docs', 'main', head)).toEqual(found)
    expect(await github.listCommitsBetween('acme/docs', 'main', shas[1] ?? '')).toEqual(found.slice(0, 2))
  })
})

/** Two branches and their merge, in the order of their dates. */
const LIST = pullCommits(
  { sha: 'side', writtenBy: 'mona', parents: ['base'] },
  { sha: 'first', writtenBy: 'Agent <agent@example.com>', parents: ['base'] },
  { sha: 'merge', writtenBy: 'mona', parents: ['first', 'side'] },
  { sha: 'last', writtenBy: 'bot', parents: ['merge'] },
)

test.each([
  ['merge', ['first', 'merge', 'side']],
  ['first', ['first']],
  ['base', []],
])('follows the parents of %s in any order of the list', (sha, history) => {
  for (const list of [LIST, LIST.toReversed()])
    expect(new Set(listHistory(list, sha).map((one) => one.sha))).toEqual(new Set(history))
})

test('the owners are the author of the pull request and the author of the first commit of its own line', () => {
  const owners = (login: string, head = 'last'): string[] => [...listOwners({ login, type: 'User' }, LIST, head)]
  expect(owners('vendor')).toEqual(['vendor', 'Agent <agent@example.com>'])
  expect(owners('')).toEqual(['Agent <agent@example.com>'])
  expect(owners('vendor', 'unlisted')).toEqual(['vendor'])
})

test('lists the tags of all pages', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `v${index}`).sort()
  const tags = Object.fromEntries(names.map((name) => [name, commit('a')]))
  const docs = createRepositoryState({ commits: [madeCommit({ sha: commit('a') })], tags })
  const found = await withGitHub({ docs }, (github) => github.listTags('acme/docs'))
  expect(found.toSorted()).toEqual(names)
})
