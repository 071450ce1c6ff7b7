import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { askReviewers } from '../../../src/agent/pull-request/ask-reviewers.ts'
import { failedByChange, failedChecks } from '../../../src/agent/pull-request/failing-checks.ts'
import { stopAtLastLook, stopBeforeAsking, stopForCommits } from '../../../src/agent/pull-request/fix-rounds.ts'
import { isMarkerComment, markerComment, readMarker, withFollowUps } from '../../../src/agent/pull-request/marker.ts'
import { waitForMergeable } from '../../../src/agent/pull-request/settle-mergeable.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { describePullRequest } from '../../../src/agent/report/report.ts'
import type { Check } from '../../../src/github/commit-checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits, refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'
import { SEED } from '../../support/seed.ts'

const check = (name: string, state: Check['state'], fields: Partial<Check> = {}): Check => ({ name, state, ...fields })

test('two workflows, or two apps, may have a check of one name each', () => {
  const of = (state: Check['state'], app: string) => check('build', state, { id: 5, app })
  const checks = [of('failure', 'a'), of('success', 'a'), of('success', 'b')]
  expect(failedChecks(checks)).toEqual([checks[0]])
})

test('check runs and commit statuses count alike, and only those that failed', () => {
  const checks = [check('build', 'failure', { id: 1 }), check('preview', 'failure'), check('links', 'pending')]
  expect(failedChecks(checks)).toEqual(checks.slice(0, 2))
})

test('what failed before under the same name is not of this change, and what passed or waited is', () => {
  const failed = ['old', 'passed', 'waited', 'new'].map((name) => check(name, 'failure'))
  const before = [check('old', 'failure'), check('passed', 'success'), check('waited', 'pending')]
  expect(failedByChange(failed, before)).toEqual(failed.slice(1))
})

test('the comment names its job in a marker that does not show', () => {
  expect(markerComment('job_1')).toMatch(/^<!-- docs-agent-action: job=job_1 -->\n/)
})

test('a marker is found for its own job and for no other', () => {
  const comment = markerComment('job_1')
  expect(isMarkerComment(comment, 'job_1')).toBe(true)
  expect(isMarkerComment(comment, 'job_11')).toBe(false)
  expect(isMarkerComment(comment)).toBe(true)
  expect(isMarkerComment('docs-agent-action: job=job_1')).toBe(false)
})

test('a comment that quotes a marker does not count', () => {
  const quoting = `> ${markerComment('job_1')}`
  expect([isMarkerComment(quoting), isMarkerComment(quoting, 'job_1')]).toEqual([false, false])
})

test('follow-ups, and who counted last, stand in further hidden lines, and the rest stays as it is', () => {
  const counted = withFollowUps(markerComment('job_1'), 1, '42.1')
  expect(counted).toMatch(
    /^<!-- docs-agent-action: job=job_1 -->\n<!-- docs-agent-action: follow-ups=1 -->\n<!-- docs-agent-action: counted-by=42.1 -->\nThis pull request comes/,
  )
  const again = counted.replace('follow-ups=1', 'follow-ups=2').replace('42.1', '43.1')
  expect(withFollowUps(counted, 2, '43.1')).toBe(again)
  expect(isMarkerComment(counted, 'job_1')).toBe(true)
})

test.each([
  ['no follow-up', markerComment('job_1'), { jobId: 'job_1', followUps: 0, countedBy: '' }],
  ['seven', withFollowUps(markerComment('job_1'), 7, 'x'), { jobId: 'job_1', followUps: 7, countedBy: 'x' }],
  [
    'a count that nobody signed',
    withFollowUps(markerComment('job_1'), 7, 'x').replace(/\n.*counted-by.*/, ''),
    { jobId: 'job_1', followUps: 7, countedBy: '' },
  ],
  [
    'line ends as browsers send them',
    withFollowUps(markerComment('job_1'), 7, 'x').replaceAll('\n', '\r\n'),
    { jobId: 'job_1', followUps: 7, countedBy: 'x' },
  ],
  ['a quote of a marker', `> ${markerComment('job_1')}`, undefined],
  ['a count without a job', '<!-- docs-agent-action: follow-ups=7 -->', undefined],
])('a marker with %s is read', (_name, body, marker) => {
  expect(readMarker(body)).toEqual(marker)
})

const UNKNOWN: PullRequest = { ...PULL_REQUEST, mergeable: undefined }

