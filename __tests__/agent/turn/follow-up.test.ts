import { describe, expect, test } from '@jest/globals'
import { isSameEnd } from '../../../src/agent/turn/job-watch.ts'
import { createTurnEndDetector } from '../../../src/agent/turn/run-turn.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { Target } from '../../../src/agent/plan.ts'
import { UNLISTED_STATUS } from '../../../src/emulator/service/job-machine.ts'
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
import { fakeGitHub, resolveInOrder, PULL_REQUEST, pullCommits } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const otherLink = job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })
const same = completed
const sameInAnotherSpelling = job({
  status: 'completed',
  prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1#diff',
})
const failedThere = job({ status: 'failed', prLink: LINK })
const unlisted = job({ unlistedStatus: UNLISTED_STATUS })
const unknownDelivery = failure('unknown-fate')

/** Plays a follow-up with a response to its prompt, and the successive reads of its job. */
const follow = (
  message: Script['message'],
  reads: NonNullable<Script['reads']>,
  more: Partial<TurnRunOptions> = {},
): Promise<TurnRun> => playTurn({ task: FOLLOW_UP, ...(message && { message }), reads, ...more })

const NO_WAIT = { inputs: { wait: false } }
/** The pauses between the reads of a job that is idle from the first read until the prompt is sent. */
const IDLE_PAUSES_MS = [2_000, 2_500, 3_125, 3_906.25, 3_468.75]
const UNSENT = { error: { code: 'not-sent' } }
const UNKNOWN = { outcome: 'error', error: { code: 'unknown-fate' } }

test('reads the job, sends the prompt, writes the job id, and waits for the turn', async () => {
  const { report, client, accepted } = await follow(active, [completed, active, otherLink])
  expect(report).toMatchObject({ outcome: 'pull-request', progress: 'started', operation: 'created' })
  expect(client.calls).toEqual(['get', 'message', 'get', 'get'])
  expect(accepted).toMatchObject([{ sleepsBefore: IDLE_PAUSES_MS.length }])
})

test.each([
  ['the old end between two active reads', same, [same, active, same, same, active, failed], 'failed', 'started'],
  ['the old end in another spelling', active, [same, sameInAnotherSpelling, active, failed], 'failed', 'started'],
  [
    'the late link of the preceding turn',
    active,
    [withoutLink, completed, active, withoutLink],
    'no-changes',
    'started',
  ],
  [
    'another end before the turn is seen to start',
    failed,
    [failed, same, same, active, otherLink],
    'pull-request',
    'started',
  ],
  ['a response without a status', { ...active, isAssumed: true as const }, [same], 'unconfirmed', 'accepted'],
  ['an unknown status in a read', same, [same, unlisted, same], 'unconfirmed', 'accepted'],
  ['another pull request before the turn is seen to start', same, [same, otherLink], 'unconfirmed', 'accepted'],
])('does not mistake %s for the end of the turn', async (_name, message, reads, outcome, progress) => {
  expect((await follow(message, reads)).report).toMatchObject({ outcome, progress })
})

test('the outcome is unconfirmed if the turn is not seen within two minutes, or before the deadline', async () => {
  const { report, clock, elapsedMs } = await follow(completed, [completed])
  expect([report.outcome, elapsedMs]).toEqual(['unconfirmed', 15_000 + 120_000])
  expect(clock.sleeps.slice(0, 8)).toEqual([...IDLE_PAUSES_MS, 2_000, 2_500, 3_125])
  const short = await follow(completed, [completed], { inputs: { timeoutMs: 30_000 } })
  expect([short.report.outcome, short.elapsedMs]).toEqual(['unconfirmed', 30_000])
})

const MINUTE = { inputs: { timeoutMs: 60_000 } }

test.each<[string, Script['message'], (Job | Error)[], Partial<TurnRunOptions>, object]>([
  ['it does not end', active, [same, active], MINUTE, { outcome: 'timed-out', progress: 'started' }],
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
])('the report shows the progress of the turn if %s', async (_when, message, reads, more, known) => {
  expect((await follow(message, reads, more)).report).toMatchObject(known)
})

