import { expect, test } from '@jest/globals'
import { resolveChange } from '../../../src/agent/change/change.ts'
import { findPeople, rankAuthors, compareForPeople } from '../../../src/agent/features/reviewers.ts'
import { applyExemption } from '../../../src/agent/features/exempt.ts'
import { listSources } from '../../../src/agent/change/sources.ts'
import { isSkip } from '../../../src/agent/skip.ts'
import type { ComparedCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest } from '../../../src/github/pull-requests.ts'
import {
  comparing,
  fakeGitHub,
  mergedBy,
  PULL_REQUEST,
  pullCommit,
  PUSH,
  createGitHubError,
  rejectWith,
  RUN_FACTS,
} from '../../../testing/fake-github.ts'
import { agentInputs, fakeStep } from '../../../testing/fake-step.ts'
import { commit } from '../../../testing/github-state.ts'

const ANN = { login: 'ann', type: 'User' }
const by = (login: string, type = 'User'): ComparedCommit => ({
  sha: login,
  message: 'Change',
  author: 'Anybody',
  account: { login, type },
})

test('ranks authors by their number of commits, then by their newest commit', () => {
  const commits = [by('ann'), by('bob'), by('ann'), by('cid'), by('bot[bot]', 'Bot'), by('', ''), by('bob'), by('dan')]
  expect(rankAuthors(commits)).toEqual(['bob', 'ann', 'dan', 'cid'])
})

interface Given {
  readonly reviewers?: string
  readonly responses?: Partial<GitHub>
  readonly eventName?: string
  readonly payload?: unknown
  readonly more?: Readonly<Record<string, string>>
}

/** Resolves the change that started a run. */
async function open({ reviewers = '', responses, eventName = 'push', payload = PUSH, more = {} }: Given) {
  const nobodysOwn: Partial<GitHub> = {
    listComments: () => Promise.resolve([]),
    readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, number, author: ANN, labels: [] }),
  }
  const github = fakeGitHub({ ...nobodysOwn, ...responses })
  const raw = { 'github-token': 'ghs_token', reviewers, ...more }
  const step = fakeStep({ inputs: agentInputs({}, raw), github, context: { ...RUN_FACTS, eventName, payload } })
  const resolved = await resolveChange(step, () => undefined)
  const found = isSkip(resolved) ? resolved : await applyExemption(resolved, step)
  if (isSkip(found)) throw new Error(found.reason)
  const change = await compareForPeople(found, step)
  const losses = step.journal.warnings.map(({ message }) => message)
  return { change, step, losses, calls: github.calls }
}

async function findAuthors(given: Given) {
  const { change, step, losses, calls } = await open(given)
  return { authors: await findPeople(change, await listSources(change, step), step), losses, calls }
}

test('reads the authors only if the inputs request them, and compares each range once', async () => {
  const countComparisons = ({ calls }: { readonly calls: readonly string[] }) =>
    calls.filter((name) => name === 'compare').length
  const none = await findAuthors({})
  expect([none.authors, countComparisons(none), none.losses]).toEqual([[], 0, []])
  for (const more of [{}, { 'change-context': 'commits' }]) {
    const found = await findAuthors({ reviewers: 'change-authors', more })
    expect([found.authors, countComparisons(found)]).toEqual([['ann'], 1])
  }
})

test('finds no authors if there is nothing to compare', async () => {
  const responses = { findSuccesses: () => Promise.resolve({ before: undefined }) }
  const found = await findAuthors({ reviewers: 'change-authors', responses, eventName: 'schedule', payload: {} })
  expect(found).toMatchObject({ authors: [], losses: [] })
})

test('warns if GitHub does not provide the change of the authors', async () => {
  const responses = { compare: rejectWith(createGitHubError('forbidden')) }
  const { authors, losses } = await findAuthors({ reviewers: 'change-authors', responses })
  expect(authors).toEqual([])
  expect(losses).toEqual([
    'Could not determine who wrote or approved the change, so no review was requested from these people',
  ])
})

const APPROVERS = { reviewers: 'change-reviewers' }

/** @param pulls the source pull request of each commit */
const withSources = (pulls: Readonly<Record<string, ListedPullRequest | readonly []>>): Partial<GitHub> => ({
  ...comparing({
    commits: Object.keys(pulls).map((sha) => ({ ...by('ann'), sha })),
    totalCommits: Object.keys(pulls).length,
  }),
  findPullRequestsOfCommit: (_repository, sha) => Promise.resolve([pulls[sha] ?? []].flat()),
  listPullRequestCommits: () => Promise.resolve([]),
})

