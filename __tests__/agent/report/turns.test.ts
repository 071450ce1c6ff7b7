import { describe, expect, test } from '@jest/globals'
import {
  getFollowUpReason,
  getProgress,
  isSent,
  type FixRounds,
  type Turn,
  type TurnEnd,
  type Turns,
  type TurnState,
  withReads,
  type Work,
} from '../../../src/agent/report/turn.ts'
import type { Facts, Outcome } from '../../../src/agent/report/report.ts'
import {
  countCommitsOfUpdates,
  findUnreportedError,
  getPullRequestOperation,
  getRoundStop,
  shouldTrackPullRequest,
  getOutcome,
} from '../../../src/agent/report/turns.ts'
import type { TerminalJob } from '../../../src/docs-service/schemas.ts'
import type { ErrorCode } from '../../../src/runtime/errors.ts'
import { active, archived, completed, failed, failure, withoutLink } from '../../support/fake-client.ts'
import {
  CREATE,
  describeReport,
  type DescribedReport,
  endWith,
  turnIn,
  withFindings,
  WORK,
} from '../../support/report.ts'

const FACTS: Facts = { waitForChecks: true, timeline: [], warnings: [], durationMs: 2_000 }

const describeTurns = (...turns: Turns): DescribedReport => describeReport({ kind: 'ran', turns, ...FACTS })

/** Each state once, except `stopped`. */
const STATES = {
  planning: { kind: 'planning' },
  preparing: { kind: 'preparing', job: completed },
  sending: { kind: 'sending', job: completed },
  'delivery-unknown': { kind: 'delivery-unknown', job: completed },
  accepted: { kind: 'accepted', job: active, isConfirmed: false },
  previewed: { kind: 'previewed', pullRequest: { number: 7 }, isJobRead: true },
  'not-sent': { kind: 'not-sent', reason: 'archived', error: failure('not-sent'), job: archived },
  submitted: { kind: 'submitted', job: active, isConfirmed: false },
  unconfirmed: { kind: 'unconfirmed', job: completed },
  'timed-out': { kind: 'timed-out', job: active },
  ended: endWith('updated'),
  'unusable-link': { kind: 'unusable-link', job: withoutLink, error: failure('unusable-link') },
  'left-behind': {
    kind: 'left-behind',
    job: completed,
    error: failure('left-behind'),
    work: WORK.updated,
    pullRequest: { state: 'merged' },
  },
} as const satisfies { [Kind in Exclude<TurnState['kind'], 'stopped'>]: Extract<TurnState, { kind: Kind }> }

type Kind = keyof typeof STATES
const KINDS = Object.keys(STATES) as Kind[]

type Stop = Extract<TurnState, { kind: 'stopped' }>
const stoppedBy = (code: ErrorCode, during: Stop['during'] = STATES.preparing, isCancelled = false): Stop => ({
  kind: 'stopped',
  error: failure(code),
  isCancelled,
  during,
})

test('reports an error, the task and the recorded facts for a step without any result', () => {
  const turns = [{ task: CREATE, state: STATES.planning }] as const
  expect(describeTurns(...turns)).toMatchObject({ ...FACTS, outcome: 'error', task: CREATE, rounds: [] })
  expect(getOutcome({ kind: 'ran', turns, ...FACTS, skipReason: 'Nothing changed.' })).toBe('skipped')
})

test('reports an outcome before the end of a step only if nothing can change it', () => {
  const getOutcomeSoFar = (...turns: Turns): string => getOutcome({ kind: 'running', turns, ...FACTS })
  const [unchanged, round] = [turnIn(endWith('unchanged')), turnIn(STATES.accepted, { failing: [] })]
  expect([
    getOutcomeSoFar(turnIn(STATES.accepted)),
    getOutcomeSoFar(unchanged),
    getOutcomeSoFar(unchanged, round),
  ]).toEqual(['submitted', 'no-changes', 'submitted'])
  expect(getOutcomeSoFar(turnIn(endWith('updated')), round)).toBe('pull-request')
})

test.each<[ErrorCode, boolean, string]>([
  ['deadline', false, 'timed-out'],
  ['cancelled', false, 'cancelled'],
  ['unauthorized', false, 'error'],
  ['unreachable', true, 'cancelled'],
  ['internal', true, 'error'],
])('maps the error %s (run cancelled: %s) to the outcome %s', (code, isCancelled, outcome) => {
  const state = stoppedBy(code, { ...STATES.accepted, job: completed }, isCancelled)
  expect(describeTurns({ task: CREATE, state })).toMatchObject({ outcome, error: state.error, job: completed })
})

