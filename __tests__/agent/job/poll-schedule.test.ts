import { expect, test } from '@jest/globals'
import {
  nextPollMs,
  nextSettlePollMs,
  nextTurnPollMs,
  SETTLE_MS,
  type PollState,
} from '../../../src/agent/job/poll-schedule.ts'

const ADAPTIVE = undefined
const state = (fields: Partial<PollState>): PollState => ({
  elapsedMs: 0,
  reads: 1,
  waitMs: 0,
  giveWayMs: 0,
  random: 0.5,
  ...fields,
})

test('reads for the first time after ten seconds', () => {
  expect(nextPollMs(ADAPTIVE, state({ reads: 0 }))).toBe(10_000)
})

test.each([
  [10_000, 5_000],
  [62_500, 5_000],
  [100_000, 8_000],
  [125_000, 10_000],
  [3_600_000, 10_000],
])('after %d ms waits eight percent of that, within five and ten seconds', (elapsedMs, expected) => {
  expect(nextPollMs(ADAPTIVE, state({ elapsedMs }))).toBe(expected)
})

test('spreads reads by ten percent either way, so that a matrix of jobs does not ask in step', () => {
  expect(nextPollMs(ADAPTIVE, state({ elapsedMs: 1e6, random: 0 }))).toBe(9_000)
  expect(nextPollMs(ADAPTIVE, state({ elapsedMs: 1e6, random: 1 }))).toBe(11_000)
})

test.each([ADAPTIVE, 2_000])(
  'takes what the service asks for, and the way that is given, as floors of %j',
  (fixedMs) => {
    expect(nextPollMs(fixedMs, state({ waitMs: 30_000 }))).toBe(30_000)
    expect(nextPollMs(fixedMs, state({ giveWayMs: 40_000 }))).toBe(40_000)
    expect(nextPollMs(fixedMs, state({}))).toBe(fixedMs ?? 5_000)
  },
)

test('the turn of a follow-up waits for the service, and gives way to nobody', () => {
  expect(nextTurnPollMs(ADAPTIVE, state({ waitMs: 30_000, giveWayMs: 40_000 }))).toBe(30_000)
})

test('keeps a fixed interval as it was given', () => {
  expect(nextPollMs(100, state({ reads: 0, random: 1 }))).toBe(100)
  expect(nextPollMs(300_000, state({ elapsedMs: 1e6, waitMs: 2_000 }))).toBe(300_000)
})

test('reads for the turn of a follow-up every two to five seconds', () => {
  const delays = [0, 1, 2, 3, 4, 50].map((reads) => nextTurnPollMs(ADAPTIVE, state({ reads })))
  expect(delays).toEqual([2_000, 2_500, 3_125, 3_906.25, 4_882.8125, 5_000])
})

test('a fixed interval may make these reads more frequent, not rarer', () => {
  expect(nextTurnPollMs(100, state({ reads: 0 }))).toBe(100)
  expect(nextTurnPollMs(300_000, state({ reads: 9 }))).toBe(5_000)
})

test('the reads for what may lag fill its time, which is ten seconds', () => {
  const delays = [0, 1, 2, 3].map(nextSettlePollMs)
  expect(delays.reduce((sum, delay) => sum + delay)).toBe(SETTLE_MS)
  expect(SETTLE_MS).toBe(10_000)
})
