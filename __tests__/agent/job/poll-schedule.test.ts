import { expect, test } from '@jest/globals'
import {
  nextPollMs,
  nextSettlePollMs,
  nextTurnPollMs,
  type PollState,
  SETTLE_MS,
} from '../../../src/agent/job/poll-schedule.ts'

const USUAL: PollState = { elapsedMs: 0, reads: 1, waitMs: 0, giveWayMs: 0, random: 0.5 }
const ADAPTIVE = undefined

test.each<[string, number | undefined, Partial<PollState>, number]>([
  ['first after ten seconds', ADAPTIVE, { reads: 0 }, 10_000],
  ['then after eight percent of the time that has passed', ADAPTIVE, { elapsedMs: 100_000 }, 8_000],
  ['at least five seconds', ADAPTIVE, { elapsedMs: 10_000 }, 5_000],
  ['at most ten', ADAPTIVE, { elapsedMs: 3_600_000 }, 10_000],
  [
    'by chance up to ten percent earlier, so that a matrix does not ask in step',
    ADAPTIVE,
    { elapsedMs: 1e6, random: 0 },
    9_000,
  ],
  ['or later', ADAPTIVE, { elapsedMs: 1e6, random: 1 }, 11_000],
  ['no earlier than the service asks for', ADAPTIVE, { waitMs: 30_000 }, 30_000],
  ['no earlier than others are let past', ADAPTIVE, { giveWayMs: 40_000 }, 40_000],
  ['after a fixed time if one is given', 100, { reads: 0, random: 1 }, 100],
  ['which may be long', 300_000, { elapsedMs: 1e6, waitMs: 2_000 }, 300_000],
  ['and is no shorter than the service asks for', 2_000, { waitMs: 30_000 }, 30_000],
  ['nor than others are let past', 2_000, { giveWayMs: 40_000 }, 40_000],
])('a job is read %s', (_when, fixedMs, state, expected) => {
  expect(nextPollMs(fixedMs, { ...USUAL, ...state })).toBe(expected)
})

test.each<[string, number | undefined, Partial<PollState>, number]>([
  ['first after two seconds', ADAPTIVE, { reads: 0 }, 2_000],
  ['then a quarter later each time', ADAPTIVE, { reads: 2 }, 3_125],
  ['at most after five', ADAPTIVE, { reads: 50 }, 5_000],
  ['as the service asks, and giving way to nobody', ADAPTIVE, { waitMs: 30_000, giveWayMs: 40_000 }, 30_000],
  ['after a fixed time that is shorter', 100, { reads: 0 }, 100],
  ['not after one that is longer', 300_000, { reads: 9 }, 5_000],
])('the turn of a follow-up is looked for %s', (_when, fixedMs, state, expected) => {
  expect(nextTurnPollMs(fixedMs, { ...USUAL, ...state })).toBe(expected)
})

test('the reads for what may lag fill its time, which is ten seconds', () => {
  expect([0, 1, 2, 3].map(nextSettlePollMs).reduce((sum, ms) => sum + ms)).toBe(SETTLE_MS)
  expect(SETTLE_MS).toBe(10_000)
})
