import { expect, test } from '@jest/globals'
import { findEventOrigin, type EventOrigin } from '../../../src/agent/trigger/event-origin.ts'
import { findOwnChanges } from '../../../src/agent/trigger/own-changes.ts'
import type { EventCommit } from '../../../src/github/event-parts.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import {
  fakeGitHub,
  mergedBy,
  PULL_REQUEST,
  pullCommits,
  refusal,
  RUN_FACTS,
  type FakeGitHub,
} from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

const A = commit('a')
const B = commit('b')
const AGENT = PULL_REQUEST.author

interface World {
  readonly pulls?: Record<number, Partial<PullRequest>>
  /** The commits of each pull request, oldest first. */
  readonly lists?: Record<number, readonly Listed[]>
}
type Listed = readonly [sha: string, message?: string, login?: string]

function gitHubWhere(
  commits: Record<string, readonly ListedPullRequest[]>,
  { pulls = {}, lists = {} }: World = {},
): FakeGitHub {
  return fakeGitHub({
    listMarkerComments: () => Promise.resolve([]),
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(commits[sha] ?? []),
    listPullRequestCommits: ({ number }) =>
      Promise.resolve(
        pullCommits(
          ...(lists[number] ?? []).map(([sha, message = 'Change', login = AGENT.login]) => ({
            ...{ sha, message, author: 'Docs', account: { login, type: 'Bot' } },
          })),
        ),
      ),
    readPullRequest: ({ number }) => {
      const found = pulls[number]
      return found ? Promise.resolve({ ...PULL_REQUEST, number, ...found }) : Promise.reject(refusal('not-found'))
    },
  })
}
const pushedCommit = (sha: string, message = 'Change') => ({ sha, message, author: 'Docs', isByPusher: false })
/** @param told what the event says of itself besides */
function find(commits: readonly (string | EventCommit)[], github: GitHub, told: Partial<EventOrigin> = {}) {
  const step = fakeStep()
  const origin = { ...findEventOrigin(RUN_FACTS), ...told }
  const search = { github, origin, step, inputs: agentInputs({ label: 'docs-agent' }), endsAt: step.deadlineAt }
  return findOwnChanges(
    commits.map((one) => (typeof one === 'string' ? pushedCommit(one) : one)),
    search,
  )
}
const own = mergedBy(7, 'docs-agent')
const other = mergedBy(8, 'docs')

test('all of it came with a pull request of the agent', async () => {
  expect(await find([B, A], gitHubWhere({ [A]: [own], [B]: [own] }))).toEqual({
    kind: 'own',
    numbers: [7],
  })
})

test('one commit of another kind is enough, and ends the search', async () => {
  const github = gitHubWhere({ [A]: [own] })
  expect(await find([B, A], github)).toEqual({ kind: 'others' })
  expect(github.asked).toEqual(['findPullRequestsOfCommit'])
})

test('a commit that another pull request brought as well is not ours', async () => {
  expect(await find([A], gitHubWhere({ [A]: [own, other] }))).toEqual({ kind: 'others' })
})

test('an open pull request brought what whoever opened it pushed to its branch, and nothing else', async () => {
  const open: ListedPullRequest = { ...own, state: 'open' }
  const pushedBy = (by: string, branch = open.branch, found = open) =>
    find([A], gitHubWhere({ [A]: [found] }), { pushed: { branch, by } })
  expect(await pushedBy(AGENT.login)).toEqual({ kind: 'own', numbers: [7] })
  expect(await pushedBy('ann')).toEqual({ kind: 'others' })
  expect(await pushedBy(AGENT.login, 'main')).toEqual({ kind: 'others' })
  expect(await pushedBy(AGENT.login, open.branch, { ...open, isOfFork: true })).toEqual({ kind: 'others' })
})

test('what is said of a commit belongs to the open pull request that lists it, and not to one that branched off it', async () => {
  const found = { [A]: [{ ...own, state: 'open' } as const] }
  const about = (listed: string) =>
    find([A], gitHubWhere(found, { lists: { 7: [[listed]] } }), { commits: [pushedCommit(A)] })
  expect(await about(A)).toMatchObject({ kind: 'own' })
  expect(await about(B)).toEqual({ kind: 'others' })
  // What a range has besides the event's own commits came with no pull request that is still open.
  expect(await find([A], gitHubWhere(found, { lists: { 7: [[A]] } }))).toEqual({ kind: 'others' })
})

