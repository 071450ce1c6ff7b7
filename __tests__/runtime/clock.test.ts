import { once } from 'node:events'
import * as net from 'node:net'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { systemClock } from '../../src/runtime/clock.ts'

beforeEach(() => {
  jest.useFakeTimers()
})

afterEach(() => {
  jest.useRealTimers()
})

/** Records whether the promise has settled, and how. */
function watch(promise: Promise<void>): { state: unknown } {
  const watched: { state: unknown } = { state: 'pending' }
  promise.then(
    () => (watched.state = 'done'),
    (error: unknown) => (watched.state = error),
  )
  return watched
}

test.each([1_000, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5, 2 ** 33])('sleeps for %i ms', async (ms) => {
  const timers = jest.spyOn(globalThis, 'setTimeout')
  const sleep = watch(systemClock.sleep(ms))

  await jest.advanceTimersByTimeAsync(ms - 1)
  expect(sleep.state).toBe('pending')
  await jest.advanceTimersByTimeAsync(1)
  expect(sleep.state).toBe('done')
  // Node fires longer timers immediately, with only a warning. Fake timers do not.
  expect(Math.max(...timers.mock.calls.map(([, delayMs]) => delayMs ?? 0))).toBeLessThan(2 ** 31)
})

test.each([0, -1, -Infinity])('a sleep of %d ms ends immediately', async (ms) => {
  await systemClock.sleep(ms)
  expect(jest.getTimerCount()).toBe(0)
})

test('a sleep rejects with the reason of an abort, and leaves no timer', async () => {
  const controller = new AbortController()
  const reason = new Error('stop')
  const sleep = watch(systemClock.sleep(2 ** 32, controller.signal))

  await jest.advanceTimersByTimeAsync(2 ** 31)
  controller.abort(reason)
  await jest.advanceTimersByTimeAsync(0)

  expect(sleep.state).toBe(reason)
  expect(jest.getTimerCount()).toBe(0)
})

test.each([0, 1_000])('does not start a sleep of %i ms after an abort', async (ms) => {
  const reason = new Error('stop')

  await expect(systemClock.sleep(ms, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(jest.getTimerCount()).toBe(0)
})

test('removes its listener from the signal when a sleep ends', async () => {
  const { signal } = new AbortController()
  const added = jest.spyOn(signal, 'addEventListener')
  const removed = jest.spyOn(signal, 'removeEventListener')

  const sleep = systemClock.sleep(10, signal)
  await jest.advanceTimersByTimeAsync(10)
  await sleep

  expect(removed.mock.calls).toEqual(added.mock.calls.map(([type, listener]) => [type, listener]))
})

test('yields to the event loop until it has read what arrived during an I/O callback', async () => {
  jest.useRealTimers()
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const near = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
  const [far] = (await once(server, 'connection')) as [net.Socket]
  const received: string[] = []

  await new Promise<void>((resolve) => {
    near.on('data', (data) => {
      received.push(data.toString())
      if (received.length > 1) return
      far.write('second')
      resolve()
    })
    far.write('first')
  })
  await systemClock.yieldToEventLoop()
  const receivedInTime = [...received]
  near.destroy()
  far.destroy()
  server.close()

  expect(receivedInTime).toEqual(['first', 'second'])
})

test('the monotonic time does not change when the wall clock is set', () => {
  const before = systemClock.now()

  jest.setSystemTime(new Date('2031-01-01T00:00:00Z'))

  expect(systemClock.now() - before).toBeLessThan(1_000)
  expect(systemClock.wallTime()).toEqual(new Date('2031-01-01T00:00:00Z'))
})