async function settle(readPullRequest: GitHub['readPullRequest'], before = UNKNOWN, timeoutMs = 3_600_000) {
  const clock = fakeClock()
  const found = { ...describePullRequest(before), checks: 'success' } as const
  const after = await waitForMergeable(found, before, fakeGitHub({ readPullRequest }), fakeStep({ clock, timeoutMs }))
  return { mergeable: after.mergeable, headSha: after.headSha, checks: after.checks, passed: clock.passed() }
}

test('asks again until GitHub has found it out, and keeps what else is known', async () => {
  const { mergeable, checks, passed } = await settle(inTurn(UNKNOWN, { ...PULL_REQUEST, mergeable: false }))
  expect({ mergeable, checks, passed }).toEqual({ mergeable: false, checks: 'success', passed: 3_000 })
})

test('gives up soon on what nobody knows', async () => {
  const { mergeable, passed } = await settle(inTurn(UNKNOWN))
  expect({ mergeable, passed }).toEqual({ mergeable: undefined, passed: 11_000 })
})

test.each([
  ['it is known already', PULL_REQUEST, 3_600_000],
  ['it is merged', { ...UNKNOWN, state: 'merged' } as const, 3_600_000],
  ['it is closed', { ...UNKNOWN, state: 'closed' } as const, 3_600_000],
  ['there is no time', UNKNOWN, 1_000],
])('asks nothing where %s', async (_name, before, timeoutMs) => {
  expect((await settle(inTurn<PullRequest>(refusal('unreachable')), before, timeoutMs)).passed).toBe(0)
})

test('says nothing about another commit than the one that was looked at', async () => {
  const { mergeable, headSha } = await settle(inTurn({ ...PULL_REQUEST, headSha: commit('d') }))
  expect({ mergeable, headSha }).toEqual({ mergeable: undefined, headSha: UNKNOWN.headSha })
})

test('a GitHub that is silent costs nothing but the answer', async () => {
  expect((await settle(inTurn<PullRequest>(refusal('unreachable')))).mergeable).toBeUndefined()
})

test('a cancelled run ends', async () => {
  const cancelled = refusal('cancelled')
  await expect(settle(inTurn<PullRequest>(cancelled))).rejects.toBe(cancelled)
})

