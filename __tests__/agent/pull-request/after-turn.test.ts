import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs.ts'
import { requestReviews, readAtEnd } from '../../../src/agent/pull-request/track-pull-request.ts'
import { findRoundStop, findStopInCommits, listFailedByChange } from '../../../src/agent/pull-request/fix-rounds.ts'
import { describePullRequest } from '../../../src/agent/report/turn.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import { toDeadline } from '../../../src/runtime/time-budget.ts'
import { terminalJob } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import {
  comparing,
  fakeGitHub,
  resolveInOrder,
  PULL_REQUEST,
  pullCommits,
  createGitHubError,
  rejectWith,
} from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { describeReport, endWith, FOLLOW_UP, turnIn } from '../../support/report.ts'
import { withGitHub } from '../../support/github-client.ts'
import { commit, repositoryWithPull } from '../../support/github-state.ts'

const check = (name: string, state: Check['state']): Check => ({ name, state })

test('excludes checks that also failed on the merge base, but not checks that passed or were pending there', () => {
  const failed = ['old', 'passed', 'waited', 'new'].map((name) => check(name, 'failure'))
  const before = [check('old', 'failure'), check('passed', 'success'), check('waited', 'pending')]
  expect(listFailedByChange(failed, before)).toEqual(failed.slice(1))
})

/** A check that requires a person's sign-off. */
const DCO: Check = { ...check('DCO', 'failure'), needsPerson: true }

const UNKNOWN: PullRequest = { ...PULL_REQUEST, mergeable: undefined }
const MERGED: PullRequest = { ...UNKNOWN, state: 'merged' }
const DOWN = createGitHubError('unreachable')
const LINK = 'https://github.com/acme/docs/pull/7'
const DAY_MS = 86_400_000

interface AtEnd extends Partial<Pick<AgentInputs, 'timeoutMs'>> {
  /** Whether a fix round has started since the pull request was read. */
  readonly isOld?: boolean
}

/** Returns the state of a pull request at the end of the step, and the times of its reads, in milliseconds. */
async function atEnd(before: PullRequest, reads: readonly (PullRequest | ActionError)[], options: AtEnd = {}) {
  const { isOld = false, timeoutMs = 60_000 } = options
  const clock = fakeClock()
  const [readAt, read]: [number[], () => Promise<PullRequest>] = [[], resolveInOrder(...reads)]
  const github = fakeGitHub({ readPullRequest: () => (readAt.push(clock.passed()), read()) })
  const step = fakeStep({ clock, github, timeoutMs })
  const pullRequest = { ...describePullRequest(before), checks: 'failure' } as const
  step.journal.updateTurn({ ...endWith('unknown', terminalJob('completed', { prLink: LINK })), pullRequest })
  if (isOld) step.journal.begin({ task: FOLLOW_UP })
  await readAtEnd(step).catch((error: unknown) => {
    step.journal.stop(error as ActionError)
  })
  const { outcome, pullRequest: found } = describeReport(step.journal.report())
  expect(found).toMatchObject({ headSha: before.headSha, checks: 'failure' })
  return [outcome === 'cancelled' ? outcome : found.state, found.mergeable, readAt]
}

const CONFLICT: PullRequest = { ...PULL_REQUEST, mergeable: false }
const OLD: AtEnd = { isOld: true }

test.each<[string, AtEnd, PullRequest, PullRequest | ActionError, unknown[]]>([
  ['until GitHub has computed whether it conflicts', {}, UNKNOWN, CONFLICT, ['open', false, [1_000, 3_000]]],
  [
    'for some seconds if GitHub does not compute it',
    {},
    UNKNOWN,
    UNKNOWN,
    ['open', undefined, [1_000, 3_000, 6_000, 11_000]],
  ],
  ['never if that is known already', {}, PULL_REQUEST, DOWN, ['open', true, []]],
  ['never if it is merged', OLD, MERGED, DOWN, ['merged', undefined, []]],
  ['never if it is closed', {}, { ...UNKNOWN, state: 'closed' }, DOWN, ['closed', undefined, []]],
  ['until it is merged', {}, UNKNOWN, MERGED, ['merged', undefined, [1_000, 3_000]]],
  ['until a request fails', {}, UNKNOWN, DOWN, ['open', undefined, [1_000, 3_000]]],
  ['until it has another head', {}, UNKNOWN, { ...MERGED, headSha: commit('d') }, ['open', undefined, [1_000, 3_000]]],
  ['never if no time is left', { timeoutMs: 1_000 }, UNKNOWN, CONFLICT, ['open', undefined, []]],
  ['once if it was last read before the newest round', OLD, PULL_REQUEST, MERGED, ['open', true, [0]]],
  [
    'immediately and later if it is unknown whether it conflicts',
    OLD,
    UNKNOWN,
    MERGED,
    ['merged', undefined, [0, 1_000]],
  ],
  ['never after the deadline', { ...OLD, timeoutMs: 0 }, PULL_REQUEST, DOWN, ['open', true, []]],
  ['until the run is cancelled', {}, UNKNOWN, createGitHubError('cancelled'), ['cancelled', undefined, [1_000, 3_000]]],
])('reads the pull request again at the end of the step %s', async (_when, options, before, then, known) => {
  expect(await atEnd(before, [before, then], options)).toEqual(known)
})

