import { expect, test } from '@jest/globals'
import type { FailureCause } from '../../src/http/failure-cause.ts'
import {
  comeBackMs,
  createTryRead,
  giveWayMs,
  namingTheTime,
  patienceMs,
  pauseMs,
  refusalsAfter,
} from '../../src/docs-service/retry.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { ActionError, ERROR_TITLES, type ErrorCode } from '../../src/runtime/errors.ts'
import { failure } from '../support/fake-client.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'

const answered = (status: number): WireResult => ({ kind: 'answer', status, body: '', retryAfterMs: undefined })
const failed = (cause: FailureCause, sent = false): WireResult => ({ kind: 'failure', cause, code: undefined, sent })

const pause = (attempt: number, random: number, retryAfterMs?: number, leftMs = Infinity): number =>
  pauseMs(failure('unreachable', retryAfterMs), attempt, { refusals: 0, leftMs, random })

test('delays double, up to a minute, and are spread, so that a matrix of jobs does not come back in step', () => {
  expect([1, 2, 3, 6, 7, 50].map((attempt) => pause(attempt, 0.5) / 1_000)).toEqual([1, 2, 4, 32, 60, 60])
  expect([0, 0.5, 1].map((random) => pause(1, random))).toEqual([750, 1_000, 1_250])
})

test('a delay is at least what the service asks for, and at most what is left', () => {
  expect([pause(1, 0.5, 5_000), pause(1, 0.5, 500), pause(1, 0.5, 5_000, 4_000)]).toEqual([5_000, 1_000, 4_000])
})

const back = (refusals: number, random: number, retryAfterMs?: number, leftMs = Infinity): number =>
  comeBackMs(failure('rate-limited', retryAfterMs), { refusals, leftMs, random })

test('each refusal weighs one, a success takes half of the weight, and nothing else is news of the crowd', () => {
  const weights = [429, 425, 500, 404, 200, 201, 200, 200, 200].map(answered).concat(failed('no-connection'))
  let refusals = 0
  expect(weights.map((result) => (refusals = refusalsAfter(refusals, result)))).toEqual([
    ...[1, 2, 2, 2, 1, 0.5, 0.25, 0.125, 0],
    0,
  ])
})

test('after the first refusal the next try is anywhere in the minute behind what the service asks for', () => {
  expect([0, 0.5, 1].map((random) => back(1, random, 5_000))).toEqual([5_000, 37_000, 69_000])
})

test('after a second one it is soon, and only a crowd that does not end makes the span longer again', () => {
  expect([2, 5, 6, 7, 9, 99].map((refusals) => back(refusals, 1, 1_000) - 1_000)).toEqual([
    ...[8_000, 8_000, 16_000, 32_000, 128_000, 128_000],
  ])
})

test.each([undefined, 0])('a service that asks for %j is left alone for a second', (retryAfterMs) => {
  expect(back(1, 0, retryAfterMs)).toBe(1_000)
})

test('the random part is cut to what the step has left, and what the service asks for is not', () => {
  expect([back(1, 0.5, 5_000, 15_000), back(1, 0.999, 5_000, 15_000) < 15_000]).toEqual([10_000, true])
  expect(back(1, 0.5, 20_000, 15_000)).toBe(20_000)
})

test('reads give way for about a minute after a refusal, and half as long after each answer; alone, not at all', () => {
  expect([4, 1, 0.5, 0.25, 0.125, 0].map((refusals) => giveWayMs(refusals, 0.5) / 1_000)).toEqual([
    ...[64, 64, 64, 32, 16, 0],
  ])
  expect([giveWayMs(1, 0), giveWayMs(1, 1)]).toEqual([57_600, 70_400])
})

const { signal } = new AbortController()
const failing = (error: Error) => (): Promise<never> => Promise.reject(error)

test.each([
  [false, ['unreachable', 'rate-limited', 'service-error', 'bad-answer']],
  [true, ['unreachable', 'not-found', 'rate-limited', 'service-error', 'bad-answer']],
])('a read that fails is given back where it may pass (of a new job: %j), else thrown', async (isNew, passing) => {
  const tryRead = createTryRead(signal)
  const given: string[] = []
  for (const code of Object.keys(ERROR_TITLES) as ErrorCode[]) {
    const seen = await tryRead(failing(failure(code)), isNew).catch((error: unknown) => [error])
    if (seen instanceof ActionError) given.push(seen.code)
    else expect(seen).toEqual([failure(code)])
  }
  expect(given.sort()).toEqual(passing.sort())
  expect(await tryRead(() => Promise.resolve('a'))).toBe('a')
  await expect(tryRead(failing(new TypeError('x')))).rejects.toThrow(TypeError)
  const cancelled = createTryRead(AbortSignal.abort(failure('cancelled')))
  await expect(cancelled(failing(failure('unreachable')), isNew)).rejects.toThrow('It is cancelled.')
})

test('the tenth answer in a row that makes no sense is the last, and any other one begins the count anew', async () => {
  const tryRead = createTryRead(signal)
  const nonsense = (): Promise<unknown> => tryRead(failing(failure('bad-answer')))
  for (const other of [failing(failure('unreachable')), () => Promise.resolve('a')]) {
    for (let count = 0; count < 9; count++) await nonsense()
    await tryRead(other)
  }
  for (let count = 0; count < 9; count++) await nonsense()
  await expect(nonsense()).rejects.toMatchObject({ code: 'bad-answer' })
})

test('patience that fits the deadline is given, to the millisecond', () => {
  const patience = (retryAfterMs?: number) =>
    patienceMs(failure('rate-limited', retryAfterMs), fakeClock(), CLOCK_START_MS + 5_000)
  expect([patience(), patience(5_000)]).toEqual([0, 5_000])
  expect(() => patience(5_001)).toThrow('2026-01-01 00:00:06 UTC')
})

test('the time is named, and what the error said before stays', () => {
  const error = new ActionError('rejected', 'No.', { hint: 'Mend it.', quote: 'Busy.', retryAfterMs: 1_000 })
  expect(namingTheTime(error, fakeClock())).toMatchObject({ code: 'rejected', hint: 'Mend it.', quote: 'Busy.' })
  expect(namingTheTime(failure('rejected'), fakeClock()).message).toBe('It is rejected.')
})
