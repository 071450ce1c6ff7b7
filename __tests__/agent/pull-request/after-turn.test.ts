import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs.ts'
import { askReviewers, readAtEnd } from '../../../src/agent/pull-request/track-pull-request.ts'
import { findRoundStop, findStopInCommits, listFailedByChange } from '../../../src/agent/pull-request/fix-rounds.ts'
import { describePullRequest } from '../../../src/agent/report/turn.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import { terminalJob } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits, refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { describeReport, endWith, FOLLOW_UP, turnIn } from '../../support/report.ts'
import { askingGitHub } from '../../support/github-client.ts'
import { commit, repositoryWithPull } from '../../support/github-state.ts'

const check = (name: string, state: Check['state']): Check => ({ name, state })

test('what failed before under the same name is not of this change, and what passed or waited is', () => {
  const failed = ['old', 'passed', 'waited', 'new'].map((name) => check(name, 'failure'))
  const before = [check('old', 'failure'), check('passed', 'success'), check('waited', 'pending')]
  expect(listFailedByChange(failed, before)).toEqual(failed.slice(1))
})

/** It wants a sign-off. */
const DCO: Check = { ...check('DCO', 'failure'), needsPerson: true }

const UNKNOWN: PullRequest = { ...PULL_REQUEST, mergeable: undefined }
const MERGED: PullRequest = { ...UNKNOWN, state: 'merged' }
const DOWN = refusal('unreachable')
const LINK = 'https://github.com/acme/docs/pull/7'
const DAY_MS = 86_400_000

interface AtEnd extends Partial<Pick<AgentInputs, 'timeoutMs'>> {
  /** Whether a round has begun since it was looked at. */
  readonly isOld?: boolean
}

/** What is known of a pull request at the end of the step, and when it was read, in milliseconds from its beginning. */
async function atEnd(before: PullRequest, reads: readonly (PullRequest | ActionError)[], options: AtEnd = {}) {
  const { isOld = false, timeoutMs = 60_000 } = options
  const clock = fakeClock()
  const [readAt, read]: [number[], () => Promise<PullRequest>] = [[], inTurn(...reads)]
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
  ['until GitHub knows whether it conflicts', {}, UNKNOWN, CONFLICT, ['open', false, [1_000, 3_000]]],
  ['for some seconds, if nobody knows', {}, UNKNOWN, UNKNOWN, ['open', undefined, [1_000, 3_000, 6_000, 11_000]]],
  ['not if that is known already', {}, PULL_REQUEST, DOWN, ['open', true, []]],
  ['not if it is merged', OLD, MERGED, DOWN, ['merged', undefined, []]],
  ['not if it is closed', {}, { ...UNKNOWN, state: 'closed' }, DOWN, ['closed', undefined, []]],
  ['until it is merged', {}, UNKNOWN, MERGED, ['merged', undefined, [1_000, 3_000]]],
  ['until GitHub is silent', {}, UNKNOWN, DOWN, ['open', undefined, [1_000, 3_000]]],
  ['until it has another head', {}, UNKNOWN, { ...MERGED, headSha: commit('d') }, ['open', undefined, [1_000, 3_000]]],
  ['not without time', { timeoutMs: 1_000 }, UNKNOWN, CONFLICT, ['open', undefined, []]],
  ['once if a round has led no further', OLD, PULL_REQUEST, MERGED, ['open', true, [0]]],
  ['at once and later if nothing is known', OLD, UNKNOWN, MERGED, ['merged', undefined, [0, 1_000]]],
  ['not if time is up', { ...OLD, timeoutMs: 0 }, PULL_REQUEST, DOWN, ['open', true, []]],
  ['until the run is cancelled', {}, UNKNOWN, refusal('cancelled'), ['cancelled', undefined, [1_000, 3_000]]],
])('at the end of the step a pull request is read again %s', async (_when, options, before, then, known) => {
  expect(await atEnd(before, [before, then], options)).toEqual(known)
})