describe('fix rounds', () => {
  const [C, D, E] = [commit('c'), commit('d'), commit('e')]
  const STATE = {
    found: { state: 'open', checks: 'failure', headSha: D },
    headOfLastRound: C,
    sent: 1,
    maxRounds: 2,
    leftMs: 600_000,
  } as const

  test('another round is sent while checks fail on a new head of an open pull request, and time and rounds are left', () => {
    expect(stopBeforeAsking(STATE)).toBeUndefined()
    expect(stopBeforeAsking({ ...STATE, found: { ...STATE.found, state: 'draft' } })).toBeUndefined()
  })

  test.each([
    ['passed', { found: { ...STATE.found, checks: 'success' } }],
    ['nothing-to-tell', { found: { ...STATE.found, checks: 'none' } }],
    ['nothing-to-tell', { found: { ...STATE.found, checks: 'pending' } }],
    ['nothing-to-tell', { found: {} }],
    ['over', { found: { ...STATE.found, state: 'merged' } }],
    ['over', { found: { ...STATE.found, state: 'closed' } }],
    ['unmoved', { headOfLastRound: D }],
    ['used-up', { sent: 2 }],
    ['no-time', { leftMs: 599_999 }],
  ] as const)('%s: %j', (stop, change) => {
    expect(stopBeforeAsking({ ...STATE, ...change })).toBe(stop)
  })

  test('directly before the message the pull request must be the one that was looked at', () => {
    expect(stopAtLastLook(PULL_REQUEST, C)).toBeUndefined()
    expect(stopAtLastLook(PULL_REQUEST, D)).toBe('others')
    expect(stopAtLastLook({ ...PULL_REQUEST, state: 'closed' }, C)).toBe('over')
  })

  const BOT = { login: 'docs-agent[bot]', type: 'Bot' }
  const MONA = { login: 'mona', type: 'User' }
  const UNKNOWN = { login: '', type: '' }
  const by = (sha: string, account: typeof BOT, author = '') => ({ sha, account, author })

  test.each([
    ['only the agent', [by(C, BOT), by(D, BOT)], C, undefined],
    ['another bot', [by(C, BOT), by(D, { ...BOT, login: 'formatter[bot]' })], C, undefined],
    ['a person since', [by(C, BOT), by(D, MONA), by(E, BOT)], C, 'others'],
    ['a person before, whom the agent followed', [by(C, BOT), by(D, MONA), by(E, BOT)], D, undefined],
    ['somebody unknown since', [by(C, BOT), by(D, UNKNOWN)], C, 'others'],
    ['an agent that GitHub does not know', [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Agent')], C, undefined],
    ['two whom GitHub does not know', [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Ann')], C, 'others'],
    ['a person whose pull request it is', [by(C, BOT), by(D, { login: 'owner', type: 'User' })], C, undefined],
    ['a person last, before the first round', [by(C, BOT), by(D, MONA)], undefined, 'others'],
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
    expect(stopForCommits(pullCommits(...commits).toReversed(), pullRequest, before)).toBe(stop)
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
}

interface Asked {
  readonly asked: readonly string[]
  readonly losses: readonly string[]
  readonly lookedUp: readonly string[]
  readonly said: readonly string[]
}

async function ask(world: World, github = {}): Promise<Asked> {
  const { authors = [], names = [], soFar = [], readers = [], refused = {}, openedBy = 'docs-agent[bot]' } = world
  const asked: string[] = []
  const lookedUp: string[] = []
  const core = fakeHost()
  const inputs = agentInputs({ reviewers: { hasAuthors: true, names } })
  const journal = new Journal(inputs, fakeStep({ core }))
  const fake = fakeGitHub({
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
    ...github,
  })
  const pullRequest = { ...PULL_REQUEST, author: { login: openedBy, type: 'User' } }
  await askReviewers(pullRequest, authors, inputs, fake, journal)
  return { asked, lookedUp, losses: journal.shortfalls.map(({ lost }) => lost), said: core.said }
}

test('asks those who are named and those who wrote the change, each once', async () => {
  const { asked, said } = await ask({ names: ['Mona', 'acme/writers'], authors: ['ann', 'mona', 'bob'] })
  expect(asked).toEqual(['mona', 'acme/writers', 'ann', 'bob'])
  expect(said).toContain('log: `ann` is asked for a review.')
})

test('nobody is asked about where nobody is to be asked', async () => {
  const github = fakeGitHub()
  await ask({ openedBy: 'ann', authors: ['Ann'] }, github)
  expect(github.asked).toEqual([])
})

test('an author is asked only if they may write, and never whoever opened the pull request', async () => {
  const { asked } = await ask({ authors: ['ann', 'bob', 'cid'], names: ['Dan'], readers: ['bob'], openedBy: 'dan' })
  expect(asked).toEqual(['ann', 'cid'])
})

test('of many authors the first five who may write are asked, and ten are looked up at most', async () => {
  const authors = Array.from({ length: 30 }, (_, index) => `u${index}`)
  expect((await ask({ authors, readers: ['u1'] })).asked).toEqual(['u0', 'u2', 'u3', 'u4', 'u5'])
  expect((await ask({ authors, soFar: ['u0', 'u2'] })).asked).toEqual(['u1', 'u3', 'u4'])
  expect((await ask({ authors, readers: authors })).lookedUp).toHaveLength(10)
})

test('in whatever course of runs, nobody is asked twice for a pull request', async () => {
  const name = fc.constantFrom('ann', 'Ann', 'bob', 'BOB', 'cid', 'acme/writers', 'Acme/Writers')
  const runs = fc.array(fc.record({ names: fc.array(name), authors: fc.array(name) }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(runs, async (given) => {
      const all: string[] = []
      for (const { names, authors } of given)
        all.push(...(await ask({ names, authors, soFar: all })).asked.map((one) => one.toLowerCase()))
      expect(new Set(all).size).toBe(all.length)
    }),
    { seed: SEED },
  )
})

test('whoever cannot be asked is named, and the others are asked all the same', async () => {
  const { asked, losses } = await ask({ names: ['gone', 'ann'], refused: { gone: refusal('rejected') } })
  expect(asked).toEqual(['ann'])
  expect(losses).toEqual(['`gone` was not asked for a review'])
})

test('a token that may not ask is refused once', async () => {
  const { losses } = await ask({
    names: ['ann', 'bob'],
    refused: { ann: refusal('forbidden'), bob: refusal('forbidden') },
  })
  expect(losses).toEqual(['Not everybody was asked for a review'])
})

test('where nobody knows who was asked before, nobody is asked', async () => {
  const { asked, losses } = await ask({ names: ['ann'] }, { listReviewersSoFar: rejecting(refusal('service-error')) })
  expect(asked).toEqual([])
  expect(losses).toEqual(['Not everybody was asked for a review'])
})
