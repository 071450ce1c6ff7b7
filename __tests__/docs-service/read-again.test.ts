import { expect, test } from '@jest/globals'
import { namingTheTime, ReadAgain } from '../../src/docs-service/read-again.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { failure } from '../support/fake-client.ts'
import { fakeClock } from '../support/fake-clock.ts'

function reads(leftMs = 60_000): { again: ReadAgain; controller: AbortController } {
  const clock = fakeClock()
  const controller = new AbortController()
  const step = { clock, signal: controller.signal, deadlineAt: clock.now() + leftMs }
  return { again: new ReadAgain(step), controller }
}

const failing = (error: Error) => (): Promise<never> => Promise.reject(error)

test('gives what was read', async () => {
  expect(await reads().again.attempt(() => Promise.resolve('a'))).toBe('a')
})

test('gives a problem that may pass, and throws one that may not', async () => {
  const { again } = reads()
  expect(await again.attempt(failing(failure('service-error')))).toMatchObject({ code: 'service-error' })
  await expect(again.attempt(failing(failure('unauthorized')))).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(again.attempt(failing(new TypeError('x')))).rejects.toThrow(TypeError)
})

test('what was just created may be missing, and nothing else', async () => {
  const { again } = reads()
  expect(await again.attempt(failing(failure('not-found')), true)).toMatchObject({ code: 'not-found' })
  await expect(again.attempt(failing(failure('not-found')))).rejects.toMatchObject({ code: 'not-found' })
})

test('the tenth answer in a row that makes no sense is the last, and any other one begins the count anew', async () => {
  const { again } = reads()
  const nonsense = (): Promise<unknown> => again.attempt(failing(failure('bad-answer')))
  for (let count = 0; count < 9; count++) await nonsense()
  await again.attempt(failing(failure('unreachable')))
  for (let count = 0; count < 9; count++) await nonsense()
  await expect(nonsense()).rejects.toMatchObject({ code: 'bad-answer' })
})

test('a cancelled run is not told that a read failed', async () => {
  const { again, controller } = reads()
  controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  await expect(again.attempt(failing(failure('unreachable')))).rejects.toMatchObject({ code: 'cancelled' })
})

test('patience that fits the deadline is given, to the millisecond', () => {
  const { again } = reads(5_000)
  expect(again.patienceMs(failure('unreachable'))).toBe(0)
  expect(again.patienceMs(failure('rate-limited', 5_000))).toBe(5_000)
  expect(() => again.patienceMs(failure('rate-limited', 5_001))).toThrow('2026-01-01 00:00:06 UTC')
})

test('the time is named, and what the error said before stays', () => {
  const error = new ActionError('rejected', 'No.', { hint: 'Mend it.', quote: 'Busy.', retryAfterMs: 1_000 })
  expect(namingTheTime(error, fakeClock())).toMatchObject({ code: 'rejected', hint: 'Mend it.', quote: 'Busy.' })
  expect(namingTheTime(failure('rejected'), fakeClock()).message).toBe('It is rejected.')
})
