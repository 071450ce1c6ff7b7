import { expect, test } from '@jest/globals'
import type { TaskResult, Turn } from '../../../src/agent/report/report.ts'
import { formatEnd, formatVerdict, nameTurn, titleTurn } from '../../../src/agent/report/turn-texts.ts'
import { failure } from '../../support/fake-client.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/report.ts'

const created = { outcome: 'pull-request', operation: 'created' } as const
const updated = { outcome: 'pull-request', operation: 'updated', added: { commits: 3, since: 'a'.repeat(40) } } as const
const unsent = { outcome: 'error', error: failure('not-sent') } as const
const cancelled = { outcome: 'cancelled', error: failure('cancelled') } as const
const failed = (...names: string[]) => names.map((name) => ({ name, state: 'failure' as const }))

const tooEarly: TaskResult = { ...updated, outcome: 'error', error: failure('left-behind') }

test.each<[string, Partial<Turn>]>([
  ['opened', { task: CREATE, result: created }],
  ['3 new commits', { result: updated }],
  ['1 new commit', { result: { ...updated, added: { ...updated.added, commits: 1 } } }],
  ['nothing to change', { result: { outcome: 'no-changes', operation: 'unchanged' } }],
  ['not known whether it has changed', { result: { outcome: 'pull-request' } }],
  ['the changes are in it', { task: ATTACH, result: { outcome: 'pull-request' } }],
  ['failed', { result: { outcome: 'failed' } }],
  ['failed, after 3 new commits', { result: { ...updated, outcome: 'failed' } }],
  ['failed: The pull request was merged or closed too early, after 3 new commits', { result: tooEarly }],
  ['did not end in time', { result: { outcome: 'timed-out' } }],
  ['sent, and not seen to begin', { result: { outcome: 'unconfirmed' } }],
  ['sent, and not waited for', { result: { outcome: 'submitted' } }],
  ['not sent', { stopped: unsent }],
  ['cancelled', { progress: 'taken', stopped: cancelled }],
  ['cancelled before it was sent', { progress: 'unsent', stopped: cancelled }],
  ['failed: The service may have accepted the prompt', { stopped: { ...unsent, error: failure('unknown-fate') } }],
])('a turn is told as: %s', (text, turn) => {
  expect(formatEnd({ task: FOLLOW_UP, ...turn })).toBe(text)
})

const opened: Turn = { task: CREATE, result: created }

test.each<[string, Turn]>([
  ['opened', opened],
  ['opened, its checks failed', { ...opened, pullRequest: { checks: 'failure' } }],
  ['not sent', { task: FOLLOW_UP }],
])('the line behind the group of a turn says: %s', (text, turn) => {
  expect(formatVerdict(turn)).toBe(text)
})

test('a turn is named for what it does, and a round for what it sends', () => {
  const round = { task: FOLLOW_UP, failing: failed('links', 'build\n') }
  expect(titleTurn(nameTurn([opened, round], 2), round)).toBe('Round 1 of 2: links, build')
  expect(titleTurn(nameTurn([opened], 0), opened)).toBe('New job')
  const names = [ATTACH, FOLLOW_UP].map((task) => nameTurn([{ task }], 0))
  expect(names).toEqual(['Attach to job_1', 'Follow-up to job_1'])
})
