import { expect, test } from '@jest/globals'
import { conclude } from '../../src/agent/conclude.ts'
import {
  countCommitsOfUpdates,
  getOperation,
  getOwnLink,
  getRoundStop,
  mayStillRun,
  shouldTrackPullRequest,
} from '../../src/agent/selectors.ts'
import type { Outcome, RoundStop, Turn } from '../../src/agent/record.ts'
import type { TerminalJob } from '../../src/docs-service/schemas.ts'
import type { ErrorCode } from '../../src/runtime/errors.ts'
import { active, archived, completed, failed, failure, withoutLink } from '../../testing/jobs.ts'
import {
  accept,
  ATTACH,
  CREATE,
  createReport,
  describeReport,
  type EffectName,
  EFFECTS,
  endWith,
  ENDS_WITH_ERROR,
  type Fields,
  FOLLOW_UP,
  stopWith,
  type TurnFacts,
  turnIn,
} from '../../testing/report.ts'

const REFUSED: TurnFacts = { error: failure('not-sent'), job: archived }
const UNSEEN: TurnFacts = { sent: 'accepted', end: 'unconfirmed', job: completed }
const TIMED_OUT: TurnFacts = { sent: 'started', end: 'timed-out', job: active }
const MERGED_TOO_EARLY: TurnFacts = {
  ...endWith('updated'),
  error: failure('merged-too-early'),
  pullRequest: { state: 'merged' },
}

test('a step without any result is an error, and a skipped one is skipped', () => {
  expect(conclude(createReport({ state: {} })).outcome).toBe('error')
  expect(conclude(createReport({ state: {}, skipReason: 'Nothing changed.' })).outcome).toBe('skipped')
})

test('an outcome is reported before the end of a step only if nothing can change it', () => {
  const getOutcomeSoFar = (...turns: readonly Turn[]): string =>
    conclude({ ...createReport(), state: 'running', turns }).outcome
  const [unchanged, round] = [turnIn(endWith('unchanged')), turnIn(accept(), { failing: [] })]
  expect([
    getOutcomeSoFar(turnIn(accept())),
    getOutcomeSoFar(unchanged),
    getOutcomeSoFar(unchanged, round),
    getOutcomeSoFar(turnIn(endWith('updated')), round),
  ]).toEqual(['submitted', 'no-changes', 'submitted', 'pull-request'])
})

test.each<[ErrorCode, boolean, string]>([
  ['deadline', false, 'timed-out'],
  ['cancelled', false, 'cancelled'],
  ['unauthorized', false, 'error'],
  ['unreachable', true, 'cancelled'],
  ['internal', true, 'error'],
])('the error %s (run cancelled: %s) has the outcome %s', (code, isCancelled, outcome) => {
  const state = stopWith(code, accept(completed), isCancelled)
  expect(describeReport(createReport({ state }))).toMatchObject({ outcome, error: state.error, job: completed })
})

test.each<[Outcome, TurnFacts]>([
  ['archived', REFUSED],
  ['previewed', { end: 'previewed' }],
  ['submitted', { sent: 'accepted', end: 'not-awaited', job: active }],
  ['unconfirmed', UNSEEN],
  ['timed-out', TIMED_OUT],
  ['error', MERGED_TOO_EARLY],
  ['pull-request', endWith('created')],
  ['pull-request', endWith('updated')],
  ['pull-request', endWith('unknown')],
  ['no-changes', endWith('unchanged')],
  ['no-changes', endWith('none', withoutLink)],
  ...(['updated', 'unknown'] as const).flatMap((effect): [Outcome, TurnFacts][] => [
    ['failed', endWith(effect, failed)],
    ['archived', endWith(effect, archived)],
  ]),
])('has the outcome %s for a turn with the facts %j', (outcome, state) => {
  expect(conclude(createReport({ task: FOLLOW_UP, state })).outcome).toBe(outcome)
})

test('shows a pull request that was merged or closed during a turn in its current state', () => {
  expect(describeReport(createReport({ task: FOLLOW_UP, state: MERGED_TOO_EARLY })).pullRequest).toEqual({
    state: 'merged',
  })
})

