import { expect, test } from '@jest/globals'
import { findOwnChanges, type OwnChangesQuery } from '../../../src/agent/change/own-changes.ts'
import type { CommitPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import { fakeGitHub, mergedBy, PULL_REQUEST, refusal } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const A = commit('a')
const B = commit('b')

function gitHubWhere(
  commits: Record<string, readonly CommitPullRequest[]>,
  comments: readonly string[] = [],
  pulls: Record<number, Partial<PullRequest>> = {},
) {
  return fakeGitHub({
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(commits[sha] ?? []),
    listMarkerComments: () => Promise.resolve(comments.map((body) => ({ id: 1, body, author: 'trusted' }))),
    readPullRequest: ({ number }) => {
      const found = pulls[number]
      return found ? Promise.resolve({ ...PULL_REQUEST, number, ...found }) : Promise.reject(refusal('not-found'))
    },
  })
}
const query = (shas: readonly string[], fields: Partial<OwnChangesQuery> = {}): OwnChangesQuery => ({
  repository: 'acme/docs',
  commits: shas.map((sha) => ({ sha, message: 'Change', isByPusher: false })),
  label: 'docs-agent',
  pushed: undefined,
  untilMarked: (isOwn) => isOwn(),
  ...fields,
})
const own = mergedBy(7, 'Docs-Agent')
const other = mergedBy(8, 'docs')

test('all of it came with a labelled pull request', async () => {
  const github = gitHubWhere({ [A]: [own], [B]: [own] })
  expect(await findOwnChanges(query([B, A]), github)).toEqual({ kind: 'own', numbers: [7] })
  expect(github.asked).not.toContain('listMarkerComments')
})

test('a marker tells as much as a label', async () => {
  const marked = gitHubWhere({ [A]: [other] }, ['hello', '<!-- docs-agent-action: job=job_1 -->'])
  expect(await findOwnChanges(query([A]), marked)).toEqual({ kind: 'own', numbers: [8] })
  const plain = gitHubWhere({ [A]: [other] }, ['hello'])
  expect(await findOwnChanges(query([A]), plain)).toEqual({ kind: 'others' })
})

test('with no label in use, a label tells nothing', async () => {
  const fields = {
    label: '',
    pushed: { branch: 'agent/guide', by: 'docs-agent[bot]', isByApp: true },
    untilMarked: () => Promise.reject(new Error('No mark is to come.')),
  }
  const open = { ...own, isMerged: false }
  for (const came of [own, open])
    expect(await findOwnChanges(query([A], fields), gitHubWhere({ [A]: [came] }))).toEqual({ kind: 'others' })
})

test('one commit of another kind is enough, and ends the search', async () => {
  const github = gitHubWhere({ [A]: [own] })
  expect(await findOwnChanges(query([B, A]), github)).toEqual({ kind: 'others' })
  expect(github.asked).toEqual(['findPullRequestsOfCommit'])
})

test('a commit that another pull request brought as well is not ours', async () => {
  expect(await findOwnChanges(query([A]), gitHubWhere({ [A]: [own, other] }))).toEqual({ kind: 'others' })
})

test('an open pull request brought what whoever opened it pushed to its branch, and nothing else', async () => {
  const open: CommitPullRequest = { ...own, isMerged: false }
  const github = gitHubWhere({ [A]: [open] })
  const pushedBy = (by: string, branch = open.branch) =>
    findOwnChanges(query([A], { pushed: { branch, by, isByApp: false } }), github)
  expect(await pushedBy(open.author)).toEqual({ kind: 'own', numbers: [7] })
  expect(await pushedBy('ann')).toEqual({ kind: 'others' })
  expect(await pushedBy(open.author, 'main')).toEqual({ kind: 'others' })
})

test.each(['Correct the guide (#7)\n\nMore', 'Merge pull request #7 from acme/agent'])(
  'a merge is known by the number in its message before GitHub can look it up: %j',
  async (message) => {
    const named = (fields: Partial<PullRequest>) => {
      const github = gitHubWhere({}, [], { 7: { state: 'merged', mergeCommitSha: A, ...fields } })
      return findOwnChanges(query([], { commits: [{ sha: A, message, isByPusher: false }] }), github)
    }
    expect(await named({})).toEqual({ kind: 'own', numbers: [7] })
    expect(await named({ mergeCommitSha: B })).toEqual({ kind: 'others' })
    expect(await named({ state: 'open' })).toEqual({ kind: 'others' })
  },
)

test('a number in a message that leads nowhere is passed over', async () => {
  const commits = [{ sha: A, message: 'Fix (#99)', isByPusher: false }]
  expect(await findOwnChanges(query([], { commits }), gitHubWhere({ [A]: [own] }))).toMatchObject({ kind: 'own' })
})

test('each pull request is looked at once', async () => {
  const github = gitHubWhere({ [A]: [other], [B]: [other] }, ['<!-- docs-agent-action: job=job_1 -->'])
  await findOwnChanges(query([B, A]), github)
  expect(github.asked.filter((name) => name === 'listMarkerComments')).toHaveLength(1)
})

test('a push of no new commit, and one of very many, is not ours', async () => {
  const github = gitHubWhere({})
  expect(await findOwnChanges(query([]), github)).toEqual({ kind: 'others' })
  expect(await findOwnChanges(query(Array.from({ length: 51 }, () => A)), github)).toEqual({ kind: 'too-many' })
  expect(github.asked).toEqual([])
})
