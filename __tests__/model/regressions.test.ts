import { expect, test } from '@jest/globals'
import { CALM, GITHUB, LONG_AGO } from './calm-schedule.ts'
import { problemsOf } from './invariants.ts'
import { NEW_LINK, OLD_LINK } from './job-life.ts'
import { KEY } from './planted-key.ts'
import { runSchedule } from './run-schedule.ts'
import { SPELLINGS, type Fate, type GitHubFate, type Happening, type Schedule, type TurnPlan } from './schedule.ts'

/** Schedules on which a promise was broken once. Each stays here, with what must come of it now. */
const WELL: Happening = { kind: 'answered', status: 200, body: 'good' }
const FOLLOW_UP: Schedule = { ...CALM, task: 'follow-up' }

const WITH_LINK: TurnPlan = { ...LONG_AGO, hasLink: true }
/** The usual follow-up: its turn goes on in the pull request of the turn before. */
const SAME_LINK: Schedule = { ...FOLLOW_UP, before: WITH_LINK, oursHasTheSameLink: true }
const hang: GitHubFate = { how: 'hang', delayMs: 50, times: 1 }

const fate = (what: Happening, delayMs = 10, times = 1): Fate => ({ what, delayMs, times })
const broken = (how: Extract<Happening, { kind: 'broken' }>['how']): Happening => ({ kind: 'broken', how })
const limited = (seconds: number): Happening => ({
  kind: 'refusal',
  status: 429,
  retryAfter: { seconds },
  processed: false,
  body: 'error',
})

async function run(schedule: Schedule): ReturnType<typeof runSchedule> {
  const trace = await runSchedule(schedule)
  expect(problemsOf(trace)).toEqual([])
  return trace
}

test('a calm run ends with the pull request', async () => {
  const { report, outputs, conclusion } = await run(CALM)
  expect(report.outcome).toBe('pull-request')
  expect(outputs['pr-link']).toBe(NEW_LINK)
  expect(conclusion.isGreen).toBe(true)
})

test('the late link of the turn before does not prove that a prompt of unknown fate was taken', async () => {
  const { report } = await run({
    ...FOLLOW_UP,
    wait: false,
    before: { ...LONG_AGO, hasLink: true, linkLateMs: 3_000 },
    posts: [fate(broken('reset-before-read'))],
  })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
})

test('the late link of the turn before is not taken for the end of the new turn', async () => {
  const { report, outputs } = await run({
    ...FOLLOW_UP,
    before: { ...LONG_AGO, hasLink: true, linkLateMs: 5_000 },
    staleMs: 15_000,
    messageAnswerIsStale: true,
  })
  expect(report.outcome).toBe('pull-request')
  expect(outputs['pr-link']).not.toBe(OLD_LINK)
})

test('an answer to a follow-up that has no status does not count as having seen the turn', async () => {
  const { report } = await run({
    ...FOLLOW_UP,
    posts: [fate({ kind: 'answered', status: 200, body: 'no-status' })],
    staleMs: 200_000,
    messageAnswerIsStale: true,
  })
  expect(report.outcome).toBe('unconfirmed')
})

test('a run cancelled while it looks up a prompt of unknown fate still says that the fate is unknown', async () => {
  const { report } = await run({
    ...FOLLOW_UP,
    cancelAtMs: 1_000,
    posts: [fate(broken('reset-after-read'))],
    staleMs: 9e5,
  })
  expect(report).toMatchObject({ outcome: 'cancelled', error: { code: 'unknown-fate' } })
})

test('a key that is refused while a prompt of unknown fate is looked up does not hide that fate', async () => {
  const refused: Happening = { kind: 'refusal', status: 401, retryAfter: 'none', processed: false, body: 'error' }
  const { report } = await run({
    ...FOLLOW_UP,
    reads: [fate(WELL), fate(refused)],
    posts: [fate(broken('answer-cut-off'))],
  })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
})

