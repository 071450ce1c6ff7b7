import { describe, expect, test } from '@jest/globals'
import {
  getFollowUpReason,
  getProgress,
  isSent,
  type RoundStop,
  type Turn,
  type TurnEnd,
  type Turns,
  type TurnState,
  withReads,
  type Work,
} from '../../../src/agent/report/turn.ts'
import type { Facts, Outcome } from '../../../src/agent/report/report.ts'
import {
  countCommits,
  findUnreportedError,
  getPullRequestOperation,
  getRoundStop,
  shouldTrackPullRequest,
} from '../../../src/agent/report/turns.ts'
import { getOutcome } from '../../../src/agent/report/step-end.ts'
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

const tell = (...turns: Turns): DescribedReport => describeReport({ kind: 'ran', turns, ...FACTS })

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
    ...{ kind: 'left-behind', job: completed, error: failure('left-behind') },
    ...{ work: WORK.updated, pullRequest: { state: 'merged' } },
  },
} as const satisfies { [Kind in Exclude<TurnState['kind'], 'stopped'>]: Extract<TurnState, { kind: Kind }> }

type Kind = keyof typeof STATES
const KINDS = Object.keys(STATES) as Kind[]

type Stop = Extract<TurnState, { kind: 'stopped' }>
const stoppedBy = (code: ErrorCode, during: Stop['during'] = STATES.preparing, isCancelled = false): Stop => ({
  ...{ kind: 'stopped', error: failure(code), isCancelled, during },
})

test('a step that found out nothing has ended in an error, with its task and what was recorded', () => {
  const turns = [{ task: CREATE, state: STATES.planning }] as const
  expect(tell(...turns)).toMatchObject({ ...FACTS, outcome: 'error', task: CREATE, rounds: [] })
  expect(getOutcome({ kind: 'ran', turns, ...FACTS, skipReason: 'Nothing changed.' })).toBe('skipped')
})

test('before the end of a step, its outcome is known only if nothing can change it', () => {
  const soFar = (...turns: Turns): string => getOutcome({ kind: 'running', turns, ...FACTS })
  const [unchanged, round] = [turnIn(endWith('unchanged')), turnIn(STATES.accepted, { failing: [] })]
  expect([soFar(turnIn(STATES.accepted)), soFar(unchanged), soFar(unchanged, round)]).toEqual([
    'submitted',
    'no-changes',
    'submitted',
  ])
  expect(soFar(turnIn(endWith('updated')), round)).toBe('pull-request')
})

test.each<[ErrorCode, boolean, string]>([
  ['deadline', false, 'timed-out'],
  ['cancelled', false, 'cancelled'],
  ['unauthorized', false, 'error'],
  ['unreachable', true, 'cancelled'],
  ['internal', true, 'error'],
])('an error that is %s (run cancelled: %s) stops the step as %s', (code, isCancelled, outcome) => {
  const state = stoppedBy(code, { ...STATES.accepted, job: completed }, isCancelled)
  expect(tell({ task: CREATE, state })).toMatchObject({ outcome, error: state.error, job: completed })
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
  ])('of a follow-up that is %s, or stopped then: progress %s, sent %s, continued %s', (kind, ...expected) => {
    for (const state of [STATES[kind], stoppedBy('unreachable', STATES[kind])]) {
      const turn = turnIn(state, { followUpReason: 'comment' })
      expect([getProgress(turn), isSent(turn), getFollowUpReason(turn) === 'comment']).toEqual(expected)
      expect(getProgress({ ...turn, task: CREATE })).toBeUndefined()
    }
  })

  test('a turn that was seen to begin has come further', () => {
    for (const kind of ['accepted', 'submitted'] as const)
      expect(getProgress(turnIn({ ...STATES[kind], isConfirmed: true }))).toBe('started')
  })

  test.each(KINDS)('a read changes what is known of the job of a turn that is %s, or it has an end', (kind) => {
    const lastProblem = failure('unreachable')
    const [read, problem] = [{ job: failed }, { job: failed, lastProblem }].map((reads) =>
      withReads(STATES[kind], reads),
    )
    const isLive = ['preparing', 'sending', 'delivery-unknown', 'accepted'].includes(kind)
    expect(read).toEqual(isLive ? { ...STATES[kind], job: failed } : STATES[kind])
    expect(problem).toEqual(isLive ? { ...STATES[kind], job: failed, lastProblem } : STATES[kind])
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
])('the outcome is %s', (outcome, end) => {
  expect(tell(turnIn(end))).toMatchObject({ outcome })
})

test('a pull request that was merged or closed during a turn is shown as it is', () => {
  expect(tell(turnIn(STATES['left-behind'])).pullRequest).toEqual({ state: 'merged' })
})

const SHOWN = {
  ...{ outcome: 'pull-request', operation: 'updated', job: completed },
  ...{ progress: 'started', pullRequest: { checks: 'failure' } },
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
])('a round that ends as %j takes nothing from what is known', (state) => {
  const turns = withRounds([state])
  expect(shouldTrackPullRequest(turns)).toBe(false)
  const report = tell(...turns)
  const lastReadJob = 'job' in state ? state.job : undefined
  expect(report).toMatchObject({ ...SHOWN, rounds: [{ state }], lastReadJob })
  expect([report.error, report.lastProblem]).toEqual([undefined, undefined])
})