test.each<[string, (Job | Error)[], Partial<TurnRunOptions>, object]>([
  ['could not be read before the deadline', [failure('service-error')], MINUTE, { outcome: 'timed-out' }],
  ['is archived', [archived], {}, { outcome: 'archived', job: { status: 'archived' } }],
  ['is archived, with `wait: false`', [archived], NO_WAIT, { outcome: 'archived' }],
  ['is archived while it is busy', [active, archived], {}, { outcome: 'archived' }],
  ['stays busy until the deadline', [active], MINUTE, { outcome: 'timed-out', job: { status: 'active' } }],
])('does not send the prompt to a job that %s, and reports that', async (_what, reads, more, expected) => {
  const { report, client } = await follow(undefined, reads, more)
  expect(report).toMatchObject({ ...UNSENT, ...expected })
  expect(client.prompts).toEqual([])
})

test('sends the prompt to a busy job after its current turn, or immediately with `wait: false`', async () => {
  const { report, client } = await follow(active, [active, active, completed, active, otherLink])
  expect(report.job?.prLink).toEqual(otherLink.prLink)
  expect(JSON.stringify(report.timeline)).toContain('The job is busy.')
  expect(client.calls).toEqual(['get', 'get', 'get', 'message', 'get', 'get'])

  const unwaited = await follow(active, [active], NO_WAIT)
  expect([unwaited.report.outcome, unwaited.client.calls]).toEqual(['submitted', ['get', 'message']])
})

test.each<[string, (Job | Error)[], Partial<TurnRunOptions>, object]>([
  ['was accepted if its turn is seen', [same, same, active, otherLink], {}, { outcome: 'pull-request' }],
  [
    'is confirmed by its turn, even with `wait: false`',
    [same, active],
    NO_WAIT,
    { outcome: 'submitted', progress: 'started' },
  ],
  ['stays unknown if no turn is seen', [same], {}, UNKNOWN],
  ['stays unknown if the job is archived', [same, same, archived], {}, UNKNOWN],
  ['stays unknown if the job cannot be read', [same, failure('unauthorized')], {}, UNKNOWN],
  ['stays unknown if the job was busy before', [active], NO_WAIT, UNKNOWN],
])('a prompt with unknown delivery %s, and is not resent', async (_what, reads, more, expected) => {
  const { report, client } = await follow(unknownDelivery, reads, more)
  expect(report).toMatchObject(expected)
  expect(report.error).toEqual(expected === UNKNOWN ? unknownDelivery : undefined)
  expect(client.calls.filter((call) => call === 'message')).toHaveLength(1)
})

test('reports a prompt with unknown delivery as accepted if the run is cancelled after its turn was seen', async () => {
  const { report } = await follow(unknownDelivery, [same, same, active], { cancelAtSleep: 9 })
  expect(report).toMatchObject({ outcome: 'cancelled', progress: 'started', job: active })
})

test('fails immediately if the prompt is rejected', async () => {
  const { report, client } = await follow(failure('rejected'), [completed])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
  expect(client.calls).toEqual(['get', 'message'])
})