test('a commit that a forced push took out belongs to the open pull request of its branch', async () => {
  const github = { ...gitHubWhere({}), findPullRequestsOfBranch: () => Promise.resolve([own]) }
  const about = (branch?: string) => find([A], github, { branch, commits: [pushedCommit(A)] })
  expect(await about('agent/guide')).toMatchObject({ kind: 'own' })
  expect(await about()).toEqual({ kind: 'others' })
})

test.each(['Correct the guide (#7)\n\nMore', 'Merge pull request #7 from acme/agent'])(
  'a merge is known by the number in its message before GitHub can look it up: %j',
  async (message) => {
    const named = (fields: Partial<PullRequest>) => {
      const github = gitHubWhere({}, { pulls: { 7: { state: 'merged', mergeCommitSha: A, ...fields } } })
      return find([pushedCommit(A, message)], github)
    }
    expect(await named({})).toEqual({ kind: 'own', numbers: [7] })
    expect(await named({ mergeCommitSha: B })).toEqual({ kind: 'others' })
    expect(await named({ state: 'open' })).toEqual({ kind: 'others' })
  },
)

test('a number in a message that leads nowhere is passed over', async () => {
  const commits = [pushedCommit(A, 'Fix (#99)')]
  expect(await find(commits, gitHubWhere({ [A]: [own] }))).toMatchObject({ kind: 'own' })
})

test('no new commit is not ours, and neither are many that came from as many places', async () => {
  const github = gitHubWhere({})
  expect(await find([], github)).toEqual({ kind: 'others' })
  expect(github.asked).toEqual([])
  const shas = Array.from({ length: 51 }, (_, index) => String(index).padStart(40, '0'))
  const each = Object.fromEntries(shas.map((sha) => [sha, [own]]))
  expect(await find(shas, gitHubWhere(each))).toEqual({ kind: 'too-many' })
})

const HUNDRED = Array.from({ length: 100 }, (_, index) => String(index).padStart(40, '0'))
const message = (index: number) => `Page ${index}`
const listed = (shas: readonly string[], login = AGENT.login) => ({
  7: shas.map((sha, index): Listed => [sha, message(index), login]),
})
/** A merge of a hundred commits, newest first, of which GitHub is asked about the newest alone. */
const ofMerge = (newest: string, shas: readonly string[], world: World) => {
  const github = gitHubWhere({ [newest]: [own] }, world)
  const brought = shas.map((sha, index) => pushedCommit(sha, message(index))).toReversed()
  const commits = newest === shas.at(-1) ? brought : [pushedCommit(newest, 'Merge'), ...brought]
  return { github, answer: find(commits, github) }
}

test.each([
  ['merged as they are', B, HUNDRED],
  [
    'merged by a rebase, which gives them other ids',
    HUNDRED.at(-1) ?? '',
    HUNDRED.map((sha) => sha.replace('00', 'ff')),
  ],
])('a hundred commits of a pull request that were %s are looked up with two requests', async (_how, newest, list) => {
  const { github, answer } = ofMerge(newest, HUNDRED, { lists: listed(list) })
  expect(await answer).toEqual({ kind: 'own', numbers: [7] })
  expect(github.asked).toEqual(['findPullRequestsOfCommit', 'listPullRequestCommits'])
})

test('a commit of somebody else in it may have come with another pull request, too, and is looked up by itself', async () => {
  const { answer } = ofMerge(B, HUNDRED.slice(0, 2), { lists: listed(HUNDRED.slice(0, 2), 'ann') })
  expect(await answer).toEqual({ kind: 'others' })
})

test('below a rebase the next commit is none of it, even if it is called like one', async () => {
  const newest = HUNDRED[1] ?? ''
  const github = gitHubWhere({ [newest]: [own] }, { lists: { 7: [[A, message(1)]] } })
  const commits = [pushedCommit(newest, message(1)), pushedCommit(HUNDRED[0] ?? '', message(1))]
  expect(await find(commits, github)).toEqual({ kind: 'others' })
})
