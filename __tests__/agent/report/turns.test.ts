import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { RoundRefused, type FixStop } from '../../../src/agent/report/fixing.ts'
import type { Recorded } from '../../../src/agent/report/journal.ts'
import type { Report, TaskResult, Turn } from '../../../src/agent/report/report.ts'
import {
  Course,
  findStop,
  findUntold,
  isToTrack,
  reportOf,
  sentRounds,
  stoppedBy,
  type Turns,
} from '../../../src/agent/report/turns.ts'
import { ActionError, type ErrorCode } from '../../../src/runtime/errors.ts'
import { ATTACH, CREATE } from '../../support/agent-run.ts'
import { completed, failed, failure } from '../../support/fake-client.ts'
import { refusal } from '../../support/fake-github.ts'

const RECORDED: Recorded = {
  asked: ['checks'],
  origin: { projectId: 'docs-demo', stepId: 'agent' },
  timeline: [],
  shortfalls: [],
  durationMs: 2_000,
}

const tell = (...turns: Turns): Report => reportOf(turns, RECORDED)

test('a step that found out nothing has ended in an error, with its task and what was recorded', () => {
  expect(tell({ task: CREATE })).toEqual({ ...RECORDED, outcome: 'error', task: CREATE, rounds: [] })
})

test('what is seen is seen of the newest turn, the newest of each kind', () => {
  const course = new Course(CREATE)
  course.see({ progress: 'unsent' })
  course.see({ progress: 'seen', job: failed })
  course.see({ result: { outcome: 'pull-request', operation: 'updated', job: completed } })
  course.begin(ATTACH)
  course.see({ progress: 'taken' })
  const result = { outcome: 'pull-request', operation: 'updated', job: completed } as const
  expect(course.turns).toEqual([
    { task: CREATE, progress: 'seen', job: failed, result },
    { task: ATTACH, job: failed, progress: 'taken' },
  ])
  expect(reportOf(course.turns, RECORDED)).toMatchObject({ ...result, task: CREATE, progress: 'seen' })
})

test.each([false, true])(
  'a task that takes the place of another inherits nothing of its job (in a round: %s)',
  (isRound) => {
    const course = new Course(ATTACH)
    const result = { outcome: 'pull-request' } as const
    if (isRound) {
      course.see({ result })
      course.begin(ATTACH)
    }
    course.see({ job: completed, progress: 'unsent', continued: 'pull-request' })
    course.begin(CREATE)
    expect(course.turns).toEqual([...(isRound ? [{ task: ATTACH, result }] : []), { task: CREATE }])
  },
)

test.each<[ErrorCode, boolean, string]>([
  ['deadline', false, 'timed-out'],
  ['cancelled', false, 'cancelled'],
  ['unauthorized', false, 'error'],
  ['unreachable', true, 'cancelled'],
  ['internal', true, 'error'],
])(
  'an error that is %s (run cancelled: %s) stops the step as %s, and what was known stays',
  (code, isCancelled, outcome) => {
    const error = failure(code)
    const stopped = stoppedBy(error, isCancelled)
    expect(tell({ task: CREATE, job: completed, stopped })).toMatchObject({ outcome, error, job: completed })
  },
)

type Own = Pick<TaskResult, 'outcome' | 'operation'>
const OWN = { outcome: 'pull-request', operation: 'updated', job: completed, progress: 'seen' } as const
const SHOWN = { ...OWN, pullRequest: { checks: 'failure' } } as const

/** A step whose own turn has ended well, and its rounds. */
function withRounds(rounds: readonly Partial<Turn>[], { outcome, operation }: Own = OWN): Turns {
  const result: TaskResult = { outcome, ...(operation && { operation }), job: completed }
  const own: Turn = { task: CREATE, job: completed, progress: 'seen', result, pullRequest: { checks: 'failure' } }
  return [own, ...rounds.map((round) => ({ task: ATTACH, progress: 'unsent' as const, ...round }))]
}

const stopIn = (code: ErrorCode, round: Partial<Turn> = {}, own: Own = OWN): Turns =>
  withRounds([{ ...round, stopped: stoppedBy(failure(code), false) }], own)

test('whatever the turn of a round comes to, the result of the task stays, and so does what is known of GitHub', () => {
  for (const outcome of ['no-changes', 'failed', 'archived', 'unconfirmed', 'timed-out'] as const) {
    const round = { progress: 'taken', job: failed, lastProblem: failure('unreachable') } as const
    expect(sentRounds(withRounds([round])).length).toBe(1)
    const turns = withRounds([{ ...round, result: { outcome, job: failed, error: failure('deadline') } }])
    expect(isToTrack(turns)).toBe(false)
    const report = tell(...turns)
    expect(report).toMatchObject({ ...SHOWN, rounds: [{}] })
    expect([report.error, report.lastProblem]).toEqual([undefined, undefined])
  }
})