test('limits the reads for the summary to one minute, including rate limits', async () => {
  const faults = { 'pulls/get': ['secondary-limit', 'long-limit'], 'repos/compare-commits': ['long-limit'] } as const
  const options = { docs: repositoryWithPull(), faults }
  const tookMs = await withGitHub(options, async (github, { clock }) => {
    const deadlineAt = 3 * DAY_MS
    const step = fakeStep({ clock, github: github.until(deadlineAt), timeoutMs: deadlineAt })
    const end = endWith('created', terminalJob('completed', { prLink: LINK }))
    step.journal.updateTurn({ ...end, pullRequest: describePullRequest(UNKNOWN) })
    await readAtEnd(step)
    return clock.now()
  })
  expect(tookMs).toBeLessThanOrEqual(60_000)
})

test.each<[string, readonly string[], number | undefined]>([
  ['by the agent', ['docs-agent[bot]', 'docs-agent[bot]'], 1],
  ['by the other account of the agent, which wrote the first commit', ['docs-writer[bot]'], 1],
  ['of which one is by a bot that merged the base branch', ['docs-agent[bot]', 'sync[bot]'], undefined],
  ['by a person, in a stale read of the head', ['lisa'], undefined],
])('lists the files of counted commits %s: %#', async (_whose, authors, count) => {
  const account = (login: string) => ({ login, type: 'Bot' as const })
  const commits = authors.map((login, index) => ({
    sha: commit(String(index)),
    message: 'Guide',
    author: login,
    account: account(login),
  }))
  const files = [
    { path: 'docs/a.md', status: 'modified', previousPath: undefined, patch: undefined, additions: 1, deletions: 0 },
  ]
  const headSha = commit(String(authors.length - 1))
  const opened: PullRequest = { ...PULL_REQUEST, headSha, author: account('docs-agent[bot]') }
  const earlier = { sha: commit('a'), writtenBy: 'docs-writer[bot]', parents: [commit('f')] }
  const github = fakeGitHub({
    ...comparing({ relation: 'ahead', commits, totalCommits: commits.length, files }),
    readPullRequest: resolveInOrder(opened),
    listPullRequestCommits: resolveInOrder(
      pullCommits(earlier, ...commits.map(({ sha, author }) => ({ sha, writtenBy: author }))),
    ),
  })
  const step = fakeStep({ github })
  await step.heads.read({ repository: 'acme/docs', number: 7 }, toDeadline(Infinity, step.clock))
  const work = { kind: 'updated', commits: commits.length, since: commit('a') } as const
  step.journal.updateTurn(endWith(work, terminalJob('completed', { prLink: LINK })))
  await readAtEnd(step)
  expect(describeReport(step.journal.report()).changes?.files.length).toBe(count)
})

test('does not read a pull request on another host, and does not fail', async () => {
  const step = fakeStep({ github: fakeGitHub() })
  const prLink = 'https://gitlab.example.com/acme/docs/-/merge_requests/7'
  step.journal.updateTurn({ ...endWith('unknown', terminalJob('completed', { prLink })), pullRequest: {} })
  await expect(readAtEnd(step)).resolves.toBeUndefined()
})

