import { expect, test } from '@jest/globals'
import type { Turn } from '../../src/agent/record.ts'
import { formatEnd, formatVerdict, nameTurn, titleTurn } from '../../src/agent/outcome.ts'
import { active, archived, failed, failure, withoutLink } from '../../testing/fake-client.ts'
import {
  accept,
  ATTACH,
  CREATE,
  endWith,
  FOLLOW_UP,
  stopWith,
  type TurnFacts,
  turnIn,
  EFFECTS,
} from '../../testing/report.ts'

const ACCEPTED = accept()
const PREPARING: TurnFacts = {}
const mergedTooEarly: TurnFacts = { ...endWith('updated', failed), error: failure('merged-too-early'), pullRequest: {} }

test.each<[string, TurnFacts, Partial<Turn>?]>([
  ['opened', endWith('created'), { task: CREATE }],
  ['3 new commits', endWith('updated')],
  ['1 new commit', endWith({ ...EFFECTS.updated, commits: 1 })],
  ['nothing to change', endWith('unchanged')],
  ['nothing to change', endWith('none', withoutLink)],
  ['changes unknown', endWith('unknown')],
  ['its changes are in the pull request', endWith('unknown'), { task: ATTACH }],
  ['failed', endWith('unknown', failed)],
  ['failed after 3 new commits', endWith('updated', failed)],
  ['the job is archived', endWith('unknown', archived)],
  ['failed after 3 new commits: The pull request was merged or closed too early', mergedTooEarly],
  ['did not finish in time', { sent: 'started', end: 'timed-out', job: active }],
  ['did not finish in time', stopWith('deadline', ACCEPTED)],
  ['did not finish in time', stopWith('deadline', PREPARING), { task: ATTACH }],
  ['not sent', stopWith('deadline', PREPARING)],
  ['not sent', stopWith('deadline', {})],
  ['not sent', stopWith('deadline', {}), { task: CREATE }],
  ['sent, but not seen to start', { sent: 'accepted', end: 'unconfirmed', job: active }],
  ['sent, without waiting for the result', { sent: 'accepted', end: 'not-awaited', job: active }],
  ['not sent, because this is a dry run', { end: 'previewed' }],
  ['not sent', { error: failure('not-sent') }],
  ['not sent', stopWith('not-sent', PREPARING)],
  ['cancelled', stopWith('cancelled', ACCEPTED)],
  ['not sent', stopWith('cancelled', PREPARING)],
  ['not sent', stopWith('cancelled', PREPARING), { task: CREATE }],
  ['failed: The request was rejected', stopWith('rejected', PREPARING)],
  ['cancelled', stopWith('cancelled', { sent: 'maybe' })],
  ['3 new commits', stopWith('cancelled', endWith('updated'))],
  ['failed: The service may have accepted the prompt', stopWith('maybe-sent', { sent: 'maybe' })],
  ['failed', ACCEPTED],
])('formats the end of a turn as “%s”', (text, state, fields = {}) => {
  expect(formatEnd(turnIn(state, fields))).toBe(text)
})

const opened: Turn = { task: CREATE, ...endWith('created') }

test.each<[string, Turn]>([
  ['pull request opened', opened],
  ['pull request opened, its checks failed', { ...opened, pullRequest: { checks: 'failure' } }],
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