test('a round that moved the pull request goes on, and what was seen last of it is shown', () => {
  const round = turnIn(endWith('updated'))
  expect(shouldTrackPullRequest(withRounds([round]))).toBe(true)
  const turns = withRounds([{ ...endWith('updated'), pullRequest: { checks: 'success' } }, {}])
  expect(tell(...turns)).toMatchObject({ rounds: [round], pullRequest: { checks: 'success' } })
  const read = { ...FACTS, pullRequestAtEnd: { checks: 'success', mergeable: false } } as const
  expect(describeReport({ kind: 'ran', turns, ...read }).pullRequest).toEqual(read.pullRequestAtEnd)
})

test('only the end of a job that names a pull request is followed', () => {
  const ends = [endWith('unknown'), endWith('none', withoutLink), STATES['left-behind'], STATES['timed-out']]
  expect(ends.map((end) => shouldTrackPullRequest([turnIn(end)]))).toEqual([true, false, false, false])
})

test.each<[string, Work['kind']]>([
  ['updated', 'unchanged'],
  ['updated', 'unknown'],
  ['created', 'created'],
])('what a round has pushed is the step’s work: %s', (operation, own) => {
  const turns = withRounds([endWith('updated', failed)], endWith(own))
  expect(tell(...turns)).toMatchObject({ outcome: 'pull-request', operation, job: completed })
})

test('while a round may push yet, nobody knows that the pull request stays as it is', () => {
  const rounds = [stoppedBy('cancelled', STATES.accepted), STATES.unconfirmed, endWith('unchanged')]
  const operations = rounds.map((round) => getPullRequestOperation(withRounds([round], endWith('unchanged'))))
  expect(operations).toEqual([undefined, undefined, 'unchanged'])
})

test.each([completed, failed])(
  'if it is not known what a round did to the pull request, it is not known whether the step changed it: %j',
  (job) => {
    const turns = withRounds([endWith('unknown', job)], endWith('unchanged'))
    expect([tell(...turns).outcome, getPullRequestOperation(turns)]).toEqual(['pull-request', undefined])
  },
)

const refused = (isCancelled: boolean): Turns =>
  withRounds([{ ...stoppedBy('not-sent', STATES.preparing, isCancelled), roundStop: 'foreign-commits' }])
const inRound = (...state: Parameters<typeof stoppedBy>): Turns => withRounds([stoppedBy(...state)])
const SEEN = { ...STATES.accepted, isConfirmed: true }

test.each<[string, Turns, Outcome, sent: number, RoundStop | undefined, unreported: ErrorCode | undefined]>([
  ['is not taken', inRound('rejected', STATES.sending), 'pull-request', 0, 'not-sent', 'rejected'],
  [
    'may be taken',
    inRound('unknown-fate', STATES['delivery-unknown']),
    ...(['pull-request', 1, 'unseen', 'unknown-fate'] as const),
  ],
  ['is not seen', inRound('forbidden', STATES.accepted), 'pull-request', 1, 'unseen', 'forbidden'],
  ['has no end', inRound('deadline', SEEN), 'pull-request', 1, 'unseen', 'deadline'],
  ['is not even begun', stoppedAfter('rejected'), 'pull-request', 0, 'not-sent', 'rejected'],
  ['is refused at the last look', refused(false), 'pull-request', 0, 'foreign-commits', undefined],
  ['is refused in a cancelled run', refused(true), 'cancelled', 0, 'foreign-commits', undefined],
  ['is cancelled', inRound('cancelled', STATES.accepted), 'cancelled', 1, undefined, undefined],
  ['has a defect', inRound('internal'), 'error', 0, undefined, undefined],
  [
    'has a defect after its end',
    inRound('internal', endWith('unknown', failed)),
    ...(['error', 1, 'failed', undefined] as const),
  ],
])('a round that %s takes away nothing that is known, and only a cancel or a defect the outcome', (...row) => {
  const [, turns, outcome, sent, stop, unreported] = row
  const report = tell(...turns)
  expect(report).toMatchObject({ ...SHOWN, outcome, stop })
  expect([report.rounds.length, report.error !== undefined]).toEqual([sent, outcome !== 'pull-request'])
  expect(findUnreportedError(turns)?.code).toBe(unreported)
})

test('a turn that is the step’s own needs no reason why none follows', () => {
  expect(getRoundStop([{ task: CREATE, state: stoppedBy('rejected') }])).toBeUndefined()
  expect(tell(...withRounds([]))).toMatchObject({ rounds: [], stop: undefined })
})

test('the commits of the turns are added up, without those of a pull request that a turn has opened', () => {
  const turns = [endWith('created'), endWith('updated'), endWith('unknown'), endWith({ ...WORK.updated, commits: 2 })]
  expect(countCommits(turns.map((state) => turnIn(state)))).toBe(5)
})

const ended = (work: Work['kind'] | Work, job: TerminalJob = completed): TurnEnd => endWith(work, job)

test.each<[TurnEnd, RoundStop | undefined]>([
  [ended('unknown'), undefined],
  [ended('updated'), undefined],
  [ended('created'), 'other-pull-request'],
  [STATES['unusable-link'], 'other-pull-request'],
  [ended('none', withoutLink), 'other-pull-request'],
  [ended('unchanged'), 'no-new-commit'],
  [ended({ ...WORK.unchanged, hasHeadMoved: true }), undefined],
  [ended('unknown', failed), 'failed'],
  [ended('unknown', archived), 'archived'],
  [STATES['not-sent'], 'archived'],
  [STATES['left-behind'], 'left-behind'],
  [STATES['timed-out'], 'unseen'],
  [{ ...STATES['not-sent'], reason: 'timed-out' }, 'not-sent'],
  [STATES.unconfirmed, 'unseen'],
])('a round that ended as %j', (end, stop) => {
  expect(getRoundStop(withRounds([end]))).toBe(stop)
})