const [A, B, C] = [commit('1'), commit('2'), commit('3')]
const listSourceNames = async ({ change, step }: Pick<Awaited<ReturnType<typeof open>>, 'change' | 'step'>) =>
  (await listSources(change, step)).map(({ repository, number, sha = '' }) =>
    number === undefined ? `${repository}@${sha.charAt(0)}` : `${repository}#${number}`,
  )

test('lists merged pull requests and commits that came without one, newest first', async () => {
  const responses = withSources({ [A]: mergedBy(5), [B]: { ...mergedBy(6), state: 'open' }, [C]: mergedBy(7) })
  const found = await open({ ...APPROVERS, responses })
  expect(await listSourceNames(found)).toEqual(['acme/docs#7', 'acme/docs@2', 'acme/docs#5'])
})

test('lists all sources of a long change, each once', async () => {
  const many = Array.from(
    { length: 60 },
    (_, index) => [String(index).padStart(40, '0'), mergedBy(100 + (index >> 1))] as const,
  )
  const found = await open({ ...APPROVERS, responses: withSources(Object.fromEntries(many)) })
  expect(await listSourceNames(found)).toHaveLength(30)
})

const manyShas = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(40, '0'))
const UNKNOWN_SOURCES =
  'Could not determine all pull requests that the change came from, so some people who approved these pull requests may not have been asked for a review'
const listLosses = ({ step }: Pick<Awaited<ReturnType<typeof open>>, 'step'>): readonly string[] =>
  step.journal.warnings.map(({ message }) => message)

test('names the commits that are too many to look up, except those that a found pull request lists, and reports it', async () => {
  const shas = manyShas(120)
  const oldest = shas.slice(0, 10)
  const [newest = ''] = shas.slice(-1)
  const responses: Partial<GitHub> = {
    ...withSources({ ...Object.fromEntries(shas.map((sha) => [sha, []])), [newest]: mergedBy(5) }),
    listPullRequestCommits: () => Promise.resolve([...oldest, newest].map((sha) => pullCommit({ sha, author: 'Ann' }))),
  }
  const found = await open({ ...APPROVERS, responses })
  const sources = await listSources(found.change, found.step)
  // 100 of them at most.
  expect(sources.map(({ number, sha }) => number ?? sha)).toEqual([5, ...shas.slice(20, -1).toReversed()])
  expect(listLosses(found)).toEqual([UNKNOWN_SOURCES])
  expect(found.step.journal.warnings[0]?.error.message).toContain('more than 100 commits to look up')
  expect(found.calls.filter((name) => name === 'findPullRequestsOfCommit')).toHaveLength(100)
})

test('keeps the sources that were found if GitHub fails, and reports it once', async () => {
  const { findPullRequestsOfCommit, ...responses } = withSources({
    [A]: mergedBy(5),
    [B]: mergedBy(6),
    [C]: mergedBy(7),
  })
  const failing: Partial<GitHub> = {
    ...responses,
    findPullRequestsOfCommit: (repository, sha) =>
      sha === B || findPullRequestsOfCommit === undefined
        ? Promise.reject(createGitHubError('service-error'))
        : findPullRequestsOfCommit(repository, sha),
  }
  const given = { eventName: 'schedule', payload: {}, more: { 'change-range': 'v1...v2', label: 'docs-agent' } }
  const found = await open({ ...given, responses: failing })
  expect(await listSourceNames(found)).toEqual(['acme/docs#7', 'acme/docs@2', 'acme/docs#5'])
  expect(listLosses(found)).toEqual([
    'Could not determine all pull requests that the change came from, so the history names commits instead',
  ])
})

test('after the turn, looks up no commit again, and names those without a pull request', async () => {
  const toEventCommit = (id: string) => ({ id, author: { username: 'ann' }, committer: { username: 'ann' } })
  const payload = { ...PUSH, commits: [A, B, C].map(toEventCommit) }
  const responses = withSources({ [A]: [], [B]: [], [C]: [] })
  const found = await open({ payload, more: { 'skip-labels': 'no-docs', label: 'docs-agent' }, responses })
  expect(await listSourceNames(found)).toEqual(['acme/docs@3', 'acme/docs@2', 'acme/docs@1'])
  expect(found.calls.filter((call) => call === 'findPullRequestsOfCommit')).toHaveLength(3)
})

