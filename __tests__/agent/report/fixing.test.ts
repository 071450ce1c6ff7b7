import { expect, test } from '@jest/globals'
import { formatFixing, formatStop } from '../../../src/agent/report/fixing.ts'

test('says how often, and why no more', () => {
  expect(formatFixing(undefined)).toEqual([])
  expect(formatFixing({ sent: 0, stop: 'passed' })).toEqual([])
  expect(formatFixing({ sent: 0, stop: 'red-before' })).toEqual([
    'Failing checks were not sent back to the agent.',
    formatStop('red-before'),
  ])
  expect(formatFixing({ sent: 1, stop: 'passed' })).toEqual(['Failing checks were sent back to the agent once.'])
  expect(formatFixing({ sent: 3, stop: 'used-up' })).toEqual([
    'Failing checks were sent back to the agent 3 times.',
    formatStop('used-up'),
  ])
})
