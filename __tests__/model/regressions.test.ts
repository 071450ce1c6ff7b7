import { expect, test } from '@jest/globals'
import { listProblems } from './invariants.ts'
import { OLD_LINK } from './job-life.ts'
import { runSchedule } from './run-schedule.ts'
import { CALM, LONG_AGO, type RequestPlan, type RequestResult, type Schedule, type TurnPlan } from './schedule.ts'

const SUCCESS: RequestResult = { kind: 'success', status: 200, body: 'good' }
const FOLLOW_UP: Schedule = { ...CALM, task: 'follow-up' }
const WITH_LINK: TurnPlan = { ...LONG_AGO, hasLink: true }
const FAILED: TurnPlan = { ...LONG_AGO, ending: 'failed' }
/** A typical follow-up, whose turn pushes to the pull request of the preceding turn. */
const SAME_LINK: Schedule = { ...FOLLOW_UP, precedingTurn: WITH_LINK, hasSameLink: true }
/** The turn ends immediately without changes, so the step looks for a link. */
const LINKLESS: Schedule = { ...CALM, ownTurn: LONG_AGO }

/** The turn ends immediately, and its link is 5 s late. */
const LATE_LINK: Schedule = { ...CALM, ownTurn: { ...LONG_AGO, hasLink: true, linkDelayMs: 5_000 } }

const request = (result: RequestResult, delayMs = 10, times = 1): RequestPlan => ({ result, delayMs, times })
const broken = (how: Extract<RequestResult, { kind: 'broken' }>['how']): RequestResult => ({ kind: 'broken', how })
const error = (status: number, seconds = 0): RequestResult => {
  return { kind: 'error', status, retryAfter: { seconds }, processed: false, body: 'error' }
}

const containing = (part: string): unknown => expect.stringContaining(part)
const without = (part: string): unknown => expect.not.stringContaining(part)

const PULL_REQUEST = { report: { outcome: 'pull-request' } }
const UNKNOWN_DELIVERY = { report: { outcome: 'error', error: { code: 'maybe-sent' } } }
const ERROR = (code: string): object => ({ report: { outcome: 'error', error: { code } } })

/** When the step must end, in milliseconds from its start. */
interface EndRange {
  readonly after?: number
  readonly before?: number
}

