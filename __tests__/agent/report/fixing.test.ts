import { expect, test } from '@jest/globals'
import { stopAfterTurn, tellFixing, tellStop } from '../../../src/agent/report/fixing.ts'
import type { TaskResult } from '../../../src/agent/report/report.ts'
import { ActionError } from '../../../src/shared/errors.ts'

const notSent = new ActionError('not-sent', 'It was not sent.')

test.each<[TaskResult, ReturnType<typeof stopAfterTurn>]>([
  [{ outcome: 'pull-request', operation: 'updated' }, undefined],
  [{ outcome: 'pull-request' }, undefined],
  [{ outcome: 'pull-request', operation: 'created' }, 'diverged'],
  [{ outcome: 'no-changes', operation: 'unchanged' }, 'unmoved'],
  [{ outcome: 'failed' }, 'failed'],
  [{ outcome: 'archived' }, 'archived'],
  [{ outcome: 'archived', error: notSent }, 'archived'],
  [{ outcome: 'timed-out' }, 'unseen'],
  [{ outcome: 'timed-out', error: notSent }, 'not-sent'],
  [{ outcome: 'unconfirmed' }, 'unseen'],
])('a turn that ended as %j', (result, stop) => {
  expect(stopAfterTurn(result)).toBe(stop)
})

test('says how often, and why no more', () => {
  expect(tellFixing(undefined)).toEqual([])
  expect(tellFixing({ sent: 0, stop: 'passed' })).toEqual([])
  expect(tellFixing({ sent: 0, stop: 'red-before' })).toEqual([
    'Failing checks were not sent back to the agent.',
    tellStop('red-before'),
  ])
  expect(tellFixing({ sent: 1, stop: 'passed' })).toEqual(['Failing checks were sent back to the agent once.'])
  expect(tellFixing({ sent: 3, stop: 'used-up' })).toEqual([
    'Failing checks were sent back to the agent 3 times.',
    tellStop('used-up'),
  ])
})
