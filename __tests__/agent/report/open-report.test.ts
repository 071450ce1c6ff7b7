import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { openReport, stopAfterTurn, type OpenReport } from '../../../src/agent/report/open-report.ts'
import type { TaskResult } from '../../../src/agent/report/report.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { CREATE } from '../../support/agent-run.ts'
import { completed, failed, failure } from '../../support/fake-client.ts'
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
  return {
    known: openReport(agentInputs({ task: CREATE, waitForChecks: true }), fakeStep({ core: host, clock, signal })),
    host,
    clock,
  }
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
    origin: { projectId: 'docs-demo', stepId: 'agent' },
  })
})

test('what is found out is kept, the newest of each kind, with the result', () => {
  const { known } = open()
  known.add({ change: 'the push', turn: 'unsent' })
  known.add({ turn: 'seen' })
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
  known.add({ job: completed })
  const error = failure(code)
  expect(known.stopped(error)).toMatchObject({ outcome, error, job: completed })
})

test('whatever stops a step whose run is cancelled, it is cancelled, but for a defect', () => {
  const { known } = open(AbortSignal.abort())
  expect(known.stopped(failure('unreachable')).outcome).toBe('cancelled')
  expect(known.stopped(failure('internal')).outcome).toBe('error')
})

test('what cannot be done on GitHub is told and costs nothing else', async () => {
  const { known, host } = open()
  const error = refusal('forbidden', 'Grant it.')
  const label = await known.bestEffort<unknown>('The label', rejecting(error))
  const state = await known.bestEffort('The state', () => Promise.resolve('open'))
  expect([label, state]).toEqual([undefined, 'open'])
  expect(host.said).toEqual(['log: The label: GitHub said forbidden.'])
  expect(known.ended().shortfalls).toEqual([{ lost: 'The label', error }])
})

