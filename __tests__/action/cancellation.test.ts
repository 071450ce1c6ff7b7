import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cancelOnSignals } from '../../src/action/cancellation.ts'
import { ActionError } from '../../src/runtime/errors.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const before = SIGNALS.map((name) => process.listeners(name))
const exit = jest.spyOn(process, 'exit')

beforeEach(() => {
  exit.mockReset().mockImplementation(() => undefined as never)
})

afterEach(() => {
  SIGNALS.forEach((name, index) => {
    for (const listener of process.listeners(name)) {
      if (before[index]?.includes(listener) !== true) process.off(name, listener)
    }
  })
})

test('without a signal nothing is cancelled', () => {
  expect(cancelOnSignals().aborted).toBe(false)
})

test.each(SIGNALS)('%s starts an orderly end', (name) => {
  const signal = cancelOnSignals()

  process.emit(name)

  expect(signal.aborted).toBe(true)
  expect(signal.reason).toBeInstanceOf(ActionError)
  expect(signal.reason).toMatchObject({ code: 'cancelled' })
  expect(exit).not.toHaveBeenCalled()
})

test.each([
  ['SIGINT', 'SIGTERM'],
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGINT'],
  ['SIGHUP', 'SIGTERM'],
] as const)('after %s, %s ends the process at once', (first, second) => {
  const signal = cancelOnSignals()

  process.emit(first)
  const { reason } = signal as { reason: unknown }
  process.emit(second)

  expect(exit).toHaveBeenCalledTimes(1)
  expect(signal.reason).toBe(reason)
})
