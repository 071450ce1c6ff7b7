import { expect, test } from '@jest/globals'
import {
  nextLinkLookMs,
  nextLookMs,
  nextTurnLookMs,
  LINK_LAG_MS,
  type Look,
  type Pace,
} from '../../../src/agent/job/poll-schedule.ts'

const ADAPTIVE: Pace = { fixedMs: undefined, timesLimited: 0 }
const look = (fields: Partial<Look>): Look => ({ elapsedMs: 0, looks: 1, retryAfterMs: 0, random: 0.5, ...fields })

test('looks for the first time after ten seconds', () => {
  expect(nextLookMs(ADAPTIVE, look({ looks: 0 }))).toBe(10_000)
})

test.each([
  [10_000, 5_000],
  [62_500, 5_000],
  [100_000, 8_000],
  [125_000, 10_000],
  [3_600_000, 10_000],
])('after %d ms waits eight percent of that, within five and ten seconds', (elapsedMs, expected) => {
  expect(nextLookMs(ADAPTIVE, look({ elapsedMs }))).toBe(expected)
})

test('spreads looks by ten percent either way, so that a matrix of jobs does not ask in step', () => {
  expect(nextLookMs(ADAPTIVE, look({ elapsedMs: 1e6, random: 0 }))).toBe(9_000)
  expect(nextLookMs(ADAPTIVE, look({ elapsedMs: 1e6, random: 1 }))).toBe(11_000)
})

test.each([
  [1, 20_000],
  [2, 40_000],
  [3, 60_000],
  [9, 60_000],
])('after %d rate limits the upper bound has doubled as often, to a minute at most', (timesLimited, expected) => {
  expect(nextLookMs({ ...ADAPTIVE, timesLimited }, look({ elapsedMs: 1e6 }))).toBe(expected)
})

test('takes what the service asks for as a floor', () => {
  expect(nextLookMs(ADAPTIVE, look({ retryAfterMs: 30_000 }))).toBe(30_000)
  expect(nextLookMs(ADAPTIVE, look({ retryAfterMs: 0 }))).toBe(5_000)
  expect(nextTurnLookMs(ADAPTIVE, look({ retryAfterMs: 30_000 }))).toBe(30_000)
  expect(nextLinkLookMs(ADAPTIVE, look({ retryAfterMs: 30_000 }))).toBe(30_000)
})

test('keeps a fixed interval as it was given', () => {
  expect(nextLookMs({ fixedMs: 100, timesLimited: 0 }, look({ looks: 0, random: 1 }))).toBe(100)
  expect(nextLookMs({ fixedMs: 300_000, timesLimited: 0 }, look({ elapsedMs: 1e6 }))).toBe(300_000)
})

test('slows a fixed interval down where the service limits the rate, but never speeds it up', () => {
  expect(nextLookMs({ fixedMs: 2_000, timesLimited: 2 }, look({}))).toBe(8_000)
  expect(nextLookMs({ fixedMs: 2_000, timesLimited: 9 }, look({}))).toBe(60_000)
  expect(nextLookMs({ fixedMs: 300_000, timesLimited: 1 }, look({}))).toBe(300_000)
})

test('looks for the turn of a follow-up every two to five seconds', () => {
  const delays = [0, 1, 2, 3, 4, 50].map((looks) => nextTurnLookMs(ADAPTIVE, look({ looks })))
  expect(delays).toEqual([2_000, 2_500, 3_125, 3_906.25, 4_882.8125, 5_000])
})

test('a fixed interval may make these looks more frequent, not rarer', () => {
  expect(nextTurnLookMs({ fixedMs: 100, timesLimited: 0 }, look({ looks: 0 }))).toBe(100)
  expect(nextTurnLookMs({ fixedMs: 300_000, timesLimited: 0 }, look({ looks: 9 }))).toBe(5_000)
})

test('the looks for a late link fit into its time, which is at most ten seconds', () => {
  const delays = [0, 1, 2].map((looks) => nextLinkLookMs(ADAPTIVE, look({ looks })))
  expect(delays.reduce((sum, delay) => sum + delay)).toBe(LINK_LAG_MS)
  expect(LINK_LAG_MS).toBeLessThanOrEqual(10_000)
})
