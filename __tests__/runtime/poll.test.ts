import { expect, test } from '@jest/globals'
import { pausesBefore, pollUntil } from '../../src/runtime/poll.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'
import { inTurn } from '../support/fake-github.ts'

const { signal } = new AbortController()

test.each([
  ['asks after each pause until an answer will do', [0, 0, 1], 1_000, 1, [5, 10]],
  ['makes no pause that reaches the end, and the last answer counts', [0], 35, 0, [5, 10]],
  ['asks once more after the last pause', [0], 36, 0, [5, 10, 20]],
])('%s', async (_what, answers, endsInMs, answer, pauses) => {
  const clock = fakeClock()
  const nextPause = pausesBefore([5, 10, 20], CLOCK_START_MS + endsInMs, clock)
  expect(await pollUntil(inTurn(...answers), Boolean, nextPause, { clock, signal })).toBe(answer)
  expect(clock.sleeps).toEqual(pauses)
})

test('a pause ends when the run is cancelled', async () => {
  const run = new AbortController()
  const onSleep = (): void => {
    run.abort(new Error('cancelled'))
  }
  const clock = fakeClock({ onSleep })
  await expect(pollUntil(inTurn(0), Boolean, () => 5, { clock, signal: run.signal })).rejects.toThrow('cancelled')
})