/** Schedules that once violated an invariant, and the expected results. */
const REGRESSIONS: Readonly<Record<string, readonly [schedule: Schedule, expected: object, ends?: EndRange]>> = {
  'does not confirm a prompt with unknown delivery by the late link of the preceding turn': [
    {
      ...FOLLOW_UP,
      wait: false,
      precedingTurn: { ...WITH_LINK, linkDelayMs: 3_000 },
      posts: [request(broken('reset-before-read'))],
    },
    UNKNOWN_DELIVERY,
  ],
  'does not treat the late link of the preceding turn as the end of its own turn': [
    {
      ...FOLLOW_UP,
      precedingTurn: { ...WITH_LINK, linkDelayMs: 5_000 },
      staleMs: 15_000,
      isMessageResponseStale: true,
    },
    { ...PULL_REQUEST, outputs: { 'pr-link': without(OLD_LINK) } },
  ],
  'does not confirm its own turn by a response without status': [
    {
      ...FOLLOW_UP,
      posts: [request({ kind: 'success', status: 200, body: 'no-status' })],
      staleMs: 200_000,
      isMessageResponseStale: true,
    },
    { report: { outcome: 'unconfirmed' } },
  ],
  'reports unknown delivery if it is cancelled while it looks up the prompt': [
    { ...FOLLOW_UP, cancelAtMs: 16_000, posts: [request(broken('reset-after-read'))], staleMs: 900_000 },
    { report: { outcome: 'cancelled', error: { code: 'maybe-sent' } } },
  ],
  'reports unknown delivery if the key is rejected while it looks up the prompt': [
    {
      ...FOLLOW_UP,
      reads: [request(SUCCESS, 10, 7), request(error(401), 10, 99)],
      posts: [request(broken('response-cut-off'))],
    },
    UNKNOWN_DELIVERY,
  ],
  'stops after a minute of refused connections that follow rate limits': [
    { ...CALM, posts: [request(error(429, 1), 10, 3), request(broken('refused'), 10, 50)] },
    { report: { error: { code: 'unreachable' } } },
    { after: 60_000, before: 120_000 },
  ],
  'sends the prompt after connections were refused for 50 s': [
    { ...CALM, posts: [request(broken('refused'), 10, 8)] },
    PULL_REQUEST,
  ],
  'waits for the job although single reads are refused': [
    {
      ...CALM,
      reads: [401, 403, 302, 400, 409, 404].flatMap((status) => [request(SUCCESS), request(error(status), 10, 2)]),
    },
    PULL_REQUEST,
  ],
  'stops if all reads after the first one are refused': [
    { ...CALM, reads: [request(SUCCESS), request(error(403), 10, 99)] },
    { ...ERROR('forbidden'), text: containing('still runs') },
    { after: 20_000, before: 60_000 },
  ],
  'reads the job every minute if a failed service asks for a longer wait': [
    { ...CALM, reads: [request(error(503, 90_000), 10, 2)] },
    PULL_REQUEST,
    { before: 140_000 },
  ],
  'does not report `no-changes` if a rate limit lasts past the deadline while it looks for the link': [
    { ...LINKLESS, reads: [request(error(429, 2_000), 10, 99)] },
    { ...ERROR('rate-limited'), outputs: { status: 'completed' } },
    { before: 10_000 },
  ],
  'waits for the end of a rate limit while it looks for the link': [
    { ...LATE_LINK, reads: [request(error(429, 120), 10, 1)] },
    PULL_REQUEST,
    { after: 120_000, before: 140_000 },
  ],
  'does not report `no-changes` if the service fails until the deadline while it looks for the link': [
    { ...LINKLESS, reads: [request(error(503), 10, 999)] },
    { report: { outcome: 'timed-out' }, outputs: { status: 'completed', changed: '' }, text: containing('has a pull') },
  ],
  'finds a link that is filled while connections break': [
    { ...LATE_LINK, reads: [request(broken('reset-after-read'), 10, 6)] },
    PULL_REQUEST,
  ],
  'does not report `no-changes` if the key is rejected while it looks for the link': [
    { ...LINKLESS, reads: [request(error(403))] },
    { ...ERROR('forbidden'), outputs: { status: 'completed', changed: '' } },
  ],
  'finds a link after one 404': [{ ...LATE_LINK, reads: [request(error(404))] }, PULL_REQUEST],
  'does not send the prompt if the preceding turn ends only at the deadline': [
    {
      ...FOLLOW_UP,
      timeoutMs: 60_000,
      precedingTurn: { ...LONG_AGO, durationMs: 59_900 },
      reads: [request(SUCCESS, 10, 99)],
      pollIntervalMs: 120_000,
    },
    { report: { outcome: 'timed-out', error: { code: 'deadline' } }, service: { posts: [] } },
  ],
  'does not read the job again if the read before the prompt has failed at the deadline': [
    {
      ...FOLLOW_UP,
      wait: false,
      timeoutMs: 600,
      random: 0,
      reads: [request(error(408, 90), 1), request(SUCCESS, 1), request(error(301), 1_000, 2)],
    },
    { report: { outcome: 'timed-out' }, service: { posts: [] } },
    { before: 2_000 },
  ],
  'does not confirm a prompt with unknown delivery by the archiving of the job': [
    {
      ...FOLLOW_UP,
      precedingTurn: WITH_LINK,
      posts: [request(broken('reset-before-read'))],
      archivedAtMs: 30_000,
    },
    UNKNOWN_DELIVERY,
  ],
  'does not confirm a prompt with unknown delivery by the late end of an earlier turn': [
    {
      ...FOLLOW_UP,
      wait: false,
      precedingTurn: FAILED,
      hadEarlierTurn: true,
      lagsMs: [26],
      posts: [request(broken('reset-before-read'))],
    },
    UNKNOWN_DELIVERY,
  ],
  'does not say that the job still runs if it is cancelled after the job completed': [
    { ...LINKLESS, cancelAtMs: 1_000 },
    {
      report: { outcome: 'cancelled' },
      text: containing('The job completed'),
      advice: containing('job-id: job_1'),
    },
  ],
  'says what to do if it is cancelled before it sent the prompt': [
    { ...CALM, cancelAtMs: 3, posts: [request(broken('refused'), 60_000)] },
    { text: containing('before the service accepted the prompt'), advice: containing('') },
  ],
  'redacts a JSON-encoded key in the HTML of the summary': [
    { ...CALM, plant: 'json' },
    { summary: containing('&#42;&#42;&#42;') },
  ],
  'does not treat stale reads of the old link after `active` as the end of its turn': [
    { ...SAME_LINK, lagsMs: [0, 12_000, 3_000, 12_000] },
    { ...PULL_REQUEST, outputs: { changed: '', 'pull_request.operation': '' } },
    { after: 20_000 },
  ],
  'does not treat an unlisted status and then a stale end as its own turn': [
    { ...SAME_LINK, ownTurn: { ...CALM.ownTurn, pauses: true }, timeoutMs: 200_000, lagsMs: [12_000] },
    PULL_REQUEST,
  ],
  'does not treat a stale `completed` from before a failed turn as the end of its own turn': [
    { ...FOLLOW_UP, precedingTurn: FAILED, hadEarlierTurn: true, lagsMs: [0, 0, 12_000, 0] },
    PULL_REQUEST,
    { after: 20_000 },
  ],
  'does not end its turn with an older end from a replica that lags behind the first read': [
    {
      ...FOLLOW_UP,
      precedingTurn: FAILED,
      random: 0,
      hadEarlierTurn: true,
      isMessageResponseStale: true,
      staleMs: 2_050,
      lagsMs: [100, 0, 9_950],
    },
    PULL_REQUEST,
  ],
  'does not report `created` for the late link of the preceding turn': [
    { ...SAME_LINK, precedingTurn: { ...WITH_LINK, linkDelayMs: 1_000 } },
    { outputs: { 'pull_request.operation': without('created') } },
  ],
  "does not treat a stale read of another client's turn as the start of its own turn": [
    {
      ...FOLLOW_UP,
      precedingTurn: { ...LONG_AGO, beganMs: -13_000, durationMs: 10_000 },
      ownTurn: { ...CALM.ownTurn, durationMs: 120_000 },
      hadEarlierTurn: true,
      isMessageResponseStale: true,
      staleMs: 60_000,
      lagsMs: [0, 12_000, 0],
    },
    PULL_REQUEST,
    { after: 120_000 },
  ],
  'does not say that the job still runs if the end was not proved before the deadline': [
    { ...SAME_LINK, ownTurn: { ...CALM.ownTurn, durationMs: 5_000 }, timeoutMs: 28_000 },
    { report: { outcome: 'timed-out' }, text: without('still runs') },
  ],
}

test.each(Object.entries(REGRESSIONS))(
  '%s',
  async (_name, [schedule, expected, { after = 0, before = Infinity } = {}]) => {
    const trace = await runSchedule(schedule)
    expect(listProblems(trace)).toEqual([])
    expect(trace).toMatchObject(expected)
    expect(trace.endedAt).toBeGreaterThan(after)
    expect(trace.endedAt).toBeLessThan(before)
  },
)