describe('an idle job', () => {
  /** Plays a follow-up to a job with these reads, each repeated. */
  const reading = (reads: readonly (readonly [times: number, read: Job])[], more: Partial<TurnRunOptions> = {}) =>
    follow(
      active,
      reads.flatMap(([times, read]) => Array<Job>(times).fill(read)),
      { namesEndsOnce: false, ...more },
    )
  /** How long after the start the prompt was sent, in milliseconds. */
  const getSentAfterMs = ({ client, clock }: TurnRun): number =>
    clock.sleeps.slice(0, client.calls.indexOf('message') - 1).reduce((sum, ms) => sum + ms, 0)

  test.each<[string, (readonly [times: number, read: Job])[], number]>([
    [
      'is the same from the first read',
      [
        [6, completed],
        [1, active],
        [9, completed],
      ],
      15_000,
    ],
    [
      'changes to another status',
      [
        [3, completed],
        [6, failedThere],
        [1, active],
        [9, failed],
      ],
      7_625 + 15_000,
    ],
    [
      'changes to another pull request',
      [
        [2, completed],
        [6, otherLink],
        [1, active],
        [9, failed],
      ],
      4_500 + 15_000,
    ],
  ])('gets the prompt when its terminal state has been stable for 15 s: the state %s', async (_how, reads, afterMs) => {
    expect(getSentAfterMs(await reading(reads))).toBe(afterMs)
  })

  test('gets the prompt after another turn that a read shows', async () => {
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

  test('does not get the prompt if its state cannot be stable for 15 s before the deadline', async () => {
    const { report, client, elapsedMs } = await reading([[9, completed]], { inputs: { timeoutMs: 15_000 } })
    expect(report).toMatchObject({ ...UNSENT, outcome: 'timed-out' })
    expect([client.prompts, elapsedMs]).toEqual([[], 0])
  })

  test('does not get the prompt if it is archived while the step waits', async () => {
    const { report, client } = await reading([
      [2, completed],
      [1, archived],
    ])
    expect([report.outcome, client.prompts]).toEqual(['archived', []])
  })
})

describe('before sending', () => {
  const ON_HOST = { serverUrl: 'https://git.example.com' }

  /** Plays a follow-up to a busy job. GitHub shows one head after the other, all by the agent. */
  function followBusy(
    heads: string,
    reads = [active, completed, completed, active, completed],
    timeoutMs = 3_600_000,
    more: Partial<TurnRunOptions> = {},
  ): Promise<TurnRun> {
    const shown = Array.from(heads, (digit): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) }))
    const github = fakeGitHub({
      readPullRequest: resolveInOrder(...shown),
      listPullRequestCommits: resolveInOrder(pullCommits(...Array.from('abcd', (digit) => ({ sha: commit(digit) })))),
    })
    return follow(active, reads, { facts: ON_HOST, inputs: { label: '', timeoutMs }, github, ...more })
  }

  // One read per request: the end of the busy turn, the read after the head is stable, and so on.
  const OTHER_PROMPT = [active, completed, active, completed, completed, active, completed]
  const OTHER_END = [active, completed, failedThere, failedThere, active, completed]

  test.each([
    { what: 'a stable head is read for 15 s', heads: 'aaaab', pauses: 3 },
    { what: 'a head that moves is read until it is stable for 15 s', heads: 'abbbbc', pauses: 4 },
    { what: 'stale reads in between restart the 15 s', heads: 'abaaabc', pauses: 5 },
    {
      what: 'its late commits do not count for this turn',
      heads: 'aabbbbbbbb',
      pauses: 5,
      operation: 'unchanged',
    },
    {
      what: 'the turn of another prompt is waited for',
      heads: 'aaaabbbbc',
      reads: OTHER_PROMPT,
      pauses: 3,
      sentAfter: 5,
    },
    {
      what: 'another end restarts the 15 s',
      heads: 'aaaabbbb',
      reads: OTHER_END,
      pauses: 6,
      sentAfter: 4,
      operation: 'unchanged',
    },
  ])(
    'after a turn that was waited for, $what',
    async ({ heads, reads, pauses, sentAfter = 3, operation = 'updated' }) => {
      const { report, client, clock } = await followBusy(heads, reads, undefined, { namesEndsOnce: false })
      expect(clock.sleeps.slice(0, pauses + 1)).toEqual([10_000, ...Array<number>(pauses).fill(5_000)])
      expect([client.calls.indexOf('message'), report.operation]).toEqual([sentAfter, operation])
    },
  )

  test('commits that the last read before the prompt shows do not count for this turn', async () => {
    const comment = { kind: 'untrusted' } as const
    const rolling = { pullRequest: PULL_REQUEST, jobId: 'job_1', comment, followUps: 0, isProven: true }
    const target = { kind: 'pull-request', rolling, reason: 'comment', ended: [] } as const
    const reads = [active, completed, completed, completed, active, completed]
    expect((await followBusy('aaaabbbb', reads, undefined, { target })).report.operation).toBe('unchanged')
  })

  const FIX_ROUND: Target = {
    kind: 'fix-round',
    address: PULL_REQUEST,
    examinedHead: commit('b'),
    failing: [],
    announcement: 'Round 1.',
    link: { href: LINK, host: 'git.example.com', repository: 'acme/docs', number: '7' },
    lastRead: { pullRequest: PULL_REQUEST, atMs: -Infinity },
  }

  test.each<[string, number, Partial<TurnRunOptions>]>([
    ['must be idle', 3, {}],
    ['is checked a last time', 6, { target: FIX_ROUND }],
  ])('a job whose end changes while it %s must have a stable head', async (_when, times, more) => {
    const reads = [...Array<Job>(times).fill(completed), failedThere]
    const { report } = await followBusy('ab', reads, undefined, { namesEndsOnce: false, ...more })
    expect([report.outcome, report.operation]).toEqual(['failed', undefined])
  })

  test('announces a fix round once, even if the service refuses its prompt first', async () => {
    const reads = [...Array<Job>(5).fill(completed), active, failedThere]
    const { client, log } = await followBusy('b', reads, undefined, { target: FIX_ROUND, isPutOff: true })
    expect([client.prompts.length, log.filter((line) => line === 'Round 1.').length]).toEqual([1, 1])
  })

  test('the head is unknown if the job no longer names its pull request', async () => {
    const stableReads = Array<Job>(1 + IDLE_PAUSES_MS.length).fill(failed)
    const reads = [active, completed, ...stableReads, active, withoutLink]
    const { report } = await followBusy('aaaabbbb', reads, undefined, { namesEndsOnce: false })
    expect([report.outcome, report.operation]).toEqual(['no-changes', undefined])
  })

  test('the head is unknown if it cannot be stable before the deadline', async () => {
    const { report, client } = await followBusy('abcdef', [active, completed, active], 34_000)
    expect([client.prompts.length, report.operation]).toEqual([1, undefined])
  })

  test('does not send the prompt if the job is archived before its head is stable', async () => {
    const { report, client } = await followBusy('a', [active, completed, archived], undefined, {
      namesEndsOnce: false,
    })
    expect(report).toMatchObject({ outcome: 'archived', ...UNSENT })
    expect(client.prompts).toEqual([])
  })
})