test('the agent may still work on a prompt that was or may have been accepted, and whose end was not seen', () => {
  const states: TurnFacts[] = [{}, { sent: 'maybe' }, accept(), TIMED_OUT, UNSEEN, endWith('unknown', failed)]
  expect(states.map((state) => mayStillRun(turnIn(state)))).toEqual([false, true, true, true, true, false])
})

/** A follow-up that has updated its pull request, whose checks then failed, and its rounds. */
const withRounds = (rounds: readonly TurnFacts[], own: TurnFacts = endWith('updated')): readonly Turn[] => [
  turnIn(own, { pullRequest: { checks: 'failure' } }),
  ...rounds.map((round) => turnIn(round)),
]
const describeRounds = (rounds: readonly TurnFacts[], own?: TurnFacts) =>
  describeReport({ ...createReport(), turns: withRounds(rounds, own) })

const OWN_RESULT = { operation: 'updated', sent: 'started', pullRequest: { checks: 'failure' }, job: completed }

test.each<TurnFacts>([
  endWith('unknown', { ...failed, prLink: completed.prLink }),
  endWith('unknown', archived),
  UNSEEN,
  { ...TIMED_OUT, lastProblem: failure('unreachable'), error: failure('deadline') },
])('keeps the result of the step after a round that ends as %j', (round) => {
  const report = describeRounds([round])
  expect(shouldTrackPullRequest(report)).toBe(false)
  expect(report).toMatchObject({ ...OWN_RESULT, outcome: 'pull-request', lastReadJob: round.job })
  expect([report.rounds.length, report.error, report.lastProblem]).toEqual([1, undefined, undefined])
})

test('looks after the pull request after a round that changed it, and shows its last known state', () => {
  expect(shouldTrackPullRequest({ turns: withRounds([endWith('updated')]) })).toBe(true)
  const report = describeRounds([{ ...endWith('updated'), pullRequest: { checks: 'success' } }, {}])
  expect(report.pullRequest).toEqual({ checks: 'success' })
})

test('looks after the pull request only after the end of a job that names one', () => {
  const ends = [endWith('unknown'), endWith('none', withoutLink), MERGED_TOO_EARLY, TIMED_OUT]
  expect(ends.map((end) => shouldTrackPullRequest({ turns: [turnIn(end)] }))).toEqual([true, false, false, false])
})

test.each<[string, EffectName]>([
  ['updated', 'unchanged'],
  ['updated', 'unknown'],
  ['created', 'created'],
])('counts commits of rounds as the work of the step: %s', (operation, own) => {
  const report = describeRounds([endWith('updated', failed)], endWith(own))
  expect(report).toMatchObject({ outcome: 'pull-request', operation, job: completed })
})

test('is not `unchanged` while a round may still push', () => {
  const rounds = [stopWith('cancelled', accept()), UNSEEN, endWith('unchanged')]
  const operations = rounds.map((round) => describeRounds([round], endWith('unchanged')).operation)
  expect(operations).toEqual([undefined, undefined, 'unchanged'])
})

test.each([completed, failed])('has no operation if it is unknown what a round did: %j', (job) => {
  const report = describeRounds([endWith('unknown', job)], endWith('unchanged'))
  expect([report.outcome, getOperation(report)]).toEqual(['pull-request', undefined])
})

const STOPPED: TurnFacts = { ...stopWith('not-sent'), roundStop: 'head-moved' }

test.each<[string, TurnFacts, Outcome, sent: number, RoundStop | undefined]>([
  ['is rejected', stopWith('rejected'), 'pull-request', 0, 'failed'],
  ['may be accepted', stopWith('maybe-sent', { sent: 'maybe' }), 'pull-request', 1, 'failed'],
  ['is not seen to start', stopWith('forbidden', accept()), 'pull-request', 1, 'failed'],
  ['has no end', stopWith('deadline', accept(active, true)), 'pull-request', 1, 'failed'],
  ['is stopped by the last check', STOPPED, 'pull-request', 0, 'head-moved'],
  ['is cancelled', stopWith('cancelled', accept(), true), 'cancelled', 1, undefined],
])('keeps the result after a round that %s, and the outcome unless it is cancelled', (...row) => {
  const [, round, outcome, sent, stop] = row
  const report = describeRounds([round])
  expect(report).toMatchObject({ ...OWN_RESULT, outcome })
  expect([report.rounds.length, report.error !== undefined]).toEqual([sent, outcome !== 'pull-request'])
  if (stop !== undefined) expect(report.stop).toBe(stop)
})

