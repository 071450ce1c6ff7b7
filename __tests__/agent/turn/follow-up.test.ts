import { describe, expect, test } from '@jest/globals'
import { isSameEnd } from '../../../src/agent/turn/job-state.ts'
import { createTurnEndDetector } from '../../../src/agent/turn/run-turn.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { Target } from '../../../src/agent/plan.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { type TurnRun, type TurnRunOptions, playTurn } from '../../support/turn-run.ts'
import { FOLLOW_UP } from '../../support/report.ts'
import {
  active,
  archived,
  completed,
  failed,
  failure,
  job,
  LINK,
  type Script,
  withoutLink,
} from '../../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const otherLink = job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })
const same = completed
const spelledOtherwise = job({ status: 'completed', prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1#diff' })
const failedThere = job({ status: 'failed', prLink: LINK })
const unlisted = job({ unlistedStatus: 'paused' })
const lost = failure('unknown-fate')

/** A follow-up whose message is answered so, and whose job reads like this, one reading after the other. */
const follow = (
  message: Script['message'],
  reads: NonNullable<Script['reads']>,
  more: Partial<TurnRunOptions> = {},
): Promise<TurnRun> => playTurn({ task: FOLLOW_UP, ...(message && { message }), reads, ...more })

const NO_WAIT = { inputs: { wait: false } }
/** Between the reads of a job that is idle from the first one until its prompt is sent. */
const IDLE_PAUSES_MS = [2_000, 2_500, 3_125, 3_906.25, 3_468.75]
const UNSENT = { error: { code: 'not-sent' } }
const UNKNOWN = { outcome: 'error', error: { code: 'unknown-fate' } }

test('reads the job, sends the prompt, hands the job on, and waits for the turn', async () => {
  const { report, client, accepted } = await follow(active, [completed, active, otherLink])
  expect(report).toMatchObject({ outcome: 'pull-request', progress: 'started', operation: 'created' })
  expect(client.calls).toEqual(['get', 'message', 'get', 'get'])
  expect(accepted).toMatchObject([{ sleepsBefore: IDLE_PAUSES_MS.length }])
})

test.each([
  ['the old end between two reads of active', same, [same, active, same, same, active, failed], 'failed', 'started'],
  ['the old end in another spelling', active, [same, spelledOtherwise, active, failed], 'failed', 'started'],
  ['the late link of the turn before', active, [withoutLink, completed, active, withoutLink], 'no-changes', 'started'],
  ['another end that nobody saw begin', failed, [failed, same, same, active, otherLink], 'pull-request', 'started'],
  [
    'an answer that tells nothing but the id',
    { ...active, isAssumed: true as const },
    [same],
    'unconfirmed',
    'accepted',
  ],
  ['an unknown status in a read', same, [same, unlisted, same], 'unconfirmed', 'accepted'],
  ['another pull request that nobody saw come', same, [same, otherLink], 'unconfirmed', 'accepted'],
])('is not deceived by %s', async (_name, message, reads, outcome, progress) => {
  expect((await follow(message, reads)).report).toMatchObject({ outcome, progress })
})

test('a turn that was never seen is unconfirmed, after two minutes of looks, or at the deadline', async () => {
  const { report, clock, elapsedMs } = await follow(completed, [completed])
  expect([report.outcome, elapsedMs]).toEqual(['unconfirmed', 15_000 + 120_000])
  expect(clock.sleeps.slice(0, 8)).toEqual([...IDLE_PAUSES_MS, 2_000, 2_500, 3_125])
  const short = await follow(completed, [completed], { inputs: { timeoutMs: 30_000 } })
  expect([short.report.outcome, short.elapsedMs]).toEqual(['unconfirmed', 30_000])
})

const MINUTE = { inputs: { timeoutMs: 60_000 } }

test.each<[string, Script['message'], (Job | Error)[], Partial<TurnRunOptions>, object]>([
  ['one does not end', active, [same, active], MINUTE, { outcome: 'timed-out', progress: 'started' }],
  ['it is cancelled', same, [same], { cancelAtSleep: 6 }, { outcome: 'cancelled', progress: 'accepted', job: same }],
  [
    'a read is refused',
    same,
    [same, failure('unauthorized')],
    {},
    { outcome: 'error', progress: 'accepted', job: same },
  ],
  [
    'a read is refused later',
    same,
    [same, active, failure('unauthorized')],
    {},
    { outcome: 'error', progress: 'started', job: active },
  ],
])('a step knows how far its turn has come when %s', async (_when, message, reads, more, known) => {
  expect((await follow(message, reads, more)).report).toMatchObject(known)
})

test.each<[string, (Job | Error)[], Partial<TurnRunOptions>, object]>([
  ['could not be read before the deadline', [failure('service-error')], MINUTE, { outcome: 'timed-out' }],
  ['is archived', [archived], {}, { outcome: 'archived', job: { status: 'archived' } }],
  ['is archived, though nobody waits', [archived], NO_WAIT, { outcome: 'archived' }],
  ['is archived while it is busy', [active, archived], {}, { outcome: 'archived' }],
  ['stays busy until the deadline', [active], MINUTE, { outcome: 'timed-out', job: { status: 'active' } }],
])('a job that %s is sent nothing, and the step says so', async (_what, reads, more, expected) => {
  const { report, client } = await follow(undefined, reads, more)
  expect(report).toMatchObject({ ...UNSENT, ...expected })
  expect(client.prompts).toEqual([])
})

test('a busy job is sent the prompt only when its present turn has ended, or at once if nobody waits for it', async () => {
  const { report, client } = await follow(active, [active, active, completed, active, otherLink])
  expect(report.job?.prLink).toEqual(otherLink.prLink)
  expect(JSON.stringify(report.timeline)).toContain('The job is busy.')
  expect(client.calls).toEqual(['get', 'get', 'get', 'message', 'get', 'get'])

  const unwaited = await follow(active, [active], NO_WAIT)
  expect([unwaited.report.outcome, unwaited.client.calls]).toEqual(['submitted', ['get', 'message']])
})

test.each<[string, (Job | Error)[], Partial<TurnRunOptions>, object]>([
  ['was taken if its turn is seen', [same, same, active, otherLink], {}, { outcome: 'pull-request' }],
  ['is looked up if nobody waits', [same, active], NO_WAIT, { outcome: 'submitted', progress: 'started' }],
  ['stays unknown if no turn is seen', [same], {}, UNKNOWN],
  ['stays unknown if somebody archives the job', [same, same, archived], {}, UNKNOWN],
  ['stays unknown if nobody may look', [same, failure('unauthorized')], {}, UNKNOWN],
  ['stays unknown if the job was busy before', [active], NO_WAIT, UNKNOWN],
])('a prompt whose fate is unknown %s, and is not sent again', async (_what, reads, more, expected) => {
  const { report, client } = await follow(lost, reads, more)
  expect(report).toMatchObject(expected)
  expect(report.error).toEqual(expected === UNKNOWN ? lost : undefined)
  expect(client.calls.filter((call) => call === 'message')).toHaveLength(1)
})

test('a prompt that was refused ends the step at once', async () => {
  const { report, client } = await follow(failure('rejected'), [completed])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
  expect(client.calls).toEqual(['get', 'message'])
})

describe('an idle job', () => {
  /** Plays a follow-up to a job that is read like this, each read as often as it says. */
  const reading = (reads: readonly (readonly [times: number, read: Job])[], more: Partial<TurnRunOptions> = {}) =>
    follow(
      active,
      reads.flatMap(([times, read]) => Array<Job>(times).fill(read)),
      { namesEndsOnce: false, ...more },
    )
  /** After how many milliseconds the prompt was sent. */
  const sentAfter = ({ client, clock }: TurnRun): number =>
    clock.sleeps.slice(0, client.calls.indexOf('message') - 1).reduce((sum, ms) => sum + ms, 0)

  test.each<[string, (readonly [times: number, read: Job])[], number]>([
    [
      'stands from the first read',
      [
        [6, completed],
        [1, active],
        [9, completed],
      ],
      15_000,
    ],
    [
      'stands anew after another status',
      [
        [3, completed],
        [6, failedThere],
        [1, active],
        [9, failed],
      ],
      7_625 + 15_000,
    ],
    [
      'stands anew after another pull request',
      [
        [2, completed],
        [6, otherLink],
        [1, active],
        [9, failed],
      ],
      4_500 + 15_000,
    ],
  ])('is sent the prompt when its state has stood for 15 s: it %s', async (_how, reads, afterMs) => {
    expect(sentAfter(await reading(reads))).toBe(afterMs)
  })

  test('is waited for if a read says that it works on something else', async () => {
    const run = await reading([
      [3, completed],
      [1, active],
      [6, completed],
      [1, active],
      [9, completed],
    ])
    expect(run.client.calls.slice(0, 11)).toEqual([...Array<string>(10).fill('get'), 'message'])
    expect(JSON.stringify(run.report.timeline)).toContain('The job is busy.')
  })

  test('is sent nothing if its state cannot stand for 15 s before the deadline', async () => {
    const { report, client, elapsedMs } = await reading([[9, completed]], { inputs: { timeoutMs: 15_000 } })
    expect(report).toMatchObject({ ...UNSENT, outcome: 'timed-out' })
    expect([client.prompts, elapsedMs]).toEqual([[], 0])
  })

  test('is sent nothing if it is archived meanwhile', async () => {
    const { report, client } = await reading([
      [2, completed],
      [1, archived],
    ])
    expect([report.outcome, client.prompts]).toEqual(['archived', []])
  })
})

describe('before sending', () => {
  const ON_HOST = { serverUrl: 'https://git.example.com' }

  /** Follows up on a busy job. GitHub shows one head after the other, and the agent has made all of them. */
  function followBusy(
    heads: string,
    reads = [active, completed, completed, active, completed],
    timeoutMs = 3_600_000,
    more: Partial<TurnRunOptions> = {},
  ): Promise<TurnRun> {
    const shown = Array.from(heads, (digit): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) }))
    const github = fakeGitHub({
      readPullRequest: inTurn(...shown),
      listPullRequestCommits: inTurn(pullCommits(...Array.from('abcd', (digit) => ({ sha: commit(digit) })))),
    })
    return follow(active, reads, { facts: ON_HOST, inputs: { label: '', timeoutMs }, github, ...more })
  }

  // Each read is one request: the end of the busy turn, what is read when the head has stood, and so on.
  const OWN_PROMPT = [active, completed, active, completed, completed, active, completed]
  const OWN_END = [active, completed, failedThere, failedThere, active, completed]

  test.each([
    { what: 'a head that stands is read for 15 s', heads: 'aaaab', looks: 3 },
    { what: 'one that moves is read until it has stood so long', heads: 'abbbbc', looks: 4 },
    { what: 'old copies in between begin it anew', heads: 'abaaabc', looks: 5 },
    {
      what: 'what that turn has pushed late is not of this one',
      heads: 'aabbbbbbbb',
      looks: 5,
      operation: 'unchanged',
    },
    { what: 'another prompt has a turn of its own', heads: 'aaaabbbbc', reads: OWN_PROMPT, looks: 3, sentAfter: 5 },
    {
      what: 'another end has a head of its own',
      heads: 'aaaabbbb',
      reads: OWN_END,
      looks: 6,
      sentAfter: 4,
      operation: 'unchanged',
    },
  ])(
    'after a turn that was waited for, $what',
    async ({ heads, reads, looks, sentAfter = 3, operation = 'updated' }) => {
      const { report, client, clock } = await followBusy(heads, reads, undefined, { namesEndsOnce: false })
      expect(clock.sleeps.slice(0, looks + 1)).toEqual([10_000, ...Array<number>(looks).fill(5_000)])
      expect([client.calls.indexOf('message'), report.operation]).toEqual([sentAfter, operation])
    },
  )

  test('what the last look shows is not of this turn', async () => {
    const place = { pullRequest: PULL_REQUEST, jobId: 'job_1', commentId: undefined, followUps: 0, isProven: true }
    const target = { kind: 'pull-request', rolling: place, reason: 'comment', ended: [] } as const
    const reads = [active, completed, completed, completed, active, completed]
    expect((await followBusy('aaaabbbb', reads, undefined, { target })).report.operation).toBe('unchanged')
  })

  const FIX_ROUND: Target = {
    ...{ kind: 'fix-round', address: PULL_REQUEST, examinedHead: commit('b'), failing: [], announcement: 'Round 1.' },
    link: { href: LINK, host: 'git.example.com', repository: 'acme/docs', number: '7' },
    lastRead: { pullRequest: PULL_REQUEST, atMs: -Infinity },
  }

  test.each<[string, number, Partial<TurnRunOptions>]>([
    ['has to be idle', 3, {}],
    ['is looked at a last time', 6, { target: FIX_ROUND }],
  ])('a job that ends otherwise while it %s has a head that has to stand', async (_when, times, more) => {
    const reads = [...Array<Job>(times).fill(completed), failedThere]
    const { report } = await followBusy('ab', reads, undefined, { namesEndsOnce: false, ...more })
    expect([report.outcome, report.operation]).toEqual(['failed', undefined])
  })

  test('of a job that names its pull request no more no head is known', async () => {
    const stands = Array<Job>(1 + IDLE_PAUSES_MS.length).fill(failed)
    const reads = [active, completed, ...stands, active, withoutLink]
    const { report } = await followBusy('aaaabbbb', reads, undefined, { namesEndsOnce: false })
    expect([report.outcome, report.operation]).toEqual(['no-changes', undefined])
  })

  test('a head that cannot stand before the deadline is not known', async () => {
    const { report, client } = await followBusy('abcdef', [active, completed, active], 34_000)
    expect([client.prompts.length, report.operation]).toEqual([1, undefined])
  })

  test('a job that is archived while its head has to stand is sent nothing', async () => {
    const { report, client } = await followBusy('a', [active, completed, archived], undefined, {
      namesEndsOnce: false,
    })
    expect(report).toMatchObject({ outcome: 'archived', ...UNSENT })
    expect(client.prompts).toEqual([])
  })
})

