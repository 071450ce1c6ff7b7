import { expect, test } from '@jest/globals'
import { systemClock } from '../../src/runtime/clock.ts'
import { TimedOut, withDeadline } from '../../src/runtime/deadline.ts'
import { fakeClock } from '../support/fake-clock.ts'

const { signal } = new AbortController()
const never = (): Promise<never> => new Promise(() => undefined)

test.each([
  ['a limit', 30_000, undefined, TimedOut],
  ['a limit with an error of its own', 30_000, () => new RangeError(), RangeError],
  ['a limit that is past', -1, undefined, TimedOut],
])('%s ends what hangs, and tells it to stop', async (_what, timeoutMs, timedOut, error) => {
  const clock = fakeClock()
  let end: AbortSignal | undefined
  const hang = (given: AbortSignal): Promise<never> => {
    end = given
    return never()
  }
  const limits = { clock, signal, timeoutMs, ...(timedOut && { timedOut }) }
  await expect(withDeadline(hang, limits)).rejects.toBeInstanceOf(error)
  expect([clock.sleeps, end?.aborted]).toEqual([[Math.max(0, timeoutMs)], true])
})

test('leaves no timer behind when the work ends, which would hold the process', async () => {
  let timer: AbortSignal | undefined
  const clock = {
    ...systemClock,
    sleep: (_ms: number, given?: AbortSignal): Promise<void> => {
      timer = given
      return never()
    },
  }
  expect(await withDeadline(() => Promise.resolve(1), { clock, signal, timeoutMs: 1 })).toBe(1)
  expect(timer?.aborted).toBe(true)
})

test('ends with the reason of the signal', async () => {
  const run = new AbortController()
  const ended = withDeadline(never, { clock: systemClock, signal: run.signal, timeoutMs: 60_000 })
  run.abort(new Error('cancelled'))
  await expect(ended).rejects.toThrow('cancelled')
})
