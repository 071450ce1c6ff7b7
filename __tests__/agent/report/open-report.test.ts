import { expect, test } from '@jest/globals'
import { openReport, type OpenReport } from '../../../src/agent/report/open-report.ts'
import { CREATE } from '../../support/agent-run.ts'
import { completed, failure } from '../../support/fake-client.ts'
import { fakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost, type FakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

interface Opened {
  readonly known: OpenReport
  readonly host: FakeHost
  readonly clock: FakeClock
}

function open(signal = new AbortController().signal): Opened {
  const [host, clock] = [fakeHost(), fakeClock()]
  return { known: openReport(agentInputs({ task: CREATE }), fakeStep({ host, clock, signal })), host, clock }
}

test('a step that found out nothing has ended in an error, with its task and its time', () => {
  const { known, clock } = open()
  clock.advance(2_000)
  expect(known.ended()).toMatchObject({
    outcome: 'error',
    task: CREATE,
    timeline: [],
    shortfalls: [],
    durationMs: 2_000,
    origin: { projectId: 'docs-demo', workflowJob: 'docs', stepId: 'agent' },
  })
})

test('what is found out is kept, the newest of each kind, and the last result counts', () => {
  const { known } = open()
  known.add({ change: 'the push', turn: 'unsent' })
  known.add({ turn: 'seen' })
  known.addResult({ outcome: 'failed' })
  known.addResult({ outcome: 'pull-request', operation: 'updated', job: completed })
  expect(known.ended()).toMatchObject({
    outcome: 'pull-request',
    operation: 'updated',
    job: completed,
    change: 'the push',
    turn: 'seen',
  })
})

test('what is noted is in the log and in the time line', () => {
  const { known, host, clock } = open()
  clock.advance(1_000)
  known.note('The job is active.')
  expect(host.said).toEqual(['log: The job is active.'])
  expect(known.ended().timeline).toEqual([
    { at: new Date('2026-01-01T00:00:01Z'), elapsedMs: 1_000, event: 'The job is active.' },
  ])
})

test('a skipped step says why', () => {
  expect(open().known.skipped('No file counts.')).toMatchObject({ outcome: 'skipped', skipReason: 'No file counts.' })
})

test.each([
  ['deadline', 'timed-out'],
  ['cancelled', 'cancelled'],
  ['unauthorized', 'error'],
] as const)('an error that is %s stops the step as %s, and what was known stays', (code, outcome) => {
  const { known } = open()
  known.addResult({ outcome: 'pull-request', job: completed })
  const error = failure(code)
  expect(known.stopped(error)).toMatchObject({ outcome, error, job: completed })
})

test('whatever stops a step whose run is cancelled, it is cancelled', () => {
  const { known } = open(AbortSignal.abort())
  expect(known.stopped(failure('unreachable')).outcome).toBe('cancelled')
})

test('what cannot be done on GitHub is told and costs nothing else', async () => {
  const { known, host } = open()
  const error = refusal('forbidden', 'Grant it.')
  const label = await known.attempt<unknown>('The label', rejecting(error))
  const state = await known.attempt('The state', () => Promise.resolve('open'))
  expect([label, state]).toEqual([undefined, 'open'])
  expect(host.said).toEqual(['log: The label: GitHub said forbidden.'])
  expect(known.ended().shortfalls).toEqual([{ lost: 'The label', error }])
})

test('a cancelled run is nothing to do without, and neither is a defect', async () => {
  const { known } = open()
  await expect(known.attempt('x', rejecting(refusal('cancelled')))).rejects.toMatchObject({ code: 'cancelled' })
  await expect(known.attempt('x', () => Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError)
  expect(known.ended().shortfalls).toEqual([])
})

test('a notice is seen without opening the log, and is in the time line', () => {
  const { known, host } = open()
  known.notice('Look', 'There are two.')
  expect(host.said).toEqual(['notice: Look | There are two.'])
  expect(known.ended().timeline).toMatchObject([{ event: 'There are two.' }])
})

test('a task that takes the place of another inherits nothing of its job', () => {
  const { known } = open()
  known.add({ job: completed, turn: 'unsent', continued: 'pull-request', change: 'the push' })
  known.restart(CREATE)
  const { job, turn, continued, ...rest } = known.ended()
  expect([job, turn, continued]).toEqual([undefined, undefined, undefined])
  expect(rest).toMatchObject({ task: CREATE, change: 'the push' })
})