test('what is only shown is read for one minute at most, rate limits included', async () => {
  const faults = { 'pulls/get': ['secondary-limit', 'long-limit'], 'repos/compare-commits': ['long-limit'] } as const
  const options = { docs: repositoryWithPull(), faults }
  const tookMs = await askingGitHub(options, async (github, { clock }) => {
    const deadlineAt = 3 * DAY_MS
    const step = fakeStep({ clock, github: github.until(deadlineAt), timeoutMs: deadlineAt })
    const end = endWith('created', terminalJob('completed', { prLink: LINK }))
    step.journal.updateTurn({ ...end, pullRequest: describePullRequest(UNKNOWN) })
    await readAtEnd(step)
    return clock.now()
  })
  expect(tookMs).toBeLessThanOrEqual(60_000)
})

test('a pull request of which nothing is known, as it is on another host, is not read, and stops nothing', async () => {
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
    ['nothing-to-tell', { found: { ...STATE.found, checks: 'none' } }],
    ['nothing-to-tell', { found: { ...STATE.found, checks: 'pending' } }],
    ['nothing-to-tell', { found: {} }],
    ['closed', { found: { ...STATE.found, state: 'merged' } }],
    ['needs-person', { found: { ...STATE.found, checkList: [DCO, check('links', 'success')] } }],
    [undefined, { found: { ...STATE.found, checkList: [DCO, check('links', 'failure')] } }],
    ['closed', { found: { ...STATE.found, state: 'closed' } }],
    ['no-new-commit', { before: D }],
    ['used-up', { maxRounds: 1 }],
    ['no-time', { leftMs: 599_999 }],
    ['failed', { status: 'failed' }],
    ['archived', { status: 'archived' }],
  ] as const)('whether another round is sent, or why not: %s, %j', (stop, change) => {
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
    ['only the agent', [by(C, BOT), by(D, BOT)], C, undefined],
    ['another bot', [by(C, BOT), by(D, { ...BOT, login: 'formatter[bot]' })], C, undefined],
    ['a person since', [by(C, BOT), by(D, MONA), by(E, BOT)], C, 'foreign-commits'],
    ['a person before, whom the agent followed', [by(C, BOT), by(D, MONA), by(E, BOT)], D, undefined],
    ['somebody unknown since', [by(C, BOT), by(D, UNKNOWN)], C, 'foreign-commits'],
    ['an agent that GitHub does not know', [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Agent')], C, undefined],
    ['two whom GitHub does not know', [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Ann')], C, 'foreign-commits'],
    ['a person whose pull request it is', [by(C, BOT), by(D, { login: 'owner', type: 'User' })], C, undefined],
    ['a person last, before the first round', [by(C, BOT), by(D, MONA)], undefined, 'foreign-commits'],
    ['a person earlier, before the first round', [by(C, BOT), by(D, MONA), by(E, BOT)], undefined, undefined],
    ['an old copy of the list', [], C, 'not-sent'],
    ['a rewritten branch', [by(D, BOT), by(E, BOT)], C, 'diverged'],
  ] as const)('%s', (_who, commits, before, stop) => {
    const pullRequest = {
      ...PULL_REQUEST,
      headSha: commits.at(-1)?.sha ?? '',
      author: { login: 'owner', type: 'User' },
    }
    // GitHub lists them by the dates that their authors gave them, so that the order says nothing.
    expect(findStopInCommits(pullCommits(...commits).toReversed(), pullRequest, before)).toBe(stop)
  })
})

interface World {
  readonly authors?: readonly string[]
  readonly names?: readonly string[]
  /** Who was asked before or has reviewed. */
  readonly soFar?: readonly string[]
  readonly readers?: readonly string[]
  readonly refused?: Readonly<Record<string, ActionError>>
  readonly openedBy?: string
  readonly state?: PullRequest['state']
}

async function ask(world: World, answers: Partial<GitHub> = {}) {
  const { authors = [], names = [], soFar = [], readers = [], refused = {}, openedBy = 'docs-agent[bot]' } = world
  const { state = 'open' } = world
  const [asked, lookedUp]: [string[], string[]] = [[], []]
  const core = fakeHost()
  const github = fakeGitHub({
    listReviewersSoFar: () => Promise.resolve(soFar),
    mayWrite: (_repository, { login }) => {
      lookedUp.push(login)
      return Promise.resolve(!readers.includes(login))
    },
    requestReview: (_pullRequest, name) => {
      const { [name]: error } = refused
      if (error === undefined) asked.push(name)
      return error === undefined ? Promise.resolve() : Promise.reject(error)
    },
    ...answers,
  })
  const step = fakeStep({
    core,
    github,
    inputs: agentInputs({ reviewers: { hasAuthors: true, hasApprovers: false, names } }),
  })
  const pullRequest = { ...PULL_REQUEST, state, author: { login: openedBy, type: 'User' } }
  await askReviewers(pullRequest, authors, step)
  const losses = step.journal.warnings.map(({ message }) => message)
  return { asked, lookedUp, losses, said: core.said, questions: github.asked }
}

const MANY = Array.from({ length: 30 }, (_, index) => `u${index}`)
const NOT_ALL = 'Not everybody was asked for a review'
const [gone, forbidden] = [refusal('rejected'), refusal('forbidden')]

test.each<[string, World, string[], string[]]>([
  [
    'those who are named and those who wrote the change, each once',
    { names: ['Mona', 'acme/writers'], authors: ['ann', 'mona', 'bob'] },
    ['mona', 'acme/writers', 'ann', 'bob'],
    [],
  ],
  [
    'authors who may write, and never whoever opened the pull request',
    { authors: ['ann', 'bob', 'cid'], names: ['Dan'], readers: ['bob'], openedBy: 'dan' },
    ['ann', 'cid'],
    [],
  ],
  ['each person once, in whatever letters', { authors: ['Ann', 'bob', 'ann'] }, ['Ann', 'bob'], []],
  ['the first five who may write', { authors: MANY, readers: ['u1'] }, ['u0', 'u2', 'u3', 'u4', 'u5'], []],
  [
    'of these, who was not asked before, in whatever letters',
    { authors: MANY.map((login) => login.toUpperCase()), names: ['Ann', 'Bob'], soFar: ['u0', 'u2', 'ann'] },
    ['Bob', 'U1', 'U3', 'U4'],
    [],
  ],
  [
    'all but those who cannot be asked, who are named',
    { names: ['gone', 'ann'], refused: { gone } },
    ['ann'],
    ['`gone` was not asked for a review'],
  ],
  [
    'all but the one for whom GitHub fails',
    { names: ['gone', 'ann'], refused: { gone: refusal('bad-answer') } },
    ['ann'],
    ['`gone` was not asked for a review'],
  ],
  [
    'nobody if the token may not ask, which is said once',
    { names: ['ann', 'bob'], refused: { ann: forbidden, bob: forbidden } },
    [],
    [NOT_ALL],
  ],
])('a review is asked of %s', async (_whom, world, asked, losses) => {
  const done = await ask(world)
  expect([done.asked, done.losses]).toEqual([asked, losses])
  expect(done.said.filter((line) => line.endsWith('is asked for a review.'))).toEqual(
    asked.map((name) => `log: \`${name}\` is asked for a review.`),
  )
})

test('ten authors are looked up at most, and nobody where nobody is to be asked', async () => {
  expect((await ask({ authors: MANY, readers: MANY })).lookedUp).toHaveLength(10)
  expect((await ask({ openedBy: 'ann', authors: ['Ann'] })).questions).toEqual([])
})

test('a failed lookup of one author costs that author only', async () => {
  const mayWrite: GitHub['mayWrite'] = (_repository, { login }) =>
    login === 'ann' ? Promise.reject(refusal('service-error')) : Promise.resolve(true)
  const { asked, losses } = await ask({ names: ['dan'], authors: ['ann', 'bob', 'cid'] }, { mayWrite })
  expect([asked, losses]).toEqual([['dan', 'bob', 'cid'], ['`ann` was not asked for a review']])
})

test.each(['merged', 'closed'] as const)('nobody is asked to review a %s pull request', async (state) => {
  const { asked, questions } = await ask({ state, names: ['dan'], authors: ['ann'] })
  expect([asked, questions]).toEqual([[], []])
})

test('a draft is reviewed like any open pull request', async () => {
  expect((await ask({ state: 'draft', names: ['dan'] })).asked).toEqual(['dan'])
})

test('where nobody knows who was asked before, nobody is asked', async () => {
  const { asked, losses } = await ask({ names: ['ann'] }, { listReviewersSoFar: rejecting(refusal('service-error')) })
  expect([asked, losses]).toEqual([[], [NOT_ALL]])
})
