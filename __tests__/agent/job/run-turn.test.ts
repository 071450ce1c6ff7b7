import { expect, test } from '@jest/globals'
import { ATTACH, CREATE, runScripted } from '../../support/agent-run.ts'
import { active, completed, failed, failure, LINK, withoutLink } from '../../support/fake-client.ts'

test('creates a job, waits for it, and reports its pull request', async () => {
  const { report, client } = await runScripted({ task: CREATE, create: active, reads: [active, completed] })

  expect(report).toMatchObject({
    outcome: 'pull-request',
    job: { id: 'job_1', status: 'completed', prLink: { href: LINK } },
  })
  expect(client.calls).toEqual(['create', 'get', 'get'])
  expect(client.prompts).toEqual([CREATE.kind === 'create' && CREATE.prompt])
})

test('hands the job on before it waits', async () => {
  const { accepted } = await runScripted({ task: CREATE, create: active, reads: [completed] })

  expect(accepted).toMatchObject([{ sleepsBefore: 0 }])
})

test('believes an answer to the create that is final already', async () => {
  const { report, client } = await runScripted({ task: CREATE, create: completed })

  expect(report.outcome).toBe('pull-request')
  expect(client.calls).toEqual(['create'])
})

test('leaves right after the create where it is not to wait', async () => {
  const { report, client, clock } = await runScripted({ task: CREATE, create: active, inputs: { wait: false } })

  expect(report.outcome).toBe('submitted')
  expect(client.calls).toEqual(['create'])
  expect(clock.sleeps).toEqual([])
})

test('attaches to a job without sending anything', async () => {
  const { report, client } = await runScripted({ task: ATTACH, reads: [active, failed] })

  expect(report.outcome).toBe('failed')
  expect(client.calls).toEqual(['get', 'get'])
})

test('an attached job that has ended is reported after one read', async () => {
  const { report, clock } = await runScripted({ task: ATTACH, reads: [completed] })

  expect(report.outcome).toBe('pull-request')
  expect(clock.sleeps).toEqual([])
})

test.each([
  ['runs', active, 'submitted'],
  ['has ended', completed, 'pull-request'],
])('attaching without waiting takes one read of a job that %s', async (_name, seen, outcome) => {
  const { report, client } = await runScripted({ task: ATTACH, reads: [seen], inputs: { wait: false } })

  expect(report.outcome).toBe(outcome)
  expect(client.calls).toEqual(['get'])
})

test('an error of the create is reported, and there is no job', async () => {
  const { report, accepted } = await runScripted({ task: CREATE, create: failure('unknown-fate') })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  expect(report.job).toBeUndefined()
  expect(accepted).toEqual([])
})

test('a job that is not found is not there yet for 30 s after its creation', async () => {
  const { report } = await runScripted({
    task: CREATE,
    create: active,
    reads: [failure('not-found'), failure('not-found'), completed],
  })

  expect(report.outcome).toBe('pull-request')
})

test('a created job that is still not found after 30 s ends the step, with its id', async () => {
  const { report, elapsedMs } = await runScripted({ task: CREATE, create: active, reads: [failure('not-found')] })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-found' }, job: { id: 'job_1' } })
  expect(elapsedMs).toBe(30_000)
})

test('an attached job that is not found ends the step at once', async () => {
  const { report, clock } = await runScripted({ task: ATTACH, reads: [failure('not-found')] })

  expect(report.outcome).toBe('error')
  expect(clock.sleeps).toEqual([])
})

test('a job to attach to that could not be read before the deadline is red whatever `fail-on` says', async () => {
  const { report } = await runScripted({ task: ATTACH, reads: [failure('unreachable')], inputs: { timeoutMs: 60_000 } })

  expect(report).toMatchObject({
    outcome: 'timed-out',
    error: { code: 'deadline' },
    lastProblem: { code: 'unreachable' },
  })
  expect(report.job).toBeUndefined()
})

test('a run that is cancelled while its prompt is on its way is not just submitted', async () => {
  const { report, accepted } = await runScripted({
    task: CREATE,
    create: active,
    inputs: { wait: false },
    cancelWhenAccepted: true,
  })

  expect(report).toMatchObject({ outcome: 'cancelled', error: { code: 'cancelled' }, job: active })
  expect(accepted).toHaveLength(1)
})

test('a deadline that passes reports the last known state and why the last read failed', async () => {
  const { report } = await runScripted({
    task: CREATE,
    create: active,
    reads: [active, failure('service-error')],
    inputs: { timeoutMs: 60_000 },
  })

  expect(report).toMatchObject({
    outcome: 'timed-out',
    job: { status: 'active' },
    lastProblem: { code: 'service-error' },
  })
  expect(report.error).toBeUndefined()
})

test('a cancelled run says so and keeps what it knows', async () => {
  const { report, client } = await runScripted({ task: CREATE, create: active, reads: [active], cancelAtSleep: 2 })

  expect(report).toMatchObject({
    outcome: 'cancelled',
    error: { code: 'cancelled' },
    job: { id: 'job_1', status: 'active' },
  })
  expect(client.calls).toEqual(['create', 'get', 'get'])
})

test('measures how long it took on the monotonic clock', async () => {
  const { report } = await runScripted({ task: CREATE, create: active, reads: [active, completed] })

  expect(report.durationMs).toBe(15_000)
})

test('the time line tells what happened and when', async () => {
  const { report } = await runScripted({ task: CREATE, create: active, reads: [active, completed] })

  expect(report.timeline).toEqual([
    {
      at: new Date('2026-01-01T00:00:00Z'),
      elapsedMs: 0,
      event: 'The service has taken the prompt: job job_1 is active.',
    },
    { at: new Date('2026-01-01T00:00:15Z'), elapsedMs: 15_000, event: 'The job is completed.' },
  ])
})

test('a defect is not reported as an outcome', async () => {
  await expect(runScripted({ task: CREATE, create: new TypeError('x is not a function') })).rejects.toThrow(TypeError)
})

test('a completed job without a link is read a few times more before it counts as having changed nothing', async () => {
  const { report, clock } = await runScripted({ task: CREATE, create: active, reads: [withoutLink] })

  expect(report).toMatchObject({ outcome: 'no-changes', job: withoutLink })
  expect(clock.sleeps).toEqual([10_000, 1_000, 2_000, 3_000, 4_000])
})

test('says first what it is about to do', async () => {
  const { log } = await runScripted({ task: CREATE, create: failure('unreachable') })

  expect(log[0]).toBe('Creating a job in project docs-demo, timeout 1 h.')
})

test('the job is handed on before anything else is done about it', async () => {
  const { accepted, log } = await runScripted({ task: CREATE, create: active, reads: [completed] })

  expect(accepted[0]?.linesBefore).toBe(1)
  expect(log[1]).toBe('The service has taken the prompt: job job_1 is active.')
})
