import { expect, test } from '@jest/globals'
import { listProblems } from './invariants.ts'
import { OLD_LINK } from './job-life.ts'
import { runSchedule } from './run-schedule.ts'
import { CALM, LONG_AGO, type Fate, type Happening, type Schedule, type TurnPlan } from './schedule.ts'

const WELL: Happening = { kind: 'answered', status: 200, body: 'good' }
const FOLLOW_UP: Schedule = { ...CALM, task: 'follow-up' }
const WITH_LINK: TurnPlan = { ...LONG_AGO, hasLink: true }
const FAILED: TurnPlan = { ...LONG_AGO, ending: 'failed' }
/** The usual follow-up: its turn goes on in the pull request of the turn before. */
const SAME_LINK: Schedule = { ...FOLLOW_UP, before: WITH_LINK, oursHasTheSameLink: true }
/** Its turn is over at once, and has changed nothing, so that its link is looked for. */
const LINKLESS: Schedule = { ...CALM, ours: LONG_AGO }

/** The same, and a link that is 5 s late. */
const LATE_LINK: Schedule = { ...CALM, ours: { ...LONG_AGO, hasLink: true, linkLateMs: 5_000 } }

const fate = (what: Happening, delayMs = 10, times = 1): Fate => ({ what, delayMs, times })
const broken = (how: Extract<Happening, { kind: 'broken' }>['how']): Happening => ({ kind: 'broken', how })
const refused = (status: number, seconds = 0): Happening => {
  return { kind: 'refusal', status, retryAfter: { seconds }, processed: false, body: 'error' }
}

const containing = (part: string): unknown => expect.stringContaining(part)
const without = (part: string): unknown => expect.not.stringContaining(part)

const PULL_REQUEST = { report: { outcome: 'pull-request' } }
const UNKNOWN_FATE = { report: { outcome: 'error', error: { code: 'unknown-fate' } } }
const ERROR = (code: string): object => ({ report: { outcome: 'error', error: { code } } })

/** From the step's beginning, in milliseconds. */
interface Ends {
  readonly after?: number
  readonly before?: number
}

