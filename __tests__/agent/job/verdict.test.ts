import { expect, test } from '@jest/globals'
import { isRunning, judge, showsNewTurn } from '../../../src/agent/job/verdict.ts'
import { active, archived, completed, failed, job, withoutLink } from '../../support/fake-client.ts'

test.each([
  ['active', active, { kind: 'running' }],
  ['completed with a link', completed, { kind: 'settled', outcome: 'pull-request' }],
  ['completed without a link', withoutLink, { kind: 'completed-without-link' }],
  ['failed', failed, { kind: 'settled', outcome: 'failed' }],
  ['archived', archived, { kind: 'settled', outcome: 'archived' }],
])('judges a job that is %s', (_name, seen, verdict) => {
  expect(judge(seen)).toEqual(verdict)
})

test('a link does not make a failed job a success', () => {
  expect(judge(job({ status: 'failed', prLink: 'https://git.example.com/a/b/pull/1' }))).toEqual({
    kind: 'settled',
    outcome: 'failed',
  })
})

test('only an active job runs', () => {
  expect([active, completed, withoutLink, failed, archived].map(isRunning)).toEqual([true, false, false, false, false])
})

test.each([
  ['runs', active, true],
  ['ended in another way', failed, true],
  ['has another pull request', { ...completed, prLink: 'https://git.example.com/acme/docs/pull/8' }, true],
  ['reads as before', completed, false],
  ['reads as before, without its link', withoutLink, false],
])('a job that %s shows a new turn or not', (_name, seen, expected) => {
  expect(showsNewTurn(completed, seen)).toBe(expected)
})

test('a first link proves no new turn, as it may be the late one of the turn before', () => {
  expect(showsNewTurn(withoutLink, completed)).toBe(false)
})

test('a status that was only assumed proves no new turn', () => {
  expect(showsNewTurn(completed, { ...active, isAssumed: true })).toBe(false)
})
