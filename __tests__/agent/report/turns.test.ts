import { expect, test } from '@jest/globals'
import type { FixStop } from '../../../src/agent/report/fixing.ts'
import type { Outcome, Recorded, Report, TaskResult, Turn } from '../../../src/agent/report/report.ts'
import { findStop, findUntold, isToTrack, reportOf, stoppedBy, type Turns } from '../../../src/agent/report/turns.ts'
import { ActionError, type ErrorCode } from '../../../src/runtime/errors.ts'
import { ATTACH, CREATE } from '../../support/report.ts'
import { completed, failed, failure } from '../../support/fake-client.ts'
import { refusal } from '../../support/fake-github.ts'

const RECORDED: Recorded = { waitForChecks: true, timeline: [], shortfalls: [], durationMs: 2_000 }

const tell = (...turns: Turns): Report => reportOf(turns, RECORDED)

test('a step that found out nothing has ended in an error, with its task and what was recorded', () => {
  expect(tell({ task: CREATE })).toEqual({ ...RECORDED, outcome: 'error', task: CREATE, rounds: [] })
})

test.each<[ErrorCode, boolean, string]>([
  ['deadline', false, 'timed-out'],
  ['cancelled', false, 'cancelled'],
  ['unauthorized', false, 'error'],
  ['unreachable', true, 'cancelled'],
  ['internal', true, 'error'],
])('an error that is %s (run cancelled: %s) stops the step as %s', (code, isCancelled, outcome) => {
  const error = failure(code)
  const stopped = stoppedBy(error, isCancelled)
  expect(tell({ task: CREATE, job: completed, stopped })).toMatchObject({ outcome, error, job: completed })
})

const UPDATED = { outcome: 'pull-request', operation: 'updated', job: completed } as const
const SHOWN = { ...UPDATED, progress: 'seen', pullRequest: { checks: 'failure' } } as const

/** A step whose own turn has ended, and its rounds. */
function withRounds(rounds: readonly Partial<Turn>[], result: TaskResult = UPDATED): Turns {
  const own: Turn = { task: CREATE, job: completed, progress: 'seen', result, pullRequest: { checks: 'failure' } }
  return [own, ...rounds.map((round) => ({ task: ATTACH, progress: 'unsent' as const, ...round }))]
}

const stoppedIn = (code: ErrorCode, round: Partial<Turn> = {}, own?: TaskResult): Turns =>
  withRounds([{ ...round, stopped: stoppedBy(failure(code), false) }], own)
const notSent = refusal('not-sent')
const refusedIn = (isCancelled: boolean): Turns =>
  withRounds([{ stop: 'others', stopped: stoppedBy(notSent, isCancelled) }])
const stoppedAfter = (code: ErrorCode): Turns => [{ ...withRounds([])[0], stopped: stoppedBy(failure(code), false) }]

const BAD_ENDS = ['no-changes', 'failed', 'archived', 'unconfirmed', 'timed-out'] as const

test.each(BAD_ENDS)('a round that ends as %s takes nothing from what is known', (outcome) => {
  const round = { progress: 'taken', job: failed, lastProblem: failure('unreachable') } as const
  const turns = withRounds([{ ...round, result: { outcome, job: failed, error: failure('deadline') } }])
  expect(isToTrack(turns)).toBe(false)
  const report = tell(...turns)
  expect(report).toMatchObject({ ...SHOWN, rounds: [{ job: failed }], jobInRound: failed })
  expect([report.error, report.lastProblem]).toEqual([undefined, undefined])
})

test('a round that moved the pull request goes on, and what was seen last of it is shown', () => {
  const round = { progress: 'seen', result: UPDATED } as const
  expect(isToTrack(withRounds([round]))).toBe(true)
  const turns = withRounds([{ ...round, pullRequest: { checks: 'success' } }, {}])
  expect(tell(...turns)).toMatchObject({ rounds: [round], pullRequest: { checks: 'success' } })
})

const UNCHANGED = { outcome: 'no-changes', operation: 'unchanged', job: completed } as const

test.each([
  ['updated', UNCHANGED],
  ['updated', { outcome: 'pull-request', job: completed }],
  ['created', { outcome: 'pull-request', operation: 'created', job: completed }],
] as const)('what a round has pushed is the step’s work: %s', (operation, own) => {
  const round = { progress: 'seen', result: { outcome: 'failed', operation: 'updated', job: failed } } as const
  expect(tell(...withRounds([round], own))).toMatchObject({ outcome: 'pull-request', operation, job: completed })
})

const UNSEEN = withRounds([{ progress: 'taken', result: { outcome: 'unconfirmed' } }], UNCHANGED)
const IDLE = withRounds([{ progress: 'seen', result: UNCHANGED }], UNCHANGED)

test('while a round may push yet, nobody knows that the pull request stays as it is', () => {
  const turns = [stoppedIn('cancelled', { progress: 'taken' }, UNCHANGED), UNSEEN, IDLE]
  expect(turns.map((all) => tell(...all).operation)).toEqual([undefined, undefined, 'unchanged'])
})

const ENDED = { progress: 'seen', result: { outcome: 'failed', job: failed } } as const

test.each<[string, Turns, Outcome, sent: number, FixStop | undefined, untold: ErrorCode | undefined]>([
  ['is not taken', stoppedIn('rejected'), 'pull-request', 0, 'not-sent', 'rejected'],
  ['may be taken', stoppedIn('unknown-fate'), 'pull-request', 1, 'unseen', 'unknown-fate'],
  ['is not seen', stoppedIn('forbidden', { progress: 'taken' }), 'pull-request', 1, 'unseen', 'forbidden'],
  ['has no end', stoppedIn('deadline', { progress: 'seen' }), 'pull-request', 1, 'unseen', 'deadline'],
  ['is not even begun', stoppedAfter('rejected'), 'pull-request', 0, 'not-sent', 'rejected'],
  ['is refused at the last look', refusedIn(false), 'pull-request', 0, 'others', undefined],
  ['is refused in a cancelled run', refusedIn(true), 'cancelled', 0, 'others', undefined],
  ['is cancelled', stoppedIn('cancelled', { progress: 'taken' }), 'cancelled', 1, undefined, undefined],
  ['has a defect', stoppedIn('internal'), 'error', 0, undefined, undefined],
  ['has a defect after its end', stoppedIn('internal', ENDED), 'error', 1, 'failed', undefined],
])('a round that %s takes away nothing that is known, and only a cancel or a defect the outcome', (...row) => {
  const [, turns, outcome, sent, stop, untold] = row
  const report = tell(...turns)
  expect(report).toMatchObject({ ...SHOWN, outcome, stop })
  expect([report.rounds.length, report.error !== undefined]).toEqual([sent, outcome !== 'pull-request'])
  expect(findUntold(turns)?.code).toBe(untold)
})

test('a turn that is the step’s own needs no reason why none follows', () => {
  expect(findStop([{ task: CREATE, stopped: stoppedBy(failure('rejected'), false) }])).toBeUndefined()
  expect(tell(...withRounds([]))).toMatchObject({ rounds: [], stop: undefined })
})

test.each<[TaskResult, FixStop | undefined]>([
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