describe('a prompt that the service has refused without processing it', () => {
  test.each<[string, Job[], Partial<TurnRunOptions>]>([
    ['is archived while it is busy', [active, archived], NO_WAIT],
    ['is archived', [completed, archived], {}],
  ])('is not resent to a job that %s', async (_what, reads, more) => {
    const { report, client } = await follow(active, reads, { isPutOff: true, ...more })
    expect(report).toMatchObject({ outcome: 'archived', progress: 'unsent', ...UNSENT })
    expect(client.prompts).toEqual([])
  })

  test('is resent once, after the turn that another prompt has started in the meantime', async () => {
    const reads = [completed, active, failedThere, failedThere, active, completed]
    const { report, client, log } = await follow(active, reads, { isPutOff: true })
    expect(report).toMatchObject({ outcome: 'pull-request', progress: 'started' })
    expect(client.prompts).toHaveLength(1)
    expect(client.calls).toEqual(['get', 'get', 'get', 'get', 'message', 'get', 'get'])
    expect(log.join('\n')).toContain('The job is busy.')
  })

  test('is not resent if the turn of another prompt does not end before the deadline', async () => {
    const { report, client } = await follow(active, [completed, active], { isPutOff: true, ...MINUTE })
    expect(report).toMatchObject({ outcome: 'timed-out', progress: 'unsent', ...UNSENT })
    expect(client.prompts).toEqual([])
  })

  test('counts as not sent if the run is cancelled while the step waits for the turn of another prompt', async () => {
    const { report, client } = await follow(active, [completed, active], { isPutOff: true, cancelAtSleep: 8 })
    expect(report).toMatchObject({ outcome: 'cancelled', progress: 'unsent' })
    expect(client.prompts).toEqual([])
  })

  test('is not resent to a job that changes each time', async () => {
    const restless = [completed, active, failedThere, active, completed, active, failedThere, active]
    const { report, client } = await follow(active, restless, { isPutOff: true })
    expect(report).toMatchObject({ outcome: 'error', progress: 'unsent', ...UNSENT })
    expect(report.error?.message).toBe('The job changed each time before the prompt could be sent.')
    expect(client.prompts).toEqual([])
  })
})

