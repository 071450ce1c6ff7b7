import { expect, test } from '@jest/globals'

import { startServiceTime, toCallerSeconds } from '../../src/emulator/service-time.ts'
import { fakeClock } from '../support/fake-clock.ts'

test('the time starts where it is told, and runs as fast as it is told', () => {
  const clock = fakeClock()
  clock.advance(123)
  const nowMs = startServiceTime({ clock, speed: 60, startMs: 1_000_000 })
  expect(nowMs()).toBe(1_000_000)
  clock.advance(500)
  expect(nowMs()).toBe(1_030_000)
})

test.each([
  [5, 1, 5],
  [5, 10, 1],
  [3600, 7, 515],
  [5, 0.5, 10],
])('%d s of the service at speed %d are %d s for the caller', (seconds, speed, expected) => {
  expect(toCallerSeconds(seconds, speed)).toBe(expected)
})