describe('turn', () => {
  test.each<[Kind, progress: string | undefined, isSent: boolean, isContinued: boolean]>([
    ['planning', undefined, false, false],
    ['preparing', 'unsent', false, false],
    ['sending', 'unsent', false, true],
    ['previewed', 'unsent', false, true],
    ['not-sent', 'unsent', false, false],
    ['delivery-unknown', 'unsent', true, true],
    ['accepted', 'accepted', true, true],
    ['submitted', 'accepted', true, true],
    ['unconfirmed', 'accepted', true, true],
    ['timed-out', 'started', true, true],
    ['ended', 'started', true, true],
    ['unusable-link', 'started', true, true],
    ['left-behind', 'started', true, true],
  ])('a follow-up in the state %s, or stopped in it, has progress %s, sent %s, continued %s', (kind, ...expected) => {
    for (const state of [STATES[kind], stoppedBy('unreachable', STATES[kind])]) {
      const turn = turnIn(state, { followUpReason: 'comment' })
      expect([getProgress(turn), isSent(turn), getFollowUpReason(turn) === 'comment']).toEqual(expected)
      expect(getProgress({ ...turn, task: CREATE })).toBeUndefined()
    }
  })

  test('a confirmed turn has the progress `started`', () => {
    for (const kind of ['accepted', 'submitted'] as const)
      expect(getProgress(turnIn({ ...STATES[kind], isConfirmed: true }))).toBe('started')
  })

  test.each(KINDS)('a read changes the job of a turn in the state %s, unless that state is final', (kind) => {
    const lastProblem = failure('unreachable')
    const [read, problem] = [{ job: failed }, { job: failed, lastProblem }].map((reads) =>
      withReads(STATES[kind], reads),
    )
    const hasNoEnd = ['preparing', 'sending', 'delivery-unknown', 'accepted'].includes(kind)
    expect(read).toEqual(hasNoEnd ? { ...STATES[kind], job: failed } : STATES[kind])
    expect(problem).toEqual(hasNoEnd ? { ...STATES[kind], job: failed, lastProblem } : STATES[kind])
  })
})

test.each<[Outcome, TurnEnd]>([
  ['archived', STATES['not-sent']],
  ['timed-out', { ...STATES['not-sent'], reason: 'timed-out' }],
  ['previewed', STATES.previewed],
  ['submitted', STATES.submitted],
  ['unconfirmed', STATES.unconfirmed],
  ['timed-out', STATES['timed-out']],
  ['error', STATES['unusable-link']],
  ['error', STATES['left-behind']],
  ['pull-request', endWith('created')],
  ['pull-request', endWith('updated')],
  ['pull-request', endWith('unknown')],
  ['no-changes', endWith('unchanged')],
  ['no-changes', endWith('none', withoutLink)],
  ...(['updated', 'unknown'] as const).flatMap((work): [Outcome, TurnEnd][] => [
    ['failed', endWith(work, failed)],
    ['archived', endWith(work, archived)],
  ]),
])('has the outcome %s for the end of a turn', (outcome, end) => {
  expect(describeTurns(turnIn(end))).toMatchObject({ outcome })
})

test('shows a pull request that was merged or closed during a turn in its current state', () => {
  expect(describeTurns(turnIn(STATES['left-behind'])).pullRequest).toEqual({ state: 'merged' })
})

const OWN_RESULT = {
  outcome: 'pull-request',
  operation: 'updated',
  job: completed,
  progress: 'started',
  pullRequest: { checks: 'failure' },
}

/** A step whose own turn has ended, and its rounds. */
function withRounds(rounds: readonly (TurnState | Partial<Turn>)[], own: TurnState = endWith('updated')): Turns {
  const turns = rounds.map((round) => ('kind' in round ? turnIn(round) : turnIn(STATES.preparing, round)))
  return [turnIn(withFindings(own, { pullRequest: { checks: 'failure' } })), ...turns]
}

const stoppedAfter = (code: ErrorCode): Turns => withRounds([], stoppedBy(code, endWith('updated')))

test.each<TurnState>([
  endWith('unchanged'),
  endWith('unknown', { ...failed, prLink: completed.prLink }),
  endWith('unknown', archived),
  STATES.unconfirmed,
  { ...STATES['timed-out'], lastProblem: failure('unreachable'), error: failure('deadline') },
])('keeps the result of the step after a round that ends as %j', (state) => {
  const turns = withRounds([state])
  expect(shouldTrackPullRequest(turns)).toBe(false)
  const report = describeTurns(...turns)
  const lastReadJob = 'job' in state ? state.job : undefined
  expect(report).toMatchObject({ ...OWN_RESULT, rounds: [{ state }], lastReadJob })
  expect([report.error, report.lastProblem]).toEqual([undefined, undefined])
})

test('tracks the pull request after a round that changed it, and shows its last known state', () => {
  const round = turnIn(endWith('updated'))
  expect(shouldTrackPullRequest(withRounds([round]))).toBe(true)
  const turns = withRounds([{ ...endWith('updated'), pullRequest: { checks: 'success' } }, {}])
  expect(describeTurns(...turns)).toMatchObject({ rounds: [round], pullRequest: { checks: 'success' } })
  const read = { ...FACTS, pullRequestAtEnd: { checks: 'success', mergeable: false } } as const
  expect(describeReport({ kind: 'ran', turns, ...read }).pullRequest).toEqual(read.pullRequestAtEnd)
})

test('tracks the pull request only after the end of a job that names one', () => {
  const ends = [endWith('unknown'), endWith('none', withoutLink), STATES['left-behind'], STATES['timed-out']]
  expect(ends.map((end) => shouldTrackPullRequest([turnIn(end)]))).toEqual([true, false, false, false])
})

