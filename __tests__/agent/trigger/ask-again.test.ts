import { expect, test } from '@jest/globals'
import { askAgain } from '../../../src/agent/trigger/ask-again.ts'
import { CLOCK_START_MS, fakeClock } from '../../support/fake-clock.ts'
import { inTurn } from '../../support/fake-github.ts'

const signal = new AbortController().signal

test('asks after each pause until an answer will do', async () => {
  const clock = fakeClock()
  expect(await askAgain(inTurn(0, 0, 1), Boolean, [5, 10, 20], { clock, signal }, CLOCK_START_MS + 1_000)).toBe(1)
  expect(clock.sleeps).toEqual([5, 10])
})

test('no pause goes beyond the end, and the last answer counts', async () => {
  const clock = fakeClock()
  expect(await askAgain(inTurn(0), Boolean, [5, 10, 20], { clock, signal }, CLOCK_START_MS + 16)).toBe(0)
  expect(clock.sleeps).toEqual([5, 10])
})