test('a cancelled run is nothing to do without, and neither is a defect', async () => {
  const { known } = open()
  await expect(known.bestEffort('x', rejecting(refusal('cancelled')))).rejects.toMatchObject({ code: 'cancelled' })
  await expect(known.bestEffort('x', () => Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError)
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
  expect(rest).toMatchObject({ task: CREATE, change: 'the push', asked: ['checks'] })
})

/** A step whose task has ended well, and whose first round is on its way. */
function inRound(own: Pick<TaskResult, 'outcome' | 'operation'> = OWN): Opened {
  const opened = open()
  opened.known.add({ job: completed, turn: 'seen' })
  opened.known.addResult({ outcome: own.outcome, ...(own.operation && { operation: own.operation }), job: completed })
  opened.known.add({ pullRequest: { checks: 'failure' } })
  opened.known.add({ turn: 'unsent' })
  return opened
}
const OWN = { outcome: 'pull-request', operation: 'updated', job: completed, turn: 'seen' } as const

test('whatever the turn of a round comes to, the result of the task stays, and so does what is known of GitHub', () => {
  for (const outcome of ['no-changes', 'failed', 'archived', 'unconfirmed', 'timed-out'] as const) {
    const { known } = inRound()
    known.add({ turn: 'taken', job: failed, lastProblem: failure('unreachable') })
    expect(known.roundsSent).toBe(1)
    known.addResult({ outcome, job: failed, error: failure('deadline') })
    expect(known.goesOn).toBe(false)
    const report = known.ended()
    expect(report).toMatchObject({ ...OWN, pullRequest: { checks: 'failure' }, fixing: { sent: 1 } })
    expect([report.error, report.lastProblem]).toEqual([undefined, undefined])
  }
})

test('a round that moved the pull request goes on, and a pull request of its own is none to go on with', () => {
  const { known } = inRound()
  known.add({ turn: 'seen' })
  known.addResult({ outcome: 'pull-request', operation: 'updated', job: completed })
  expect([known.goesOn, known.roundsSent]).toEqual([true, 1])
  known.add({ turn: 'taken' })
  known.addResult({ outcome: 'pull-request', operation: 'created', job: completed })
  expect([known.goesOn, known.roundsSent]).toEqual([false, 2])
})

const UNCHANGED = { outcome: 'no-changes', operation: 'unchanged' } as const

test.each([
  ['updated', UNCHANGED],
  ['updated', { outcome: 'pull-request' }],
  ['created', { outcome: 'pull-request', operation: 'created' }],
] as const)('what a round has pushed is the step’s work: %s', (operation, own) => {
  const { known } = inRound(own)
  known.add({ turn: 'seen' })
  known.addResult({ outcome: 'failed', operation: 'updated', job: failed })
  expect(known.ended()).toMatchObject({ outcome: 'pull-request', operation, job: completed })
})

test('while a round may push yet, nobody knows that the pull request stays as it is', () => {
  const { known } = inRound(UNCHANGED)
  known.add({ turn: 'taken' })
  expect(known.stopped(failure('cancelled'))).toMatchObject({ outcome: 'cancelled', fixing: { sent: 1 } })
  expect(known.ended().operation).toBeUndefined()
  known.addResult({ outcome: 'unconfirmed' })
  expect(known.ended()).toMatchObject({ outcome: 'no-changes', fixing: { sent: 1, stop: 'unseen' } })
  expect(known.ended().operation).toBeUndefined()
  const other = inRound(UNCHANGED).known
  other.add({ turn: 'seen' })
  other.addResult({ ...UNCHANGED, job: completed })
  expect(other.ended()).toMatchObject({ ...UNCHANGED, fixing: { sent: 1, stop: 'unmoved' } })
})

test.each([
  ['rejected', 'unsent', { sent: 0, stop: 'not-sent' }],
  ['unknown-fate', 'unsent', { sent: 1, stop: 'unseen' }],
  ['unauthorized', 'taken', { sent: 1, stop: 'unseen' }],
  ['deadline', 'seen', { sent: 1, stop: 'unseen' }],
] as const)('what stops a round (%s, %s) is said, and takes nothing from the result', (code, turn, fixing) => {
  const { known, host } = inRound()
  known.add({ turn })
  const report = known.stopped(failure(code))
  expect(report).toMatchObject({ ...OWN, fixing })
  expect(report.error).toBeUndefined()
  expect(host.said).toContain(`log: It is ${code}.`)
})

test('a defect in a round is red, with the job and the pull request of the task', () => {
  const { known } = inRound()
  const report = known.stopped(failure('internal'))
  expect(report).toMatchObject({ ...OWN, outcome: 'error', pullRequest: { checks: 'failure' } })
  expect(conclude(report, new Set())).toMatchObject({ isGreen: false, title: 'Internal error' })
})

test('a run that is cancelled in a round is cancelled, with the job and the pull request of the task', () => {
  const { known } = inRound()
  known.add({ turn: 'taken' })
  const report = known.stopped(failure('cancelled'))
  expect(report).toMatchObject({ ...OWN, outcome: 'cancelled', fixing: { sent: 1 } })
  expect(report.fixing?.stop).toBeUndefined()
  expect(conclude(report, new Set()).advice).toContain('before you send the job anything else')
})

const notSent = refusal('not-sent')

test.each<[TaskResult, ReturnType<typeof stopAfterTurn>]>([
  [{ outcome: 'pull-request', operation: 'updated' }, undefined],
  [{ outcome: 'pull-request' }, undefined],
  [{ outcome: 'pull-request', operation: 'created' }, 'elsewhere'],
  [{ outcome: 'error', error: failure('unusable-link') }, 'elsewhere'],
  [{ outcome: 'no-changes' }, 'elsewhere'],
  [{ outcome: 'no-changes', operation: 'unchanged' }, 'unmoved'],
  [{ outcome: 'no-changes', operation: 'unchanged', hasOtherHead: true }, undefined],
  [{ outcome: 'failed' }, 'failed'],
  [{ outcome: 'archived' }, 'archived'],
  [{ outcome: 'archived', error: notSent }, 'archived'],
  [{ outcome: 'error', error: new ActionError('left-behind', 'It was merged.') }, 'left-behind'],
  [{ outcome: 'timed-out' }, 'unseen'],
  [{ outcome: 'timed-out', error: notSent }, 'not-sent'],
  [{ outcome: 'unconfirmed' }, 'unseen'],
])('a turn that ended as %j', (result, stop) => {
  expect(stopAfterTurn(result)).toBe(stop)
})