/** On each of these a promise was broken once; with what must come of it now. */
const ONCE_BROKEN: Readonly<Record<string, readonly [schedule: Schedule, expected: object, ends?: Ends]>> = {
  'the late link of the turn before does not prove that a prompt of unknown fate was taken': [
    {
      ...FOLLOW_UP,
      wait: false,
      before: { ...WITH_LINK, linkLateMs: 3_000 },
      posts: [fate(broken('reset-before-read'))],
    },
    UNKNOWN_FATE,
  ],
  'the late link of the turn before is not taken for the end of the new turn': [
    { ...FOLLOW_UP, before: { ...WITH_LINK, linkLateMs: 5_000 }, staleMs: 15_000, messageAnswerIsStale: true },
    { ...PULL_REQUEST, outputs: { 'pr-link': without(OLD_LINK) } },
  ],
  'an answer to a follow-up that has no status does not count as having seen the turn': [
    {
      ...FOLLOW_UP,
      posts: [fate({ kind: 'answered', status: 200, body: 'no-status' })],
      staleMs: 200_000,
      messageAnswerIsStale: true,
    },
    { report: { outcome: 'unconfirmed' } },
  ],
  'a run cancelled while it looks up a prompt of unknown fate still says that the fate is unknown': [
    { ...FOLLOW_UP, cancelAtMs: 16_000, posts: [fate(broken('reset-after-read'))], staleMs: 900_000 },
    { report: { outcome: 'cancelled', error: { code: 'unknown-fate' } } },
  ],
  'a key that is refused while a prompt of unknown fate is looked up does not hide that fate': [
    { ...FOLLOW_UP, reads: [fate(WELL, 10, 6), fate(refused(401))], posts: [fate(broken('answer-cut-off'))] },
    UNKNOWN_FATE,
  ],
  'connections that are refused after rate limits are tried three times in all, and not until the deadline': [
    { ...CALM, posts: [fate(refused(429, 1), 10, 3), fate(broken('refused'), 10, 50)] },
    { report: { error: { code: 'unreachable' } }, service: { posts: { length: 4 } } },
  ],
  'a rate limit that outlasts the step while the link is looked for is no proof that nothing changed': [
    { ...LINKLESS, reads: [fate(refused(429, 2_000), 10, 99)] },
    { ...ERROR('rate-limited'), outputs: { status: 'completed' } },
    { before: 10_000 },
  ],
  'a rate limit that ends before the deadline is waited for while the link is looked for': [
    { ...LATE_LINK, reads: [fate(refused(429, 120), 10, 1)] },
    PULL_REQUEST,
    { after: 120_000, before: 140_000 },
  ],
  'a service that fails until the deadline while the link is looked for is no proof that nothing changed': [
    { ...LINKLESS, reads: [fate(refused(503), 10, 999)] },
    { report: { outcome: 'timed-out' }, outputs: { status: 'completed', changed: '' }, text: containing('has a pull') },
  ],
  'a link that comes while connections break is found': [
    { ...LATE_LINK, reads: [fate(broken('reset-after-read'), 10, 6)] },
    PULL_REQUEST,
  ],
  'a key that is refused while the link is looked for is no proof that nothing changed': [
    { ...LINKLESS, reads: [fate(refused(403))] },
    { ...ERROR('forbidden'), outputs: { status: 'completed', changed: '' } },
  ],
  'a link that comes after one 404 is found': [{ ...LATE_LINK, reads: [fate(refused(404))] }, PULL_REQUEST],
  'a turn before that ends only at the deadline leaves no time for the prompt, which is then not sent': [
    {
      ...FOLLOW_UP,
      timeoutMs: 60_000,
      before: { ...LONG_AGO, durationMs: 59_900 },
      reads: [fate(WELL, 10, 99)],
      pollIntervalMs: 120_000,
    },
    { report: { outcome: 'timed-out', error: { code: 'not-sent' } }, service: { posts: [] } },
  ],
  'a run cancelled after the job was completed does not say that the job still runs': [
    { ...LINKLESS, cancelAtMs: 1_000 },
    {
      report: { outcome: 'cancelled' },
      text: containing('The job completed'),
      advice: containing('job-id: job_1'),
    },
  ],
  'a run cancelled before anything was sent says what to do': [
    { ...CALM, cancelAtMs: 3, posts: [fate(broken('refused'), 60_000)] },
    { text: containing('before the service accepted the prompt'), advice: containing('') },
  ],
  'a key that is written as JSON in a text that the summary writes as HTML is taken out': [
    { ...CALM, plant: 'json' },
    { summary: containing('&#42;&#42;&#42;') },
  ],
  'seconds of the old link after an answer “active” are not the end of the turn': [
    { ...SAME_LINK, lagsMs: [0, 12_000, 3_000, 12_000] },
    { ...PULL_REQUEST, outputs: { changed: '', 'pr-operation': '' } },
    { after: 20_000 },
  ],
  'an unknown status in the answer, and after it the old end, do not pass for the turn': [
    { ...SAME_LINK, ours: { ...CALM.ours, pauses: true }, timeoutMs: 200_000, lagsMs: [12_000] },
    PULL_REQUEST,
  ],
  'a job that had failed, and then reads as completed before that, is not the end of the new turn': [
    { ...FOLLOW_UP, before: FAILED, hadEarlierTurn: true, lagsMs: [0, 0, 12_000, 0] },
    PULL_REQUEST,
    { after: 20_000 },
  ],
  'a copy that is behind the first read does not end the new turn with another end': [
    {
      ...FOLLOW_UP,
      before: FAILED,
      random: 0,
      hadEarlierTurn: true,
      messageAnswerIsStale: true,
      staleMs: 2_050,
      lagsMs: [100, 0, 9_950],
    },
    PULL_REQUEST,
  ],
  'the link of the turn before that comes late is not a pull request that this turn made': [
    { ...SAME_LINK, before: { ...WITH_LINK, linkLateMs: 1_000 } },
    { outputs: { 'pr-operation': without('created') } },
  ],
  'a stale read of a turn by another client that has just ended is not the beginning of the new turn': [
    {
      ...FOLLOW_UP,
      before: { ...LONG_AGO, beganMs: -13_000, durationMs: 10_000 },
      ours: { ...CALM.ours, durationMs: 120_000 },
      hadEarlierTurn: true,
      messageAnswerIsStale: true,
      staleMs: 60_000,
      lagsMs: [0, 12_000, 0],
    },
    PULL_REQUEST,
    { after: 120_000 },
  ],
  'an end that did not stand long enough for the deadline is not told as a job that still runs': [
    { ...SAME_LINK, timeoutMs: 40_000 },
    { report: { outcome: 'timed-out' }, text: without('still runs') },
  ],
}

test.each(Object.entries(ONCE_BROKEN))(
  '%s',
  async (_name, [schedule, expected, { after = 0, before = Infinity } = {}]) => {
    const trace = await runSchedule(schedule)
    expect(listProblems(trace)).toEqual([])
    expect(trace).toMatchObject(expected)
    expect(trace.endedAt).toBeGreaterThan(after)
    expect(trace.endedAt).toBeLessThan(before)
  },
)
