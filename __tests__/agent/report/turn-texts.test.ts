import { expect, test } from '@jest/globals'
import { formatEnd, formatVerdict, nameTurn, titleTurn } from '../../../src/agent/report/turn-texts.ts'
import type { Turn } from '../../../src/agent/report/report.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { CREATE, FOLLOW_UP } from '../../support/agent-run.ts'

const unsent = new ActionError('not-sent', 'It was not sent.')
const cancelled = new ActionError('cancelled', 'The run was cancelled.')
const added = { commits: 3, since: 'a'.repeat(40) }

test.each<[string, Partial<Turn>]>([
  ['opened', { task: CREATE, result: { outcome: 'pull-request', operation: 'created' } }],
  ['3 new commits', { result: { outcome: 'pull-request', operation: 'updated', added } }],
  ['1 new commit', { result: { outcome: 'pull-request', operation: 'updated', added: { ...added, commits: 1 } } }],
  ['nothing to change', { result: { outcome: 'no-changes', operation: 'unchanged' } }],
  ['not known whether it has changed', { result: { outcome: 'pull-request' } }],
  ['the changes are in it', { task: { kind: 'attach', jobId: 'job_1' }, result: { outcome: 'pull-request' } }],
  ['failed', { result: { outcome: 'failed' } }],
  ['failed, after 3 new commits', { result: { outcome: 'failed', operation: 'updated', added } }],
  ['did not end in time', { result: { outcome: 'timed-out' } }],
  ['sent, and not seen to begin', { result: { outcome: 'unconfirmed' } }],
  ['sent, and not waited for', { result: { outcome: 'submitted' } }],
  ['not sent', { stopped: { outcome: 'error', error: unsent } }],
  ['cancelled', { progress: 'taken', stopped: { outcome: 'cancelled', error: cancelled } }],
  ['cancelled before it was sent', { progress: 'unsent', stopped: { outcome: 'cancelled', error: cancelled } }],
  [
    'failed: The service may have accepted the prompt',
    { stopped: { outcome: 'error', error: new ActionError('unknown-fate', 'Nobody knows.') } },
  ],
])('a turn is told as: %s', (text, turn) => {
  expect(formatEnd({ task: FOLLOW_UP, ...turn })).toBe(text)
})

const opened: Turn = { task: CREATE, result: { outcome: 'pull-request', operation: 'created' } }

test.each<[string, Turn]>([
  ['opened', opened],
  ['opened, its checks failed', { ...opened, pullRequest: { checks: 'failure' } }],
  ['not sent', { task: FOLLOW_UP }],
])('the line behind the group of a turn says: %s', (text, turn) => {
  expect(formatVerdict(turn)).toBe(text)
})

test('a turn is named for what it does, and a round for what it sends', () => {
  const round = { task: FOLLOW_UP, failing: ['links', 'build\n'].map((name) => ({ name, state: 'failure' }) as const) }
  const attach: Turn = { task: { kind: 'attach', jobId: 'job_1' } }
  expect(titleTurn(nameTurn([opened, round], 2), round)).toBe('Round 1 of 2: links, build')
  expect([titleTurn(nameTurn([opened], 0), opened), nameTurn([attach], 0)]).toEqual(['New job', 'Attach to job_1'])
  expect(nameTurn([{ task: FOLLOW_UP }], 0)).toBe(`Follow-up to ${'jobId' in FOLLOW_UP ? FOLLOW_UP.jobId : ''}`)
})