describe('fix rounds', () => {
  const [C, D, E] = [commit('c'), commit('d'), commit('e')]
  const STATE = {
    found: { state: 'open', checks: 'failure', headSha: D },
    ...({ before: C, status: 'completed', maxRounds: 2, leftMs: 600_000 } as const),
  } as const

  test.each([
    [undefined, {}],
    [undefined, { found: { ...STATE.found, state: 'draft' } }],
    ['passed', { found: { ...STATE.found, checks: 'success' } }],
    ['no-failed-check', { found: { ...STATE.found, checks: 'none' } }],
    ['no-failed-check', { found: { ...STATE.found, checks: 'pending' } }],
    ['no-failed-check', { found: {} }],
    ['closed', { found: { ...STATE.found, state: 'merged' } }],
    ['needs-person', { found: { ...STATE.found, checkList: [DCO, check('links', 'success')] } }],
    [undefined, { found: { ...STATE.found, checkList: [DCO, check('links', 'failure')] } }],
    ['closed', { found: { ...STATE.found, state: 'closed' } }],
    ['no-new-commit', { before: D }],
    ['used-up', { maxRounds: 1 }],
    ['no-time', { leftMs: 599_999 }],
    ['failed', { status: 'failed' }],
    ['archived', { status: 'archived' }],
  ] as const)('finds the reason not to send another round: %s, %j', (stop, change) => {
    const { found, before, status, maxRounds, leftMs } = { ...STATE, ...change }
    const own = turnIn({ ...endWith('unknown'), pullRequest: { headSha: before } })
    const round = turnIn(endWith('unknown', terminalJob(status)))
    expect(findRoundStop(found, [own, round], maxRounds, leftMs)).toBe(stop)
  })

  const BOT = { login: 'docs-agent[bot]', type: 'Bot' }
  const MONA = { login: 'mona', type: 'User' }
  const UNKNOWN = { login: '', type: '' }
  const by = (sha: string, account: typeof BOT, author = '') => ({ sha, account, author })

  test.each([
    ['only commits of the agent do not stop the rounds', [by(C, BOT), by(D, BOT)], C, undefined],
    [
      'a commit of another bot does not stop the rounds',
      [by(C, BOT), by(D, { ...BOT, login: 'formatter[bot]' })],
      C,
      undefined,
    ],
    [
      'a commit of a person since the previous round stops the rounds',
      [by(C, BOT), by(D, MONA), by(E, BOT)],
      C,
      'commits-by-others',
    ],
    [
      'a commit of a person before the previous round does not stop the rounds',
      [by(C, BOT), by(D, MONA), by(E, BOT)],
      D,
      undefined,
    ],
    [
      'a commit of an unknown account since the previous round stops the rounds',
      [by(C, BOT), by(D, UNKNOWN)],
      C,
      'commits-by-others',
    ],
    [
      'commits of an agent without a GitHub account do not stop the rounds',
      [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Agent')],
      C,
      undefined,
    ],
    [
      'commits of two authors without a GitHub account stop the rounds',
      [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Ann')],
      C,
      'commits-by-others',
    ],
    [
      'a commit of the author of the pull request does not stop the rounds',
      [by(C, BOT), by(D, { login: 'owner', type: 'User' })],
      C,
      undefined,
    ],
    ['a newest commit of a person stops the first round', [by(C, BOT), by(D, MONA)], undefined, 'commits-by-others'],
    [
      'an earlier commit of a person does not stop the first round',
      [by(C, BOT), by(D, MONA), by(E, BOT)],
      undefined,
      undefined,
    ],
    ['a stale list of commits stops the rounds', [], C, 'not-sent'],
    ['a rewritten branch stops the rounds', [by(D, BOT), by(E, BOT)], C, 'diverged'],
  ] as const)('%s', (_who, commits, before, stop) => {
    const pullRequest = {
      ...PULL_REQUEST,
      headSha: commits.at(-1)?.sha ?? '',
      author: { login: 'owner', type: 'User' },
    }
    // GitHub sorts commits by the dates that their authors set, so the order is meaningless.
    expect(findStopInCommits(pullCommits(...commits).toReversed(), pullRequest, before)).toBe(stop)
  })
})

interface ReviewCase {
  readonly authors?: readonly string[]
  readonly names?: readonly string[]
  /** The people who were asked before or have reviewed. */
  readonly soFar?: readonly string[]
  readonly readers?: readonly string[]
  readonly refused?: Readonly<Record<string, ActionError>>
  readonly openedBy?: string
  readonly state?: PullRequest['state']
}

async function request(given: ReviewCase, responses: Partial<GitHub> = {}) {
  const { authors = [], names = [], soFar = [], readers = [], refused = {}, openedBy = 'docs-agent[bot]' } = given
  const { state = 'open' } = given
  const [requested, lookedUp]: [string[], string[]] = [[], []]
  const core = fakeHost()
  const github = fakeGitHub({
    listReviewersSoFar: () => Promise.resolve(soFar),
    mayWrite: (_repository, { login }) => {
      lookedUp.push(login)
      return Promise.resolve(!readers.includes(login))
    },
    requestReview: (_pullRequest, name) => {
      const { [name]: error } = refused
      if (error === undefined) requested.push(name)
      return error === undefined ? Promise.resolve() : Promise.reject(error)
    },
    ...responses,
  })
  const step = fakeStep({
    core,
    github,
    inputs: agentInputs({ reviewers: { hasAuthors: true, hasApprovers: false, names } }),
  })
  const pullRequest = { ...PULL_REQUEST, state, author: { login: openedBy, type: 'User' } }
  await requestReviews(pullRequest, authors, step)
  const warnings = step.journal.warnings.map(({ message }) => message)
  return { requested, lookedUp, warnings, hostCalls: core.calls, calls: github.calls }
}

const MANY = Array.from({ length: 30 }, (_, index) => `u${index}`)
const NOT_ALL = 'Not all reviews were requested'
const [gone, forbidden] = [createGitHubError('rejected'), createGitHubError('forbidden')]

test.each<[string, ReviewCase, string[], string[]]>([
  [
    'the named reviewers and the authors of the change, each once',
    { names: ['Mona', 'acme/writers'], authors: ['ann', 'mona', 'bob'] },
    ['mona', 'acme/writers', 'ann', 'bob'],
    [],
  ],
  [
    'authors with write access, but not the author of the pull request',
    { authors: ['ann', 'bob', 'cid'], names: ['Dan'], readers: ['bob'], openedBy: 'dan' },
    ['ann', 'cid'],
    [],
  ],
  ['each person once, in any case', { authors: ['Ann', 'bob', 'ann'] }, ['Ann', 'bob'], []],
  ['the first five people with write access', { authors: MANY, readers: ['u1'] }, ['u0', 'u2', 'u3', 'u4', 'u5'], []],
  [
    'those of the first five people who were not asked before, in any case',
    { authors: MANY.map((login) => login.toUpperCase()), names: ['Ann', 'Bob'], soFar: ['u0', 'u2', 'ann'] },
    ['Bob', 'U1', 'U3', 'U4'],
    [],
  ],
  [
    'all reviewers except the ones that GitHub rejects, with a warning',
    { names: ['gone', 'ann'], refused: { gone } },
    ['ann'],
    ['No review was requested from `gone`'],
  ],
  [
    'all reviewers except one whose request fails',
    { names: ['gone', 'ann'], refused: { gone: createGitHubError('bad-answer') } },
    ['ann'],
    ['No review was requested from `gone`'],
  ],
  [
    'nobody if the token lacks the permission, with one warning',
    { names: ['ann', 'bob'], refused: { ann: forbidden, bob: forbidden } },
    [],
    [NOT_ALL],
  ],
])('requests reviews from %s', async (_whom, given, requested, warnings) => {
  const done = await request(given)
  expect([done.requested, done.warnings]).toEqual([requested, warnings])
  expect(done.hostCalls.filter((line) => line.startsWith('log: Requested a review'))).toEqual(
    requested.map((name) => `log: Requested a review from \`${name}\`.`),
  )
})

test('looks up at most ten authors, and sends no request if there are no candidates', async () => {
  expect((await request({ authors: MANY, readers: MANY })).lookedUp).toHaveLength(10)
  expect((await request({ openedBy: 'ann', authors: ['Ann'] })).calls).toEqual([])
})

test('skips only the author whose permission lookup fails', async () => {
  const mayWrite: GitHub['mayWrite'] = (_repository, { login }) =>
    login === 'ann' ? Promise.reject(createGitHubError('service-error')) : Promise.resolve(true)
  const { requested, warnings } = await request({ names: ['dan'], authors: ['ann', 'bob', 'cid'] }, { mayWrite })
  expect([requested, warnings]).toEqual([['dan', 'bob', 'cid'], ['No review was requested from `ann`']])
})

test.each(['merged', 'closed'] as const)('requests no review of a %s pull request', async (state) => {
  const { requested, calls } = await request({ state, names: ['dan'], authors: ['ann'] })
  expect([requested, calls]).toEqual([[], []])
})

test('requests reviews of a draft', async () => {
  expect((await request({ state: 'draft', names: ['dan'] })).requested).toEqual(['dan'])
})

test('requests no review if the earlier reviewers cannot be read', async () => {
  const { requested, warnings } = await request(
    { names: ['ann'] },
    { listReviewersSoFar: rejectWith(createGitHubError('service-error')) },
  )
  expect([requested, warnings]).toEqual([[], [NOT_ALL]])
})