test('an internal error in a round is the error of the step', () => {
  for (const earlier of [[], [endWith('updated')]])
    expect(describeRounds([...earlier, stopWith('internal')])).toMatchObject({ ...OWN_RESULT, outcome: 'error' })
})

test('has no reason for a stop without a round', () => {
  expect(getRoundStop({ turns: [{ task: CREATE, ...stopWith('rejected') }] })).toBeUndefined()
  expect(describeRounds([])).toMatchObject({ rounds: [], stop: undefined })
})

test('adds up the commits of all turns, except in a pull request that a turn opened', () => {
  const turns = [
    endWith('created'),
    endWith('updated'),
    endWith('unknown'),
    endWith({ ...EFFECTS.updated, commits: 2 }),
  ]
  expect(countCommitsOfUpdates({ turns: turns.map((facts) => turnIn(facts)) })).toBe(5)
})

test.each<[TurnFacts, RoundStop | undefined]>([
  [endWith('unknown'), undefined],
  [endWith('updated'), undefined],
  [endWith('created'), 'failed'],
  [endWith('none', withoutLink), 'failed'],
  // Without a commit, the agent may have changed the title of the pull request.
  [endWith('unchanged'), undefined],
  [endWith('unknown', failed), 'failed'],
  [endWith('unknown', archived), 'failed'],
  [{ error: failure('not-sent') }, 'failed'],
  [MERGED_TOO_EARLY, 'not-open'],
  [TIMED_OUT, 'failed'],
  [UNSEEN, 'failed'],
])('knows why no further round follows a round with the facts %j', (round, stop) => {
  expect(getRoundStop({ turns: withRounds([round]) })).toBe(stop)
})

const isShown = (fields: Fields): boolean => getOwnLink(createReport(fields)) !== undefined
const failedLinked = { ...failed, prLink: completed.prLink }

test.each<[string, (job: TerminalJob) => TurnFacts]>([
  ['ended', (job) => endWith('unknown', job)],
  ['failed', (job) => endWith('unknown', { ...job, status: 'failed' })],
  ['did not end in time', (job) => ({ sent: 'started', end: 'timed-out', job })],
  ['is not waited for', (job) => ({ sent: 'started', end: 'not-awaited', job })],
  ['was cancelled', (job) => stopWith('cancelled', accept(job, true))],
])('shows the pull request of a new or attached job that %s', (_name, stateWith) => {
  for (const task of [CREATE, ATTACH])
    expect([completed, withoutLink].map((job) => isShown({ task, state: stateWith(job) }))).toEqual([true, false])
})

test.each<[TurnFacts, boolean]>([
  [{ job: completed }, false],
  [stopWith('unreachable', { job: completed }), false],
  [stopWith('maybe-sent', { sent: 'maybe', job: completed }), false],
  [stopWith('cancelled', accept(completed)), false],
  [stopWith('cancelled', accept(completed, true)), false],
  [{ error: failure('not-sent'), job: completed }, false],
  [{ sent: 'accepted', end: 'not-awaited', job: completed }, false],
  [{ sent: 'accepted', end: 'unconfirmed', job: completed }, false],
  [{ sent: 'started', end: 'timed-out', job: completed }, false],
  [endWith('unknown', failedLinked), false],
  [endWith('unknown', { ...failedLinked, status: 'archived' }), false],
  [endWith('unknown'), true],
  [endWith('none'), true],
  [endWith('unchanged'), true],
  [endWith('updated', failedLinked), true],
])('does not show a pull request that may come from the turn before the follow-up: %j', (state, expected) => {
  expect(isShown({ task: FOLLOW_UP, state })).toBe(expected)
})

test('shows the pull request of a follow-up that failed or was archived if its state was read', () => {
  const pullRequest = { state: 'open' } as const
  for (const status of ['failed', 'archived'] as const)
    expect(isShown({ task: FOLLOW_UP, state: endWith('unknown', { ...completed, status }), pullRequest })).toBe(true)
  const mergedTooEarly = ENDS_WITH_ERROR.filter(({ error }) => error?.code === 'merged-too-early')
  expect(mergedTooEarly.map((state) => isShown({ task: FOLLOW_UP, state }))).toEqual([true])
})
