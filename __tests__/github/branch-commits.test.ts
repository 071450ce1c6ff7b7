import { expect, test } from '@jest/globals'
import { historyIn, ownersOf } from '../../src/github/branch-commits.ts'
import { pullCommits } from '../support/fake-github.ts'

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
