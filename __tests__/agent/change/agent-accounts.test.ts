import { expect, test } from '@jest/globals'
import { findAgentAccounts } from '../../../src/agent/change/own-work.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { PullRequestInList } from '../../../src/github/labels.ts'
import { fakeGitHub, MARKER, createGitHubError, rejectWith } from '../../support/fake-github.ts'

const by = (login: string, number: number, type = 'Bot'): PullRequestInList => ({
  repository: 'acme/docs',
  number,
  labels: ['docs-agent'],
  author: { login, type },
})

/** Returns the logins that are found, and the pull requests whose comments were read. */
async function find(listed: readonly PullRequestInList[], commentsOn: (number: number) => readonly ListedComment[]) {
  const read: number[] = []
  const github = fakeGitHub({
    listNewestPullRequests: () => Promise.resolve(listed),
    listComments: (place) => {
      read.push(place.number)
      return Promise.resolve(commentsOn(place.number))
    },
  })
  const accounts = await findAgentAccounts('acme/docs', 'docs-agent', github)
  return { found: accounts.map(({ login }) => login), read }
}

test('examines the newest pull request of each author whose account still exists', async () => {
  const listed = [by('agent', 9), by('', 8), by('mona', 7, 'User'), by('agent', 6), by('', 5)]
  expect(await find(listed, () => [MARKER])).toEqual({ found: ['agent', 'mona'], read: [9, 7] })
})

test('finds the authors whose newest pull request has a marker comment by a trusted author', async () => {
  const comments: Readonly<Record<number, readonly ListedComment[]>> = {
    9: [{ ...MARKER, author: 'untrusted' }, MARKER],
    8: [],
    7: [
      { ...MARKER, author: 'untrusted' },
      { ...MARKER, author: 'bot' },
    ],
  }
  const listed = [by('agent', 9), by('agent', 6), by('mona', 8, 'User'), by('other', 7)]
  expect(await find(listed, (number) => comments[number] ?? [])).toEqual({ found: ['agent'], read: [9, 8, 7] })
})

test('reads the comments of at most three pull requests', async () => {
  const listed = ['a', 'b', 'c', 'd'].map((login, index) => by(login, 9 - index))
  expect(await find(listed, () => [MARKER])).toEqual({ found: ['a', 'b', 'c'], read: [9, 8, 7] })
})

test('fails if a request to GitHub fails', async () => {
  const github = fakeGitHub({ listNewestPullRequests: rejectWith(createGitHubError('service-error')) })
  await expect(findAgentAccounts('acme/docs', 'docs-agent', github)).rejects.toMatchObject({ code: 'service-error' })
})
