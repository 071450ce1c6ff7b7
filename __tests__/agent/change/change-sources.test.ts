import { expect, test } from '@jest/globals'
import {
  compareForPeople,
  findPeople,
  listNamedSources,
  listSources,
  rankAuthors,
} from '../../../src/agent/change/change-sources.ts'
import { isSkip } from '../../../src/agent/plan.ts'
import { resolveChange } from '../../../src/agent/change/resolve-change.ts'
import type { ComparedCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest } from '../../../src/github/pull-requests.ts'
import {
  comparing,
  fakeGitHub,
  mergedBy,
  PULL_REQUEST,
  PUSH,
  refusal,
  rejecting,
  RUN_FACTS,
} from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

const by = (login: string, type = 'User'): ComparedCommit => ({
  ...{ sha: login, message: 'Change', author: 'Anybody', account: { login, type } },
})

test('people come by their commits, most first, and of as many who wrote the newest', () => {
  const commits = [by('ann'), by('bob'), by('ann'), by('cid'), by('bot[bot]', 'Bot'), by('', ''), by('bob'), by('dan')]
  expect(rankAuthors(commits)).toEqual(['bob', 'ann', 'dan', 'cid'])
})

interface Given {
  readonly reviewers?: string
  readonly answers?: Partial<GitHub>
  readonly eventName?: string
  readonly payload?: unknown
  readonly more?: Readonly<Record<string, string>>
}

/** What is found of the change that started a run. */
async function open({ reviewers = '', answers, eventName = 'push', payload = PUSH, more = {} }: Given) {
  const github = fakeGitHub(answers)
  const raw = { 'github-token': 'ghs_token', 'skip-own-changes': 'false', reviewers, ...more }
  const step = fakeStep({ inputs: agentInputs({}, raw), github, context: { ...RUN_FACTS, eventName, payload } })
  const found = await resolveChange(step)
  if (isSkip(found)) throw new Error(found.reason)
  const change = await compareForPeople(found, step)
  const losses = step.journal.warnings.map(({ lost }) => lost)
  return { change, step, losses, asked: github.asked }
}

async function authorsOf(given: Given) {
  const { change, step, losses, asked } = await open(given)
  return { authors: await findPeople(change, step), losses, asked }
}

test('GitHub is asked for authors only where they are wanted, and not for a change that is known', async () => {
  expect(await authorsOf({})).toMatchObject({ authors: [], asked: [], losses: [] })
  expect(await authorsOf({ reviewers: 'change-authors' })).toMatchObject({ authors: ['ann'], asked: ['compare'] })
  const known = await authorsOf({ reviewers: 'change-authors', more: { 'change-context': 'commits' } })
  expect(known).toMatchObject({ authors: ['ann'], asked: ['compare'] })
})

test('where there is nothing to compare there are no authors', async () => {
  const answers = { findLastSuccesses: () => Promise.resolve([]) }
  const found = await authorsOf({ reviewers: 'change-authors', answers, eventName: 'schedule', payload: {} })
  expect(found).toMatchObject({ authors: [], losses: [] })
})

test('a change that GitHub does not provide has no authors, and that is reported', async () => {
  const answers = { compare: rejecting(refusal('forbidden')) }
  const { authors, losses } = await authorsOf({ reviewers: 'change-authors', answers })
  expect(authors).toEqual([])
  expect(losses).toEqual([
    'Could not determine who wrote or approved the change, so these people are not asked for a review',
  ])
})

const APPROVERS = { reviewers: 'change-reviewers' }
/** Each pull request by the commit that it brought. */
const bringing = (pulls: Readonly<Record<string, ListedPullRequest>>): Partial<GitHub> => ({
  ...comparing({
    commits: Object.keys(pulls).map((sha) => ({ ...by('ann'), sha })),
    totalCommits: Object.keys(pulls).length,
  }),
  findPullRequestsOfCommit: (_repository, sha) => Promise.resolve([pulls[sha] ?? []].flat()),
  listPullRequestCommits: () => Promise.resolve([]),
})
const [A, B, C] = [commit('1'), commit('2'), commit('3')]
const numbersOf = async ({ change, step }: Pick<Awaited<ReturnType<typeof open>>, 'change' | 'step'>) =>
  (await listSources(change, step)).map(({ repository, number }) => `${repository}#${number}`)

test('the pull requests of a change are found by its commits, newest first, the merged ones only', async () => {
  const answers = bringing({ [A]: mergedBy(5), [B]: { ...mergedBy(6), state: 'open' }, [C]: mergedBy(7) })
  const found = await open({ ...APPROVERS, answers })
  expect(await numbersOf(found)).toEqual(['acme/docs#7', 'acme/docs#5'])
  expect(await findPeople(found.change, found.step)).toEqual([])
})

test('ten pull requests of a change are looked up at most', async () => {
  const many = Array.from(
    { length: 30 },
    (_, index) => [String(index).padStart(40, '0'), mergedBy(100 + index)] as const,
  )
  const found = await open({ ...APPROVERS, answers: bringing(Object.fromEntries(many)) })
  expect(await numbersOf(found)).toHaveLength(10)
  expect(found.asked.filter((name) => name === 'findPullRequestsOfCommit')).toHaveLength(10)
})