test.each<[string, Job[], Partial<TurnRunOptions>]>([
  ['is archived while it is busy', [active, archived], NO_WAIT],
  ['is archived', [completed, archived], {}],
  ['gets another prompt', [completed, active], {}],
])('a job that %s while a prompt is put off is sent nothing', async (_what, reads, more) => {
  const { report, client } = await follow(active, reads, { isPutOff: true, ...more })
  expect(report).toMatchObject({ outcome: 'error', ...UNSENT })
  expect(client.prompts).toEqual([])
})

describe('an end without a link', () => {
  const UNLINKED = [completed, active, ...Array<Job>(4).fill(withoutLink)]

  test.each<[string, Job[], string]>([
    ['an old end after it is not believed', [active, completed, active, withoutLink], 'no-changes'],
    ['the turn has failed', [failed], 'failed'],
    ['the job is archived', [archived], 'archived'],
  ])('is open again if a read contradicts it: %s', async (_what, reads, outcome) => {
    const { report } = await follow(active, [...UNLINKED, ...reads])
    expect(report).toMatchObject({ outcome, progress: 'started' })
  })
})

const READS: Readonly<Record<string, Job>> = { active, completed, failed, paused: unlisted }

/** Whether a turn has ended whose message was answered at 0 s, after reads such as `4 active, 15.5 completed`, each at its second. */
function endsAfter(before: Job, reads: string): boolean | undefined {
  const isEnd = createTurnEndDetector(before, 0, false)
  const ends = reads.split(', ').map((read) => {
    const [seconds, name = ''] = read.split(' ')
    return isEnd(READS[name] ?? active, Number(seconds) * 1_000)
  })
  return ends.at(-1)
}