test('a round that moved the pull request goes on, and a pull request of its own is none to go on with', () => {
  const moved = { progress: 'seen', result: { outcome: 'pull-request', operation: 'updated', job: completed } } as const
  const other = {
    progress: 'taken',
    result: { outcome: 'pull-request', operation: 'created', job: completed },
  } as const
  const both = withRounds([moved, other])
  expect([isToTrack(withRounds([moved])), sentRounds(withRounds([moved])).length]).toEqual([true, 1])
  expect([isToTrack(both), sentRounds(both).length]).toEqual([false, 2])
})

test('what was seen last of the pull request is shown', () => {
  const turns = withRounds([{ pullRequest: { checks: 'success' } }, {}])
  expect(tell(...turns).pullRequest).toEqual({ checks: 'success' })
})

const UNCHANGED = { outcome: 'no-changes', operation: 'unchanged' } as const

test.each([
  ['updated', UNCHANGED],
  ['updated', { outcome: 'pull-request' }],
  ['created', { outcome: 'pull-request', operation: 'created' }],
] as const)('what a round has pushed is the step’s work: %s', (operation, own) => {
  const round = { progress: 'seen', result: { outcome: 'failed', operation: 'updated', job: failed } } as const
  expect(tell(...withRounds([round], own))).toMatchObject({ outcome: 'pull-request', operation, job: completed })
})

test('while a round may push yet, nobody knows that the pull request stays as it is', () => {
  const cancelled = tell(...stopIn('cancelled', { progress: 'taken' }, UNCHANGED))
  expect(cancelled).toMatchObject({ outcome: 'cancelled', rounds: [{}] })
  const unseen = tell(...withRounds([{ progress: 'taken', result: { outcome: 'unconfirmed' } }], UNCHANGED))
  expect(unseen).toMatchObject({ outcome: 'no-changes', rounds: [{}], stop: 'unseen' })
  expect([cancelled.operation, unseen.operation]).toEqual([undefined, undefined])
  const seen = { progress: 'seen', result: { ...UNCHANGED, job: completed } } as const
  const unmoved = { ...UNCHANGED, rounds: [{}], stop: 'unmoved' }
  expect(tell(...withRounds([seen], UNCHANGED))).toMatchObject(unmoved)
})

test.each([
  ['rejected', 'unsent', { rounds: [], stop: 'not-sent' }],
  ['unknown-fate', 'unsent', { rounds: [{}], stop: 'unseen' }],
  ['unauthorized', 'taken', { rounds: [{}], stop: 'unseen' }],
  ['deadline', 'seen', { rounds: [{}], stop: 'unseen' }],
] as const)(
  'what stops a round (%s, %s) is to be told, and takes nothing from the result',
  (code, progress, fixing) => {
    const turns = stopIn(code, { progress })
    const report = tell(...turns)
    expect(report).toMatchObject({ ...OWN, ...fixing })
    expect([report.error, findUntold(turns)?.code]).toEqual([undefined, code])
  },
)

test('what stops the step after a turn leads to no round', () => {
  const [own] = withRounds([])
  const turns: Turns = [{ ...own, stopped: stoppedBy(failure('rejected'), false) }]
  expect(tell(...turns)).toMatchObject({ ...SHOWN, rounds: [], stop: 'not-sent' })
  expect(findUntold(turns)?.code).toBe('rejected')
})

test.each([
  [false, 'pull-request'],
  [true, 'cancelled'],
] as const)('a round that was refused at the last look says why itself (run cancelled: %s)', (isCancelled, outcome) => {
  const turns = withRounds([{ stopped: stoppedBy(new RoundRefused('others'), isCancelled) }])
  expect(tell(...turns)).toMatchObject({ outcome, rounds: [], stop: 'others' })
  expect(findUntold(turns)).toBeUndefined()
})

test('a defect is red, with the job and the pull request of the task, and tells why the rounds had ended', () => {
  const report = tell(...stopIn('internal'))
  expect(report).toMatchObject({ ...SHOWN, outcome: 'error' })
  expect(report).toMatchObject({ rounds: [], stop: undefined })
  expect(conclude(report, new Set())).toMatchObject({ isGreen: false, title: 'Internal error' })
  const after = stopIn('internal', { progress: 'seen', result: { outcome: 'failed', job: failed } })
  expect(tell(...after)).toMatchObject({ outcome: 'error', rounds: [{}], stop: 'failed' })
})

test('a run that is cancelled in a round is cancelled, with the job and the pull request of the task', () => {
  const report = tell(...stopIn('cancelled', { progress: 'taken' }))
  expect(report).toMatchObject({ ...OWN, outcome: 'cancelled', rounds: [{}] })
  expect(report.stop).toBeUndefined()
  expect(conclude(report, new Set()).advice).toContain('before you send the job anything else')
})

test('a turn that is the step’s own needs no reason why none follows', () => {
  expect(findStop([{ task: CREATE, stopped: stoppedBy(failure('rejected'), false) }])).toBeUndefined()
  expect(tell(...withRounds([]))).toMatchObject({ rounds: [], stop: undefined })
})

const notSent = refusal('not-sent')

test.each<[TaskResult, FixStop | undefined]>([
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
])('a round that ended as %j', (result, stop) => {
  expect(findStop(withRounds([{ result }]))).toBe(stop)
})
