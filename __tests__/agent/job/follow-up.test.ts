import { expect, test } from '@jest/globals'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job, withoutLink } from '../../support/fake-client.ts'

const otherLink = job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/8' })

const same = completed
const spelledOtherwise = job({ status: 'completed', prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1#diff' })
const unlisted = job({ unlistedStatus: 'paused' })
/** Enough reads for an end to stand 15 s. */
const standing = (end: Job): Job[] => Array<Job>(8).fill(end)

test('reads the job, sends the prompt, and waits for the turn', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [completed, active, otherLink],
  })

  expect(report).toMatchObject({ outcome: 'pull-request', progress: 'seen', operation: 'created' })
  expect(client.calls).toEqual(['get', 'message', 'get', 'get'])
})

test.each<[string, { message: Job; reads: Job[] }, string]>([
  [
    'the answer says active, then the old end for some seconds, then active',
    { message: active, reads: [same, same, same, active, failed] },
    'failed',
  ],
  [
    'a read says active once, then the old end, then active again',
    { message: same, reads: [same, active, same, same, active, failed] },
    'failed',
  ],
  ['the old end in another spelling', { message: active, reads: [same, spelledOtherwise, active, failed] }, 'failed'],
  [
    'the late link of the turn before',
    { message: active, reads: [withoutLink, completed, active, withoutLink] },
    'no-changes',
  ],
  [
    'an end that nobody saw begin, though it differs',
    { message: failed, reads: [failed, same, same, active, otherLink] },
    'pull-request',
  ],
])('is not deceived by %s', async (_name, script, outcome) => {
  const { report } = await runScripted({ task: FOLLOW_UP, ...script })

  expect(report).toMatchObject({ outcome, progress: 'seen' })
})

test.each<[string, { message: Job; reads: Job[] }]>([
  ['an unknown status in the answer', { message: unlisted, reads: [same] }],
  ['an answer that tells nothing but the id', { message: { ...active, isAssumed: true }, reads: [same] }],
  ['an unknown status in a read', { message: same, reads: [same, unlisted, same] }],
  ['failed before, and then an old `completed`', { message: failed, reads: [failed, same] }],
  ['another pull request that nobody saw come', { message: same, reads: [same, otherLink] }],
])('%s is no proof that the turn began', async (_name, script) => {
  const { report } = await runScripted({ task: FOLLOW_UP, ...script })

  expect(report).toMatchObject({ outcome: 'unconfirmed', progress: 'taken' })
})

test('an end that looks like the one before is believed once it has stood for 15 s', async () => {
  const { report, clock } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [same, active, ...standing(same)],
  })

  expect(report.outcome).toBe('pull-request')
  expect(clock.sleeps.slice(2).reduce((sum, ms) => sum + ms)).toBeGreaterThanOrEqual(15_000)
})

test('a turn that has begun and does not end before the deadline is timed out', async () => {
  const { report } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [same, active],
    inputs: { timeoutMs: 60_000 },
  })

  expect(report).toMatchObject({ outcome: 'timed-out', progress: 'seen' })
})

test('a turn that was never seen is unconfirmed, after two minutes of looking every two to five seconds', async () => {
  const { report, clock, elapsedMs } = await runScripted({ task: FOLLOW_UP, message: completed, reads: [completed] })

  expect(report.outcome).toBe('unconfirmed')
  expect(elapsedMs).toBe(120_000)
  expect(clock.sleeps.slice(0, 3)).toEqual([2_000, 2_500, 3_125])
})

test('the deadline ends the looking for the turn', async () => {
  const { report, elapsedMs } = await runScripted({
    task: FOLLOW_UP,
    message: completed,
    reads: [completed],
    inputs: { timeoutMs: 30_000 },
  })

  expect(report.outcome).toBe('unconfirmed')
  expect(elapsedMs).toBe(30_000)
})

test('a step that ends before the turn was seen knows that it was taken', async () => {
  const answers = { task: FOLLOW_UP, message: completed }
  const cancelled = await runScripted({ ...answers, reads: [completed], cancelAtSleep: 1 })
  const refused = await runScripted({ ...answers, reads: [completed, failure('unauthorized')] })
  const seen = await runScripted({ ...answers, reads: [completed, active, failure('unauthorized')] })

  expect(cancelled.report).toMatchObject({ outcome: 'cancelled', progress: 'taken', job: completed })
  expect(refused.report).toMatchObject({ outcome: 'error', progress: 'taken', job: completed })
  expect(seen.report).toMatchObject({ outcome: 'error', progress: 'seen', job: active })
})