describe('an end without a link', () => {
  const UNLINKED = [completed, active, ...Array<Job>(4).fill(withoutLink)]

  test.each<[string, Job[], string]>([
    ['a stale end after an active read does not count', [active, completed, active, withoutLink], 'no-changes'],
    ['the turn has failed', [failed], 'failed'],
    ['the job is archived', [archived], 'archived'],
  ])('does not count if a later read contradicts it: %s', async (_what, reads, outcome) => {
    const { report } = await follow(active, [...UNLINKED, ...reads])
    expect(report).toMatchObject({ outcome, progress: 'started' })
  })
})

const READS: Readonly<Record<string, Job>> = { active, completed, failed, unlisted }

/**
 * Whether a turn has ended whose prompt got its response at 0 s.
 * @param reads such as `4 active, 15.5 completed`, each with its time in seconds
 */
function hasEnded(before: Job, reads: string): boolean | undefined {
  const isEnd = createTurnEndDetector(before, 0, false)
  const ends = reads.split(', ').map((read) => {
    const [seconds, name = ''] = read.split(' ')
    return isEnd(READS[name] ?? active, Number(seconds) * 1_000)
  })
  return ends.at(-1)
}

test.each<[string, Job, string, boolean]>([
  ['another end after an active read', failed, '2 active, 15 completed', true],
  ['another end that may be older than the prompt', failed, '2 active, 14.9 completed', false],
  ['another end after an active response', failed, '2 completed', false],
  ['another end 15 s after an active response, without an active read', failed, '16 completed', false],
  ['another end after a read with an unknown status', failed, '2 unlisted, 16 completed', false],
  ['another end that has been stable for 15 s, without an active read', failed, '2 completed, 17 completed', true],
  ['the same end for less than 15 s', completed, '2 active, 4 completed, 18.9 completed', false],
  ['the same end for 15 s', completed, '2 active, 4 completed, 19 completed', true],
  [
    'the same end, interrupted by an active read',
    completed,
    '4 completed, 12 active, 13 completed, 20 completed',
    false,
  ],
  ['the same end, interrupted by an unknown status', completed, '4 completed, 12 unlisted, 20 completed', false],
  ['an unknown status, however long it is stable', completed, '2 active, 4 unlisted, 60 unlisted', false],
  ['two alternating ends', failed, '4 failed, 12 completed, 20 failed', false],
])('detects whether a turn has ended: %s', (_name, before, reads, expected) => {
  expect(hasEnded(before, reads)).toBe(expected)
})

const SEEN = { outcome: 'failed', progress: 'started' }
const UNSEEN = { outcome: 'unconfirmed', progress: 'accepted' }

test.each<[string, Script['message'], Job[], object, number]>([
  ['an active response', active, [failed], SEEN, 15_000 + 29_414.0625],
  ['an active read', completed, [active, failed], SEEN, 15_000 + 17_625],
  ['a response with another status', unlisted, [failed], UNSEEN, 15_000 + 120_000],
  ['a response that was lost', unknownDelivery, [failed], UNKNOWN, 15_000 + 120_000],
  ['another end', completed, [failed], UNSEEN, 15_000 + 120_000],
])(
  'detects whether a turn has started, and no end counts before that: %s',
  async (_what, message, reads, report, elapsedMs) => {
    expect(await follow(message, [completed, ...reads])).toMatchObject({ report, elapsedMs })
  },
)

test.each([
  ['the same', completed, completed, true],
  ['another spelling', completed, sameInAnotherSpelling, true],
  ['another pull request', completed, otherLink, false],
  ['another status', withoutLink, failed, false],
  ['a first link', withoutLink, completed, false],
  ['no link either time', withoutLink, withoutLink, true],
])('compares the ends that two reads show: %s', (_name, a, b, expected) => {
  expect([isSameEnd(a, b), isSameEnd(b, a)]).toEqual([expected, expected])
})
