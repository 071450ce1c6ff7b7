import { expect, test } from '@jest/globals'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job, withoutLink } from '../../support/fake-client.ts'

const otherLink = job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/8' })

test('reads the job, sends the prompt, and waits for the turn', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: active,
    reads: [completed, active, completed],
  })

  expect(report.outcome).toBe('pull-request')
  expect(client.calls).toEqual(['get', 'message', 'get', 'get'])
})

test('does not believe the end of the turn before', async () => {
  const { report, client } = await runScripted({
    task: FOLLOW_UP,
    message: completed,
    reads: [completed, completed, completed, active, withoutLink, completed],
  })

  expect(report.outcome).toBe('pull-request')
  expect(client.calls.filter((call) => call === 'get')).toHaveLength(6)
})

test.each([
  ['ended in another way', failed, 'failed'],
  ['has another pull request', otherLink, 'pull-request'],
])('believes an end that nobody saw begin where the job %s', async (_name, ended, outcome) => {
  const { report } = await runScripted({ task: FOLLOW_UP, message: completed, reads: [completed, completed, ended] })

  expect(report.outcome).toBe(outcome)
})

test('a turn that was never seen is unconfirmed, after two minutes of looking every two to five seconds', async () => {
  const { report, clock } = await runScripted({ task: FOLLOW_UP, message: completed, reads: [completed] })

  expect(report.outcome).toBe('unconfirmed')
  expect(clock.passed()).toBe(120_000)
  expect(clock.sleeps.slice(0, 3)).toEqual([2_000, 2_500, 3_125])
})

test('the deadline ends the looking for the turn', async () => {
  const { report, clock } = await runScripted({
    task: FOLLOW_UP,
    message: completed,
    reads: [completed],
    inputs: { timeoutMs: 30_000 },
  })

  expect(report.outcome).toBe('unconfirmed')
  expect(clock.passed()).toBe(30_000)
})

test('a step that ends before the turn was seen knows that it was taken', async () => {
  const answers = { task: FOLLOW_UP, message: completed }
  const cancelled = await runScripted({ ...answers, reads: [completed], cancelAtSleep: 1 })
  const refused = await runScripted({ ...answers, reads: [completed, failure('unauthorized')] })
  const seen = await runScripted({ ...answers, reads: [completed, active, failure('unauthorized')] })

  expect(cancelled.report).toMatchObject({ outcome: 'cancelled', turn: 'taken', job: completed })
  expect(refused.report).toMatchObject({ outcome: 'error', turn: 'taken', job: completed })
  expect(seen.report).toMatchObject({ outcome: 'error', turn: 'seen', job: active })
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

  expect(report.job?.prLink).toBe(otherLink.prLink)
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
    reads: [completed, completed, active, completed],
  })

  expect(report).toMatchObject({ outcome: 'pull-request', error: undefined })
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

  expect(report).toMatchObject({ outcome: 'submitted', error: undefined })
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

  expect(accepted).toMatchObject([{ job: active, sleepsBefore: 0 }])
})
