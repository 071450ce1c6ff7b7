import { expect, test } from '@jest/globals'

import {
  type JobRecord,
  type TurnPlan,
  planTurn,
  pushedTurns,
  sendMessage,
  stateAt,
} from '../../../src/emulator/service/job-machine.ts'
import { USUAL_TURN } from '../../../src/emulator/service/scenarios.ts'

/** A job that was created at 0 and whose first turn ends at 20 s. */
function job(plan: Partial<TurnPlan> = {}): JobRecord {
  const turns = [planTurn('first', { ...USUAL_TURN, ...plan }, 0)] as const
  return { id: 'job_1', projectId: 'docs', createdAtMs: 0, pullNumber: 7, turns }
}

function messaged(before: JobRecord, nowMs: number, plan: Partial<TurnPlan> = {}): JobRecord {
  const after = sendMessage(before, 'more', { ...USUAL_TURN, ...plan }, nowMs)
  if (after === 'archived') throw new Error('The job is archived.')
  return after
}

/** What the job reads at these seconds, such as `active` or `completed+link`. */
function readings(of: JobRecord, seconds: readonly number[]): string[] {
  return seconds.map((second) => {
    const { status, pullRequest } = stateAt(of, second * 1_000)
    return pullRequest === 'linked' ? `${status}+link` : status
  })
}

test.each([
  ['pull-request', 'completed+link'],
  ['no-changes', 'completed'],
  ['failed', 'failed'],
  ['archived', 'archived'],
] as const)('a turn that ends as %s is active until its end, and then reads %s', (ending, after) => {
  expect(readings(job({ ending }), [0, 19.999, 20, 10_000])).toEqual(['active', 'active', after, after])
})

test('an archived job tells when it was archived, and no other job does', () => {
  expect(stateAt(job({ ending: 'archived' }), 60_000).archivedAtMs).toBe(20_000)
  expect(stateAt(job({ ending: 'archived' }), 19_999).archivedAtMs).toBeUndefined()
  expect(stateAt(job({ ending: 'failed' }), 60_000).archivedAtMs).toBeUndefined()
})

test('a late link comes after the end of the turn', () => {
  const late = job({ linkDelayMs: 3_000 })
  expect(readings(late, [20, 22.999, 23])).toEqual(['completed', 'completed', 'completed+link'])
})

test('a pause lies inside the turn', () => {
  const paused = job({ pause: { fromMs: 5_000, toMs: 12_000 } })
  expect(readings(paused, [4.999, 5, 11.999, 12, 20])).toEqual([
    'active',
    'paused',
    'paused',
    'active',
    'completed+link',
  ])
})

test('a message to a finished job starts its turn at once, and hides the link while the agent works', () => {
  const again = messaged(job(), 60_000)
  expect(readings(again, [59, 60, 79.999, 80])).toEqual(['completed+link', 'active', 'active', 'completed+link'])
})

test('a message to an active job waits behind its present turn, without a gap between the two', () => {
  const queued = messaged(job({ ending: 'no-changes' }), 5_000)
  expect(readings(queued, [5, 19.999, 20, 39.999, 40])).toEqual([
    'active',
    'active',
    'active',
    'active',
    'completed+link',
  ])
})

test('a turn that starts late leaves the job reading as before until then', () => {
  const stale = messaged(job(), 60_000, { startDelayMs: 8_000 })
  expect(readings(stale, [60, 67.999, 68, 88])).toEqual([
    'completed+link',
    'completed+link',
    'active',
    'completed+link',
  ])
})

test('a turn that never starts is never seen, and neither is one behind it', () => {
  const never = messaged(job(), 60_000, { startDelayMs: Infinity })
  expect(readings(messaged(never, 61_000), [61, 1_000_000])).toEqual(['completed+link', 'completed+link'])
})

test('a later turn without changes, or one that fails, leaves the pull request open', () => {
  expect(readings(messaged(job(), 60_000, { ending: 'no-changes' }), [80])).toEqual(['completed+link'])
  expect(readings(messaged(job(), 60_000, { ending: 'failed' }), [80])).toEqual(['failed+link'])
})

test('an archived job takes no message', () => {
  expect(sendMessage(job({ ending: 'archived' }), 'more', USUAL_TURN, 20_000)).toBe('archived')
})

test('what waits behind a turn is never done when that turn ends with the job archived', () => {
  const queued = messaged(job({ ending: 'archived' }), 5_000)
  expect(readings(queued, [20, 30, 1_000])).toEqual(['archived', 'archived', 'archived'])
  expect(stateAt(queued, 1_000_000).archivedAtMs).toBe(20_000)
  expect(pushedTurns(queued, 1_000_000)).toEqual([])
})

test('a failed job can be told to go on', () => {
  expect(readings(messaged(job({ ending: 'failed' }), 30_000), [30, 50])).toEqual(['active', 'completed+link'])
})

test('the pull request holds the turns that ended with changes, in their order', () => {
  const twice = messaged(messaged(job(), 30_000, { ending: 'no-changes' }), 60_000)
  const pushed = (second: number): number[] =>
    pushedTurns(twice, second * 1_000).map(({ endsAtMs }) => endsAtMs / 1_000)
  expect([pushed(19), pushed(20), pushed(79), pushed(80)]).toEqual([[], [20], [20], [20, 80]])
})

test('sending a message leaves the record it was given alone', () => {
  const before = job()
  messaged(before, 60_000)
  expect(before.turns).toHaveLength(1)
})