test('connections that are refused after rate limits are tried three times in all, and not until the deadline', async () => {
  const { report, service } = await run({
    ...CALM,
    posts: [fate(limited(1), 10, 3), fate(broken('refused'), 10, 50)],
  })
  expect(report.error?.code).toBe('unreachable')
  expect(service.posts).toHaveLength(4)
})

test('a rate limit while the link is looked for does not take back that the turn is completed', async () => {
  const ours = { ...CALM.ours, durationMs: 0, hasLink: false }
  const { report, endedAt } = await run({ ...CALM, ours, reads: [fate(limited(2_000), 10, 99)] })
  expect(report.outcome).toBe('no-changes')
  expect(endedAt).toBeLessThan(10_000)
})

test('a rate limit while the link is looked for does not hold the step up for longer than the looking may take', async () => {
  const ours = { ...CALM.ours, durationMs: 0, hasLink: false }
  const { report, endedAt } = await run({ ...CALM, ours, reads: [fate(limited(120), 10, 99)] })
  expect(report.outcome).toBe('no-changes')
  expect(endedAt).toBeLessThan(10_000)
})

test('a key that is refused while the link is looked for does not take back that the turn is completed', async () => {
  const refused: Happening = { kind: 'refusal', status: 403, retryAfter: 'none', processed: false, body: 'error' }
  const { report } = await run({
    ...CALM,
    ours: { ...CALM.ours, durationMs: 0, hasLink: false },
    reads: [fate(refused)],
  })
  expect(report.outcome).toBe('no-changes')
})

test('a turn before that ends only at the deadline leaves no time for the prompt, which is then not sent', async () => {
  const { report, service } = await run({
    ...FOLLOW_UP,
    timeoutMs: 60_000,
    before: { ...LONG_AGO, durationMs: 59_900 },
    reads: [fate(WELL, 10, 99)],
    pollIntervalMs: 120_000,
  })
  expect(report).toMatchObject({ outcome: 'timed-out', error: { code: 'not-sent' } })
  expect(service.posts).toEqual([])
})

test('a run cancelled after the job was completed does not say that the job still runs', async () => {
  const ours = { ...CALM.ours, durationMs: 0, hasLink: false }
  const { report, conclusion } = await run({ ...CALM, ours, cancelAtMs: 1_000 })
  expect(report.outcome).toBe('cancelled')
  expect(conclusion.text).toContain('The job is completed')
  expect(conclusion.advice).toContain('job-id: job_1')
})

test('a run cancelled before anything was sent says what to do', async () => {
  const { conclusion } = await run({ ...CALM, cancelAtMs: 3, posts: [fate(broken('refused'), 60_000)] })
  expect(conclusion.text).toContain('before the service had taken the prompt')
  expect(conclusion.advice).toBeDefined()
})

test('a key in the name of the model is taken out before the name is cut', async () => {
  const { outputs } = await run({ ...CALM, plant: 'raw', padding: 180 })
  expect(outputs['model']).toContain('***')
  expect(outputs['model']).not.toContain(KEY.slice(0, 6))
})

test('a key in the prompt is taken out before the summary cuts the prompt', async () => {
  const { summary } = await run({ ...CALM, promptHoldsKey: true })
  expect(summary).not.toContain(KEY.slice(0, 6))
})

test('a key that is written as JSON in a text that the summary writes as HTML is taken out', async () => {
  const { summary } = await run({ ...CALM, plant: 'json' })
  expect(summary).toContain('&#42;&#42;&#42;')
})

test.each(SPELLINGS)(
  'seconds of the old link after an answer “active” are not the end of the turn, spelled with: %s',
  async (spelling) => {
    const { report, outputs, endedAt } = await run({
      ...SAME_LINK,
      oursSpelling: spelling,
      lagsMs: [0, 12_000, 3_000, 12_000],
    })
    expect(report.outcome).toBe('pull-request')
    expect(outputs).toMatchObject({ changed: '', 'pr-operation': '' })
    expect(endedAt).toBeGreaterThan(20_000)
  },
)

