import { expect, test } from '@jest/globals'
import { hasEnded, signsOfAnswer, withRead } from '../../../src/agent/job/turn-signs.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { active, completed, failed, job } from '../../support/fake-client.ts'

const SECOND = 1_000

/** Whether the turn has ended after reads at these seconds. */
function endsAfter(before: Job, answer: Job | undefined, ...reads: [seconds: number, read: Job][]): boolean {
  const signs = reads.reduce((seen, [at, read]) => withRead(seen, read, at * SECOND), signsOfAnswer(answer, 0))
  return hasEnded(signs, before, (reads.at(-1)?.[0] ?? 0) * SECOND)
}

test('only the word `active` begins a turn, in the answer or in a read', () => {
  expect(signsOfAnswer(active, 0).hasBegun).toBe(true)
  expect(signsOfAnswer(undefined, 0).hasBegun).toBe(false)
  expect(signsOfAnswer(job({ unlistedStatus: 'paused' }), 0).hasBegun).toBe(false)
  expect(withRead(signsOfAnswer(completed, 0), active, 0).hasBegun).toBe(true)
  expect(withRead(signsOfAnswer(completed, 0), failed, 0).hasBegun).toBe(false)
})

test.each<[string, Job, [number, Job][], boolean]>([
  [
    'another end after a read that said active',
    failed,
    [
      [2, active],
      [15, completed],
    ],
    true,
  ],
  [
    'another end that may be a copy of before the message',
    failed,
    [
      [2, active],
      [14.9, completed],
    ],
    false,
  ],
  ['another end after an answer that said active', failed, [[2, completed]], false],
  ['another end 15 s after an answer that said active, which no read has said', failed, [[16, completed]], false],
  [
    'another end that has stood for 15 s, and no read said active',
    failed,
    [
      [2, completed],
      [17, completed],
    ],
    true,
  ],
  [
    'the same end for less than 15 s',
    completed,
    [
      [2, active],
      [4, completed],
      [18.9, completed],
    ],
    false,
  ],
  [
    'the same end for 15 s',
    completed,
    [
      [2, active],
      [4, completed],
      [19, completed],
    ],
    true,
  ],
  [
    'the same end, interrupted by active',
    completed,
    [
      [4, completed],
      [12, active],
      [13, completed],
      [20, completed],
    ],
    false,
  ],
  [
    'the same end, interrupted by an unknown status',
    completed,
    [
      [4, completed],
      [12, job({ unlistedStatus: 'x' })],
      [13, completed],
      [20, completed],
    ],
    false,
  ],
  [
    'two ends in turn',
    failed,
    [
      [4, failed],
      [12, completed],
      [20, failed],
    ],
    false,
  ],
])('%s ends a turn or not', (_name, before, reads, expected) => {
  expect(endsAfter(before, active, ...reads)).toBe(expected)
})

test('nothing ends a turn that has not begun', () => {
  expect(endsAfter(completed, completed, [0, failed], [60, failed])).toBe(false)
})
