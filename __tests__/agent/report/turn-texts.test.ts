import { expect, test } from '@jest/globals'
import type { Turn, TurnState } from '../../../src/agent/report/turn.ts'
import { formatEnd, formatVerdict, nameTurn, titleTurn } from '../../../src/agent/report/outcomes.ts'
import type { ErrorCode } from '../../../src/runtime/errors.ts'
import { active, archived, failed, failure, withoutLink } from '../../support/fake-client.ts'
import { ATTACH, CREATE, endWith, FOLLOW_UP, turnIn, WORK } from '../../support/report.ts'

const ACCEPTED = { kind: 'accepted', job: active, isConfirmed: false } as const
const PREPARING = { kind: 'preparing' } as const
const stopped = (code: ErrorCode, during: Exclude<TurnState, { kind: 'stopped' }>): TurnState => ({
  kind: 'stopped',
  error: failure(code),
  isCancelled: false,
  during,
})
const leftBehind: TurnState = {
  kind: 'left-behind',
  job: failed,
  error: failure('left-behind'),
  pullRequest: {},
  work: WORK.updated,
}

test.each<[string, TurnState, Partial<Turn>?]>([
  ['opened', endWith('created'), { task: CREATE }],
  ['3 new commits', endWith('updated')],
  ['1 new commit', endWith({ ...WORK.updated, commits: 1 })],
  ['nothing to change', endWith('unchanged')],
  ['nothing to change', endWith('none', withoutLink)],
  ['changes unknown', endWith('unknown')],
  ['its changes are in the pull request', endWith('unknown'), { task: ATTACH }],
  ['failed', endWith('unknown', failed)],
  ['failed after 3 new commits', endWith('updated', failed)],
  ['the job is archived', endWith('unknown', archived)],
  ['failed after 3 new commits: The pull request was merged or closed too early', leftBehind],
  [
    'failed: The link to the pull request cannot be used',
    { kind: 'unusable-link', job: failed, error: failure('unusable-link') },
  ],
  ['did not finish in time', { kind: 'timed-out', job: active }],
  ['did not finish in time', stopped('deadline', ACCEPTED)],
  ['did not finish in time', stopped('deadline', PREPARING), { task: ATTACH }],
  ['not sent', stopped('deadline', PREPARING)],
  ['not sent', stopped('deadline', { kind: 'sending' })],
  ['not sent', stopped('deadline', { kind: 'sending' }), { task: CREATE }],
  ['sent, but not seen to start', { kind: 'unconfirmed', job: active }],
  ['sent, without waiting for the result', { kind: 'submitted', job: active, isConfirmed: false }],
  ['not sent, because this is a dry run', { kind: 'previewed', isJobRead: true }],
  ['not sent', { kind: 'not-sent', reason: 'archived', error: failure('not-sent') }],
  ['not sent', stopped('not-sent', PREPARING)],
  ['cancelled', stopped('cancelled', ACCEPTED)],
  ['cancelled before it was sent', stopped('cancelled', PREPARING)],
  ['cancelled', stopped('cancelled', PREPARING), { task: CREATE }],
  ['cancelled', stopped('cancelled', { kind: 'delivery-unknown' })],
  ['3 new commits', stopped('cancelled', endWith('updated'))],
  ['failed: The service may have accepted the prompt', stopped('unknown-fate', { kind: 'delivery-unknown' })],
  ['failed', ACCEPTED],
])('formats the end of a turn as “%s”', (text, state, fields = {}) => {
  expect(formatEnd(turnIn(state, fields))).toBe(text)
})

const opened: Turn = { task: CREATE, state: endWith('created') }

test.each<[string, Turn]>([
  ['pull request opened', opened],
  [
    'pull request opened, its checks failed',
    { ...opened, state: { ...endWith('created'), pullRequest: { checks: 'failure' } } },
  ],
  ['failed', turnIn(endWith('created', failed))],
  ['not sent', turnIn(PREPARING)],
])('formats the line after the group of a turn as “%s”', (text, turn) => {
  expect(formatVerdict(turn)).toBe(text)
})

test('names a turn after its task, and a round after the checks that it sends', () => {
  const failing = ['links', 'build\n'].map((name) => ({ name, state: 'failure' as const }))
  const round = turnIn(PREPARING, { failing })
  expect(titleTurn(nameTurn([opened, round], 2), round)).toBe('Round 1 of 2: links, build')
  expect(titleTurn(nameTurn([opened], 0), opened)).toBe('New job')
  const names = [ATTACH, FOLLOW_UP].map((task) => nameTurn([turnIn(PREPARING, { task })], 0))
  expect(names).toEqual(['Attach to job_1', 'Follow-up to job_1'])
})