test('an unknown status in the answer, and after it the old end, do not pass for the turn', async () => {
  const ours = { ...CALM.ours, pauses: true }
  const { report } = await run({ ...SAME_LINK, ours, timeoutMs: 200_000, staleMs: 0, lagsMs: [12_000] })
  expect(report.outcome).toBe('pull-request')
})

test('a job that had failed, and then reads as completed before that, is not the end of the new turn', async () => {
  const before: TurnPlan = { ...LONG_AGO, ending: 'failed' }
  const { report, endedAt } = await run({ ...FOLLOW_UP, before, hadEarlierTurn: true, lagsMs: [0, 0, 12_000, 0] })
  expect(report.outcome).toBe('pull-request')
  expect(endedAt).toBeGreaterThan(20_000)
})

test('a copy that is behind the first read does not end the new turn with another end', async () => {
  const before: TurnPlan = { ...LONG_AGO, ending: 'failed' }
  const { report } = await run({
    ...FOLLOW_UP,
    before,
    random: 0,
    hadEarlierTurn: true,
    messageAnswerIsStale: true,
    staleMs: 2_050,
    lagsMs: [100, 0, 9_950],
  })
  expect(report.outcome).toBe('pull-request')
})

test('the link of the turn before that comes late is not a pull request that this turn made', async () => {
  const { outputs } = await run({ ...SAME_LINK, before: { ...WITH_LINK, linkLateMs: 1_000 } })
  expect(outputs['pr-operation']).not.toBe('created')
})

test('an end that did not stand long enough for the deadline is not told as a job that still runs', async () => {
  const { report, conclusion } = await run({ ...SAME_LINK, timeoutMs: 25_000 })
  expect(report.outcome).toBe('timed-out')
  expect(conclusion.text).not.toContain('still runs')
})

test('a GitHub that hangs when it is asked for the head does not keep the prompt from being sent', async () => {
  const { report } = await run({ ...SAME_LINK, github: { ...GITHUB, fates: [hang] } })
  expect(report.outcome).toBe('pull-request')
})

test('a GitHub that hangs while the turn is watched does not take the time of the job', async () => {
  const fates: GitHubFate[] = [{ ...hang, how: 'well' }, hang]
  const { report } = await run({ ...SAME_LINK, lagsMs: [0, 12_000], github: { ...GITHUB, fates } })
  expect(report.outcome).toBe('pull-request')
})

test('a head that moved says that the pull request was updated, and one that did not that nothing changed', async () => {
  const moved = await run({ ...SAME_LINK, github: { ...GITHUB, headLagMs: 8_000 } })
  expect(moved.outputs).toMatchObject({ outcome: 'pull-request', changed: 'true', 'pr-operation': 'updated' })
  const same = await run({ ...SAME_LINK, github: { ...GITHUB, oursPushes: false } })
  expect(same.outputs).toMatchObject({ outcome: 'no-changes', changed: 'false', 'pr-operation': 'unchanged' })
})

test('a comment whose answer was lost is not written twice, and the job keeps its result', async () => {
  const asks = { ...CALM.asks, label: true }
  const fates: GitHubFate[] = [
    { ...hang, how: 'well', times: 3 },
    { ...hang, how: 'lost' },
  ]
  const { report, github } = await run({ ...CALM, asks, github: { ...GITHUB, fates } })
  expect(report.outcome).toBe('pull-request')
  expect(github?.writes.map(({ what }) => what)).toEqual(['label', 'comment'])
})

test('a commit that somebody else pushes does not prove that a prompt of unknown fate was taken', async () => {
  const { report } = await run({
    ...SAME_LINK,
    posts: [fate({ kind: 'refusal', status: 500, retryAfter: 'none', processed: false, body: 'error' })],
    github: { ...GITHUB, personPushesAtMs: 30_000 },
  })
  expect(report.error?.code).toBe('unknown-fate')
})