test('a pull request that `skip-labels` exempts is none of the change', async () => {
  const answers = bringing({ [A]: mergedBy(5), [B]: mergedBy(6, 'no-docs') })
  const found = await open({ ...APPROVERS, answers, more: { 'skip-labels': 'no-docs' } })
  expect(await numbersOf(found)).toEqual(['acme/docs#5'])
})

test.each<[what: string, given: Given]>([
  [
    'the event is about',
    {
      eventName: 'pull_request',
      payload: { pull_request: { number: 12, base: { sha: commit('a') }, head: { sha: commit('b') } } },
    },
  ],
  [
    'of `change-range`, in its own repository',
    {
      eventName: 'workflow_dispatch',
      payload: {},
      more: { 'change-range': 'pull/12' },
      answers: { readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, number }) },
    },
  ],
])('a pull request is the source of the change that %s, without a look-up', async (_what, given) => {
  const found = await open({ ...APPROVERS, ...given })
  expect(await numbersOf(found)).toEqual(['acme/docs#12'])
  expect(found.asked).not.toContain('findPullRequestsOfCommit')
})

test('nobody is looked for before the prompt', async () => {
  const { asked } = await open({ ...APPROVERS, answers: bringing({ [A]: mergedBy(5) }) })
  expect(asked).toEqual(['compare'])
})

const namedBy = async (given: Given) => {
  const found = await open({ ...given, more: { 'change-context': 'commits' } })
  const listed = await listNamedSources(found.change, found.step)
  return { listed: listed.map(({ number }) => number), asked: found.asked.slice(1) }
}
const says = (sha: string, message: string): ComparedCommit => ({ ...by('ann'), sha, message })
const saying = (...messages: readonly string[]): Partial<GitHub> =>
  comparing({ commits: messages.map((message, index) => says(commit(String(index)), message)), totalCommits: 9 })
const mergedAs = (digit: string): Partial<GitHub> => ({
  readPullRequest: ({ number }) =>
    Promise.resolve({ ...PULL_REQUEST, number, state: 'merged', mergeCommitSha: commit(digit) }),
})

test('a reference to a source is believed if that pull request was merged as this commit', async () => {
  const answers = { ...saying('Add a flag (#5)'), ...mergedAs('0') }
  expect(await namedBy({ answers })).toEqual({ listed: [5], asked: ['readPullRequest'] })
  const other = { ...saying('Add a flag (#5)'), ...mergedAs('9') }
  expect((await namedBy({ answers: other })).listed).toEqual([])
})

test('commits that name no pull request cost no request, and five are looked up at most', async () => {
  expect(await namedBy({ answers: saying('Add a flag', 'Fix #7') })).toEqual({ listed: [], asked: [] })
  const many = saying(...Array.from({ length: 9 }, (_, index) => `Change (#${index + 1})`))
  const { asked } = await namedBy({ answers: { ...many, ...mergedAs('x') } })
  expect(asked.filter((name) => name === 'readPullRequest')).toHaveLength(5)
})

const APPROVED: Readonly<Record<number, readonly string[]>> = { 1: ['ann'], 2: ['bob', 'cid'], 3: ['bob'] }

/** Who approved the three pull requests that an event names. */
async function approversOf(answers: Partial<GitHub>) {
  const pulls = [1, 2, 3].map((number) => ({ number, base: { sha: commit('a') }, head: { sha: commit('b') } }))
  const payload = { check_suite: { head_sha: commit('b'), pull_requests: pulls } }
  const { change, step, asked } = await open({ ...APPROVERS, eventName: 'check_suite', payload, answers })
  const found = await findPeople(change, step)
  return { found, asked, losses: step.journal.warnings.map(({ lost }) => lost) }
}

test('who approved the pull requests of the change comes by how many they approved', async () => {
  const listApprovers: GitHub['listApprovers'] = ({ number }) => Promise.resolve(APPROVED[number] ?? [])
  const asked = ['listApprovers', 'listApprovers', 'listApprovers']
  expect(await approversOf({ listApprovers })).toEqual({ found: ['bob', 'ann', 'cid'], asked, losses: [] })
})

test.each([
  ['the person who merged it', { login: 'mona', type: 'User' }, ['mona']],
  ['no bot that merged it', { login: 'merge-queue[bot]', type: 'Bot' }, []],
  ['nobody before it is merged', { login: '', type: '' }, []],
])('for a pull request that nobody approved it is %s', async (_whom, mergedBy, found) => {
  const readPullRequest = () => Promise.resolve({ ...PULL_REQUEST, mergedBy })
  expect(await approversOf({ readPullRequest })).toMatchObject({ found, losses: [] })
})

test('a pull request whose reviews cannot be read costs its own approvers only', async () => {
  const listApprovers: GitHub['listApprovers'] = ({ number }) =>
    number === 2 ? Promise.reject(refusal('bad-answer')) : Promise.resolve(APPROVED[number] ?? [])
  expect(await approversOf({ listApprovers })).toMatchObject({
    found: ['ann', 'bob'],
    losses: ['Who approved pull request #2 is not asked for a review'],
  })
})

test('a token that cannot read reviews is reported once', async () => {
  const { found, asked, losses } = await approversOf({ listApprovers: rejecting(refusal('forbidden')) })
  expect([found, asked]).toEqual([[], ['listApprovers']])
  expect(losses).toEqual(['Not everybody who approved the change is known, to be asked for a review'])
})
