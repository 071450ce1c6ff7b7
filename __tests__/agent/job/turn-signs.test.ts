import { expect, test } from '@jest/globals'
import { isSameEnd } from '../../../src/agent/job/job-state.ts'
import { hasEnded, signsOfAnswer, withRead } from '../../../src/agent/job/turn-signs.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { active, completed, failed, job, LINK, withoutLink } from '../../support/fake-client.ts'

const paused = job({ unlistedStatus: 'paused' })
const READS: Readonly<Record<string, Job>> = { active, completed, failed, paused }

/** Whether a turn has ended that was answered at 0 s, after reads such as `4 active, 15.5 completed`, each at its second. */
function endsAfter(before: Job, answer: Job | undefined, reads: string): boolean {
  let [signs, nowMs] = [signsOfAnswer(answer, 0), 0]
  for (const read of reads.split(', ')) {
    const [seconds, name = ''] = read.split(' ')
    nowMs = Number(seconds) * 1_000
    signs = withRead(signs, READS[name] ?? active, nowMs)
  }
  return hasEnded(signs, before, nowMs)
}

test.each<[string, Job, string, boolean]>([
  ['another end after a read that said active', failed, '2 active, 15 completed', true],
  ['another end that may be a copy of before the message', failed, '2 active, 14.9 completed', false],
  ['another end after an answer that said active', failed, '2 completed', false],
  ['another end 15 s after such an answer, if no read has said so', failed, '16 completed', false],
  ['another end that has stood for 15 s, if no read said active', failed, '2 completed, 17 completed', true],
  ['the same end for less than 15 s', completed, '2 active, 4 completed, 18.9 completed', false],
  ['the same end for 15 s', completed, '2 active, 4 completed, 19 completed', true],
  ['the same end, interrupted', completed, '4 completed, 12 active, 13 completed, 20 completed', false],
  ['the same end, interrupted by what nobody knows', completed, '4 completed, 12 paused, 20 completed', false],
  ['what nobody knows, however long it stands', completed, '2 active, 4 paused, 60 paused', false],
  ['two ends in turn', failed, '4 failed, 12 completed, 20 failed', false],
])('%s ends a turn or not', (_name, before, reads, expected) => {
  expect(endsAfter(before, active, reads)).toBe(expected)
})

test.each([
  ['an answer that says active', active, '0 failed, 15 failed', true],
  ['a read that says active', completed, '0 active, 15 failed', true],
  ['an answer with another status', paused, '0 failed, 60 failed', false],
  ['an answer that was lost', undefined, '0 failed, 60 failed', false],
  ['another end', completed, '0 failed, 60 failed', false],
])('a turn has begun with %s or not, and none ends before', (_what, answer, reads, expected) => {
  expect(endsAfter(completed, answer, reads)).toBe(expected)
})

const linked = (link: string): Job => job({ status: 'completed', prLink: link })

test.each([
  ['the same', completed, completed, true],
  ['another spelling', completed, linked('https://GIT.example.com/acme/docs/pull/7/files?w=1'), true],
  ['another pull request', completed, linked(LINK.replace(/7$/, '8')), false],
  ['another status', withoutLink, failed, false],
  ['a first link', withoutLink, completed, false],
  ['no link either time', withoutLink, withoutLink, true],
])('two readings show the same end or not: %s', (_name, a, b, expected) => {
  expect([isSameEnd(a, b), isSameEnd(b, a)]).toEqual([expected, expected])
})