test('after the turn, does not wait for the list of a commit that its author did not push', async () => {
  const toEventCommit = (id: string) => ({ id, author: { username: 'dora' }, committer: { username: 'dora' } })
  const payload = { ...PUSH, commits: [A, B].map(toEventCommit) }
  const found = await open({ ...APPROVERS, payload, responses: withSources({ [A]: [], [B]: [] }) })
  const before = found.step.clock.now()
  const lookedUp = found.calls.length
  expect(await listSourceNames(found)).toEqual(['acme/docs@2', 'acme/docs@1'])
  expect(found.calls.slice(lookedUp)).toContain('findPullRequestsOfCommit')
  expect(found.step.clock.now()).toBe(before)
})

test.each<[what: string, given: Given]>([
  [
    'of the event',
    {
      eventName: 'pull_request',
      payload: { pull_request: { number: 12, base: { sha: commit('a') }, head: { sha: commit('b') } } },
    },
  ],
  [
    'of `change-range`',
    {
      eventName: 'workflow_dispatch',
      payload: {},
      more: { 'change-range': 'pull/12' },
      responses: { readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, number }) },
    },
  ],
])('lists the pull request %s without a look-up', async (_what, given) => {
  const found = await open({ ...APPROVERS, ...given })
  expect(await listSourceNames(found)).toEqual(['acme/docs#12'])
  expect(found.calls).not.toContain('findPullRequestsOfCommit')
})

test('does not look up approvers before the prompt is sent', async () => {
  const { calls } = await open({ ...APPROVERS, responses: withSources({ [A]: mergedBy(5) }) })
  expect(calls).not.toContain('listApprovers')
})

const APPROVED: Readonly<Record<number, readonly string[]>> = { 1: ['ann'], 2: ['bob', 'cid'], 3: ['bob'] }

/** Finds who approved the three pull requests that an event names. */
async function findApprovers(responses: Partial<GitHub>) {
  const pulls = [1, 2, 3].map((number) => ({ number, base: { sha: commit('a') }, head: { sha: commit('b') } }))
  const payload = { workflow_run: { event: 'push', head_sha: commit('b'), pull_requests: pulls } }
  const { change, step, calls } = await open({ ...APPROVERS, eventName: 'workflow_run', payload, responses })
  const before = calls.length
  const found = await findPeople(change, await listSources(change, step), step)
  return { found, calls: calls.slice(before), losses: step.journal.warnings.map(({ message }) => message) }
}

test('ranks approvers by the number of pull requests that they approved', async () => {
  const listApprovers: GitHub['listApprovers'] = ({ number }) => Promise.resolve(APPROVED[number] ?? [])
  const calls = ['listApprovers', 'listApprovers', 'listApprovers']
  expect(await findApprovers({ listApprovers })).toEqual({ found: ['bob', 'ann', 'cid'], calls, losses: [] })
})

test.each([
  ['the person who merged it', { login: 'mona', type: 'User' }, ['mona']],
  ['nobody if a bot merged it', { login: 'merge-queue[bot]', type: 'Bot' }, []],
  ['nobody if it is not merged', { login: '', type: '' }, []],
])('uses for a pull request without an approval: %s', async (_whom, mergedBy, found) => {
  const readPullRequest = () => Promise.resolve({ ...PULL_REQUEST, author: ANN, labels: [], mergedBy })
  expect(await findApprovers({ readPullRequest })).toMatchObject({ found, losses: [] })
})

test('skips only the pull request whose reviews cannot be read', async () => {
  const listApprovers: GitHub['listApprovers'] = ({ number }) =>
    number === 2 ? Promise.reject(createGitHubError('invalid-response')) : Promise.resolve(APPROVED[number] ?? [])
  expect(await findApprovers({ listApprovers })).toMatchObject({
    found: ['ann', 'bob'],
    losses: ['Could not determine who approved pull request #2, to request a review'],
  })
})

test('warns once if the token cannot read reviews', async () => {
  const { found, calls, losses } = await findApprovers({ listApprovers: rejectWith(createGitHubError('forbidden')) })
  expect([found, calls]).toEqual([[], ['listApprovers']])
  expect(losses).toEqual(['Could not determine everybody who approved the change to request their reviews'])
})