test('a job that could not be read before the deadline is sent nothing, and the step says so', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    reads: [failure('service-error')],
    inputs: { timeoutMs: 30_000 },
  })

  expect(report).toMatchObject({ outcome: 'timed-out', error: { code: 'not-sent' } })
  expect(client.prompts).toEqual([])
})

test('an archived job is sent nothing', async () => {
  const { report, client } = await runScripted({ task: FOLLOW_UP, reads: [archived] })

  expect(report).toMatchObject({ outcome: 'archived', error: { code: 'not-sent' }, job: { status: 'archived' } })
  expect(client.calls).toEqual(['get'])
})

test('a busy job is sent the prompt only when its present turn has ended', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [active, active, completed, active, otherLink],
  })

  expect(report.job?.prLink).toEqual(otherLink.prLink)
  expect(JSON.stringify(report.timeline)).toContain('The job is busy.')
  expect(client.calls).toEqual(['get', 'get', 'get', 'message', 'get', 'get'])
})

test('a job that is archived while it is busy is sent nothing', async () => {
  const { report, client } = await runScripted({ task: FOLLOW_UP, reads: [active, archived] })

  expect(report).toMatchObject({ outcome: 'archived', error: { code: 'not-sent' } })
  expect(client.calls).not.toContain('message')
})

test('a job that stays busy until the deadline is sent nothing, and the step says so', async () => {
  const { report, client } = await runScripted({ task: FOLLOW_UP, reads: [active], inputs: { timeoutMs: 60_000 } })

  expect(report).toMatchObject({ outcome: 'timed-out', error: { code: 'not-sent' }, job: { status: 'active' } })
  expect(client.calls).not.toContain('message')
})

test('without waiting, the prompt is sent even to a busy job, as no turn has to be told apart', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [active],
    inputs: { wait: false },
  })

  expect(report.outcome).toBe('submitted')
  expect(client.calls).toEqual(['get', 'message'])
})

test('without waiting, an archived job is sent nothing either', async () => {
  const { report, client } = await runScripted({ task: FOLLOW_UP, reads: [archived], inputs: { wait: false } })

  expect(report).toMatchObject({ outcome: 'archived', error: { code: 'not-sent' } })
  expect(client.calls).toEqual(['get'])
})

test('a prompt whose fate is unknown was taken if its turn is seen', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: failure('unknown-fate'),
    reads: [completed, completed, active, otherLink],
  })

  expect(report).toMatchObject({ outcome: 'pull-request' })
  expect(report.error).toBeUndefined()
  expect(client.calls.filter((call) => call === 'message')).toHaveLength(1)
})

test.each([
  ['no turn is seen', completed],
  ['somebody archives the job', archived],
])('a prompt whose fate is unknown stays unknown if %s', async (_name, later) => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: failure('unknown-fate'),
    reads: [completed, completed, later],
  })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  expect(client.calls.filter((call) => call === 'message')).toHaveLength(1)
})

test('without waiting, a prompt whose fate is unknown is looked up as well', async () => {
  const { report } = await runScripted({
    task: FOLLOW_UP,
    message: failure('unknown-fate'),
    reads: [completed, active],
    inputs: { wait: false },
  })

  expect(report).toMatchObject({ outcome: 'submitted', progress: 'seen' })
  expect(report.error).toBeUndefined()
})

test('that a job was busy before proves nothing about a prompt whose fate is unknown', async () => {
  const { report } = await runScripted({
    task: FOLLOW_UP,
    message: failure('unknown-fate'),
    reads: [active],
    inputs: { wait: false },
  })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
})

test('a prompt that was refused ends the step at once', async () => {
  const { report, client } = await runScripted({ task: FOLLOW_UP, message: failure('rejected'), reads: [completed] })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
  expect(client.calls).toEqual(['get', 'message'])
})

test('the job is handed on as soon as the service has taken the prompt', async () => {
  const { accepted } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [completed, completed, active, completed],
  })

  expect(accepted).toMatchObject([{ sleepsBefore: 0 }])
})
