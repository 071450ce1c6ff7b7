import { expect, test } from '@jest/globals'
import { tellFixing, tellStop } from '../../../src/agent/report/fixing.ts'

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
