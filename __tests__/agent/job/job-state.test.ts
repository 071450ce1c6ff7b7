import { expect, test } from '@jest/globals'
import { isRunning, isSameEnd, saysActive } from '../../../src/agent/job/job-state.ts'
import { active, archived, completed, failed, job, withoutLink } from '../../support/fake-client.ts'

test('only an active job runs', () => {
  expect([active, completed, withoutLink, failed, archived].map(isRunning)).toEqual([true, false, false, false, false])
})

test.each([
  ['active', active, true],
  ['nothing but its id', { ...active, isAssumed: true as const }, false],
  ['a status that nobody lists', job({ unlistedStatus: 'paused' }), false],
  ['completed', completed, false],
])('a job that reads %s says in so many words that it is active, or not', (_name, read, expected) => {
  expect(saysActive(read)).toBe(expected)
})

test.each([
  ['the same', completed, completed, true],
  [
    'the same link in another spelling',
    completed,
    job({ status: 'completed', prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1' }),
    true,
  ],
  [
    'another pull request',
    completed,
    job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/8' }),
    false,
  ],
  ['another status', completed, failed, false],
  ['a first link', withoutLink, completed, false],
  ['no link either time', withoutLink, withoutLink, true],
])('two readings show the same end or not: %s', (_name, a, b, expected) => {
  expect([isSameEnd(a, b), isSameEnd(b, a)]).toEqual([expected, expected])
})