test.each<[string, Work['kind']]>([
  ['updated', 'unchanged'],
  ['updated', 'unknown'],
  ['created', 'created'],
])('counts commits from rounds as the work of the step: %s', (operation, own) => {
  const turns = withRounds([endWith('updated', failed)], endWith(own))
  expect(describeTurns(...turns)).toMatchObject({ outcome: 'pull-request', operation, job: completed })
})

test('does not report `unchanged` while a round may still push', () => {
  const rounds = [stoppedBy('cancelled', STATES.accepted), STATES.unconfirmed, endWith('unchanged')]
  const operations = rounds.map((round) => getPullRequestOperation(withRounds([round], endWith('unchanged'))))
  expect(operations).toEqual([undefined, undefined, 'unchanged'])
})

test.each([completed, failed])(
  'reports no operation if it is unknown what a round did to the pull request: %j',
  (job) => {
    const turns = withRounds([endWith('unknown', job)], endWith('unchanged'))
    expect([describeTurns(...turns).outcome, getPullRequestOperation(turns)]).toEqual(['pull-request', undefined])
  },
)

const refused = (isCancelled: boolean): Turns =>
  withRounds([{ ...stoppedBy('not-sent', STATES.preparing, isCancelled), roundStop: 'commits-by-others' }])
const inRound = (...state: Parameters<typeof stoppedBy>): Turns => withRounds([stoppedBy(...state)])
const SEEN = { ...STATES.accepted, isConfirmed: true }

test.each<[string, Turns, Outcome, sent: number, FixRounds['stop'], unreported: ErrorCode | undefined]>([
  ['is rejected', inRound('rejected', STATES.sending), 'pull-request', 0, 'not-sent', 'rejected'],
  [
    'may be accepted',
    inRound('unknown-fate', STATES['delivery-unknown']),
    ...(['pull-request', 1, 'unseen', 'unknown-fate'] as const),
  ],
  ['is not seen to start', inRound('forbidden', STATES.accepted), 'pull-request', 1, 'unseen', 'forbidden'],
  ['has no end', inRound('deadline', SEEN), 'pull-request', 1, 'unseen', 'deadline'],
  ['is not begun', stoppedAfter('rejected'), 'pull-request', 0, 'not-sent', 'rejected'],
  ['is stopped by the last check', refused(false), 'pull-request', 0, 'commits-by-others', undefined],
  ['is stopped in a cancelled run', refused(true), 'cancelled', 0, 'commits-by-others', undefined],
  ['is cancelled', inRound('cancelled', STATES.accepted), 'cancelled', 1, 'may-follow', undefined],
  ['has an internal error', inRound('internal'), 'error', 0, 'may-follow', undefined],
  [
    'has an internal error after its end',
    inRound('internal', endWith('unknown', failed)),
    ...(['error', 1, 'failed', undefined] as const),
  ],
])('keeps the result after a round that %s, and the outcome unless it is cancelled or internal', (...row) => {
  const [, turns, outcome, sent, stop, unreported] = row
  const report = describeTurns(...turns)
  expect(report).toMatchObject({ ...OWN_RESULT, outcome, stop })
  expect([report.rounds.length, report.error !== undefined]).toEqual([sent, outcome !== 'pull-request'])
  expect(findUnreportedError(turns)?.code).toBe(unreported)
})

test('has no reason for a stop without a round', () => {
  expect(getRoundStop([{ task: CREATE, state: stoppedBy('rejected') }])).toBe('may-follow')
  expect(describeTurns(...withRounds([]))).toMatchObject({ rounds: [], stop: 'may-follow' })
})

test('adds up the commits of all turns, except in a pull request that a turn opened', () => {
  const turns = [endWith('created'), endWith('updated'), endWith('unknown'), endWith({ ...WORK.updated, commits: 2 })]
  expect(countCommitsOfUpdates(turns.map((state) => turnIn(state)))).toBe(5)
})

const ended = (work: Work['kind'] | Work, job: TerminalJob = completed): TurnEnd => endWith(work, job)

test.each<[TurnEnd, FixRounds['stop']]>([
  [ended('unknown'), 'may-follow'],
  [ended('updated'), 'may-follow'],
  [ended('created'), 'other-pull-request'],
  [STATES['unusable-link'], 'other-pull-request'],
  [ended('none', withoutLink), 'other-pull-request'],
  [ended('unchanged'), 'no-new-commit'],
  [ended({ ...WORK.unchanged, hasHeadMoved: true }), 'may-follow'],
  [ended('unknown', failed), 'failed'],
  [ended('unknown', archived), 'archived'],
  [STATES['not-sent'], 'archived'],
  [STATES['left-behind'], 'left-behind'],
  [STATES['timed-out'], 'unseen'],
  [{ ...STATES['not-sent'], reason: 'timed-out' }, 'not-sent'],
  [STATES.unconfirmed, 'unseen'],
])('returns why no further round follows a round that ended as %j', (end, stop) => {
  expect(getRoundStop(withRounds([end]))).toBe(stop)
})
