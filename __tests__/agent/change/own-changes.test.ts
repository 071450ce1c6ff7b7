import { expect, test } from '@jest/globals'
import { findOwnChanges } from '../../../src/agent/change/own-changes.ts'
import type { CommitPullRequest } from '../../../src/github/pull-requests.ts'
import { fakeGitHub } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const A = commit('a')
const B = commit('b')

function gitHubWhere(commits: Record<string, readonly CommitPullRequest[]>, comments: readonly string[] = []) {
  return fakeGitHub({
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(commits[sha] ?? []),
    listTrustedComments: () => Promise.resolve(comments.map((body) => ({ body }))),
  })
}
const query = (commits: readonly string[], label = 'docs-agent') => ({ repository: 'acme/docs', commits, label })
const own = { number: 7, labels: ['Docs-Agent'] }
const other = { number: 8, labels: ['docs'] }

test('all of it came with a labelled pull request', async () => {
  const github = gitHubWhere({ [A]: [own], [B]: [own] })
  expect(await findOwnChanges(query([B, A]), github)).toEqual({ kind: 'own', numbers: [7] })
  expect(github.asked).not.toContain('listTrustedComments')
})

test('a marker tells as much as a label', async () => {
  const marked = gitHubWhere({ [A]: [other] }, ['hello', '<!-- docs-agent-action: job=job_1 -->'])
  expect(await findOwnChanges(query([A]), marked)).toEqual({ kind: 'own', numbers: [8] })
  const plain = gitHubWhere({ [A]: [other] }, ['hello'])
  expect(await findOwnChanges(query([A]), plain)).toEqual({ kind: 'others' })
})

test('with no label in use, a label tells nothing', async () => {
  expect(await findOwnChanges(query([A], ''), gitHubWhere({ [A]: [own] }))).toEqual({ kind: 'others' })
})

test('one commit of another kind is enough, and ends the search', async () => {
  const github = gitHubWhere({ [A]: [own] })
  expect(await findOwnChanges(query([B, A]), github)).toEqual({ kind: 'others' })
  expect(github.asked).toEqual(['findPullRequestsOfCommit'])
})

test('each pull request is looked at once', async () => {
  const github = gitHubWhere({ [A]: [other], [B]: [other] }, ['<!-- docs-agent-action: job=job_1 -->'])
  await findOwnChanges(query([B, A]), github)
  expect(github.asked.filter((name) => name === 'listTrustedComments')).toHaveLength(1)
})

test('a push of no new commit, and one of very many, is not ours', async () => {
  const github = gitHubWhere({})
  expect(await findOwnChanges(query([]), github)).toEqual({ kind: 'others' })
  expect(await findOwnChanges(query(Array.from({ length: 51 }, () => A)), github)).toEqual({ kind: 'too-many' })
  expect(github.asked).toEqual([])
})