test.each<[string, Job, string, boolean]>([
  ['another end after a read that said active', failed, '2 active, 15 completed', true],
  ['another end that may be a copy of before the message', failed, '2 active, 14.9 completed', false],
  ['another end after an answer that said active', failed, '2 completed', false],
  ['another end 15 s after such an answer, if no read has said so', failed, '16 completed', false],
  ['another end after a read that nobody knows', failed, '2 paused, 16 completed', false],
  ['another end that has stood for 15 s, if no read said active', failed, '2 completed, 17 completed', true],
  ['the same end for less than 15 s', completed, '2 active, 4 completed, 18.9 completed', false],
  ['the same end for 15 s', completed, '2 active, 4 completed, 19 completed', true],
  ['the same end, interrupted', completed, '4 completed, 12 active, 13 completed, 20 completed', false],
  ['the same end, interrupted by what nobody knows', completed, '4 completed, 12 paused, 20 completed', false],
  ['what nobody knows, however long it stands', completed, '2 active, 4 paused, 60 paused', false],
  ['two ends in turn', failed, '4 failed, 12 completed, 20 failed', false],
])('%s ends a turn or not', (_name, before, reads, expected) => {
  expect(endsAfter(before, reads)).toBe(expected)
})

const SEEN = { outcome: 'failed', progress: 'started' }
const UNSEEN = { outcome: 'unconfirmed', progress: 'accepted' }

test.each<[string, Script['message'], Job[], object, number]>([
  ['an answer that says active', active, [failed], SEEN, 15_000 + 29_414.0625],
  ['a read that says active', completed, [active, failed], SEEN, 15_000 + 17_625],
  ['an answer with another status', unlisted, [failed], UNSEEN, 15_000 + 120_000],
  ['an answer that was lost', lost, [failed], UNKNOWN, 15_000 + 120_000],
  ['another end', completed, [failed], UNSEEN, 15_000 + 120_000],
])('a turn has begun with %s or not, and none ends before', async (_what, message, reads, report, elapsedMs) => {
  expect(await follow(message, [completed, ...reads])).toMatchObject({ report, elapsedMs })
})

test.each([
  ['the same', completed, completed, true],
  ['another spelling', completed, spelledOtherwise, true],
  ['another pull request', completed, otherLink, false],
  ['another status', withoutLink, failed, false],
  ['a first link', withoutLink, completed, false],
  ['no link either time', withoutLink, withoutLink, true],
])('two readings show the same end or not: %s', (_name, a, b, expected) => {
  expect([isSameEnd(a, b), isSameEnd(b, a)]).toEqual([expected, expected])
})
