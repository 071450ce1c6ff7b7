import { expect, test } from '@jest/globals'
import { pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { openPull, pushCommit } from '../../src/emulator/github/repository-events.ts'
import { askingEmbedded } from '../support/embedded-github.ts'
import { historyIn, ownersOf } from '../../src/github/commits.ts'
import { pullCommits } from '../support/fake-github.ts'

test('gives all commits, oldest first, with the accounts that GitHub knows', async () => {
  const docs = repositoryState()
  const push = (branch: string, author: string, message: string): string =>
    pushCommit(docs, branch, { message, author, files: [] }, 0).sha
  push('main', 'mona', 'Begin')
  const shas = ['docs-agent[bot]', 'mona', 'Somebody Else'].map((author) => push('agent/x', author, `By ${author}`))
  const more = Array.from({ length: 120 }, (_, index) => push('agent/x', 'mona', `More ${index}`))
  openPull(docs, 7, pullState({ branch: 'agent/x', headSha: more.at(-1) ?? '' }), 0)

  const address = { repository: 'acme/docs', number: 7 }
  const found = await askingEmbedded({ docs }, (github) => github.listPullRequestCommits(address))
  const accounts = [
    { login: 'docs-agent[bot]', type: 'Bot' },
    { login: 'mona', type: 'User' },
    { login: '', type: '' },
  ]
  const names = ['docs-agent[bot]', 'mona', 'Somebody Else <Somebody Else@users.noreply.example>']
  expect(found.slice(0, 3)).toEqual(
    ['docs-agent[bot]', 'mona', 'Somebody Else'].map((author, index) => ({
      ...{ sha: shas[index], message: `By ${author}`, author, account: accounts[index] },
      ...{ writtenBy: names[index], committedBy: names[index], writtenAt: '1970-01-01T00:00:00Z' },
      parents: [shas[index - 1] ?? docs.branches['main']],
    })),
  )
  expect(found).toHaveLength(123)

  const between = (head: string | undefined) =>
    askingEmbedded({ docs }, (github) => github.listCommitsBetween('acme/docs', 'main', head ?? ''))
  expect(await between(more.at(-1))).toEqual(found)
  expect(await between(shas[1])).toEqual(found.slice(0, 2))
})

/** Two lines that a merge brings together, as a list that is sorted by dates may give them. */
const LIST = pullCommits(
  { sha: 'side', writtenBy: 'mona', parents: ['base'] },
  { sha: 'first', writtenBy: 'Agent <agent@example.com>', parents: ['base'] },
  { sha: 'merge', writtenBy: 'mona', parents: ['first', 'side'] },
  { sha: 'last', writtenBy: 'bot', parents: ['merge'] },
)
const shasOf = (commits: readonly { sha: string }[]): string[] => commits.map(({ sha }) => sha).sort()

test('the history of a commit is found by parents, whatever the order', () => {
  expect(shasOf(historyIn(LIST, 'merge'))).toEqual(['first', 'merge', 'side'])
  expect(historyIn(LIST.toReversed(), 'first')).toEqual([LIST[1]])
  expect(historyIn(LIST, 'base')).toEqual([])
})

test('the owners are who opened the pull request and who wrote the first commit of its own line', () => {
  const owners = (login: string, head = 'last'): string[] => [...ownersOf({ login, type: 'User' }, LIST, head)]
  expect(owners('vendor')).toEqual(['vendor', 'Agent <agent@example.com>'])
  expect(owners('')).toEqual(['Agent <agent@example.com>'])
  expect(owners('vendor', 'unlisted')).toEqual(['vendor'])
})
