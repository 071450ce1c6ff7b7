import { expect, test } from '@jest/globals'
import type { FailureCause } from '../../src/http/exchange.ts'
import {
  countRefusals,
  createTryRead,
  getRateLimitDelayMs,
  getRetryDelayMs,
  namingTheTime,
  maxRetryAfterMs,
} from '../../src/docs-service/retry.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { ActionError, ERROR_TITLES, type ErrorCode } from '../../src/runtime/errors.ts'
import { failure } from '../support/fake-client.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'

const createResponse = (status: number): WireResult => ({ kind: 'response', status, body: '', retryAfterMs: undefined })
const createFailure = (cause: FailureCause, sent = false): WireResult => ({
  kind: 'failure',
  cause,
  code: undefined,
  sent,
})

const getDelay = (attempt: number, random: number, retryAfterMs?: number, leftMs = Infinity): number =>
  getRetryDelayMs(failure('unreachable', retryAfterMs), attempt, { refusals: 0, leftMs, random })

test('a failed request is retried after a delay that doubles, up to a minute, with jitter', () => {
  expect([1, 2, 3, 6, 7, 50].map((attempt) => getDelay(attempt, 0.5) / 1_000)).toEqual([1, 2, 4, 32, 60, 60])
  expect([0, 0.5, 1].map((random) => getDelay(1, random))).toEqual([750, 1_000, 1_250])
})

test('a delay is at least `Retry-After` and at most the remaining time', () => {
  expect([getDelay(1, 0.5, 5_000), getDelay(1, 0.5, 500), getDelay(1, 0.5, 5_000, 4_000)]).toEqual([
    5_000, 1_000, 4_000,
  ])
})

const getLimitDelay = (refusals: number, random: number, retryAfterMs?: number, leftMs = Infinity): number =>
  getRateLimitDelayMs(failure('rate-limited', retryAfterMs), { refusals, leftMs, random })

test('429 and 425 count as refusals in a row, a success resets the count, and nothing else changes it', () => {
  const results = [429, 425, 500, 404, 429, 200, 429, 201].map(createResponse).concat(createFailure('no-connection'))
  let refusals = 0
  expect(results.map((result) => (refusals = countRefusals(refusals, result)))).toEqual([1, 2, 2, 2, 3, 0, 1, 0, 0])
})

test('a refused request waits for Retry-After and full jitter, in a window that doubles from 4 to 32 seconds', () => {
  expect([0, 0.5, 1].map((random) => getLimitDelay(1, random, 5_000))).toEqual([5_000, 7_000, 9_000])
  expect([1, 2, 3, 4, 5, 99].map((refusals) => getLimitDelay(refusals, 1, 5_000) - 5_000)).toEqual([
    4_000, 8_000, 16_000, 32_000, 32_000, 32_000,
  ])
})

test.each([undefined, 0])('a refused request waits at least a second if `Retry-After` is %j', (retryAfterMs) => {
  expect(getLimitDelay(1, 0, retryAfterMs)).toBe(1_000)
})

test('the remaining time limits the jitter, but not `Retry-After`', () => {
  expect([getLimitDelay(4, 0.5, 5_000, 15_000), getLimitDelay(4, 0.999, 5_000, 15_000) < 15_000]).toEqual([
    10_000,
    true,
  ])
  expect(getLimitDelay(4, 0.5, 20_000, 15_000)).toBe(20_000)
})

const { signal } = new AbortController()
const failing = (error: Error) => (): Promise<never> => Promise.reject(error)

test.each([
  [false, ['unreachable', 'rate-limited', 'service-error', 'bad-answer']],
  [true, ['unreachable', 'not-found', 'rate-limited', 'service-error', 'bad-answer']],
])('returns a transient error of a read (new job: %j), and throws any other error', async (isNew, passing) => {
  const tryRead = createTryRead(signal)
  const returned: string[] = []
  for (const code of Object.keys(ERROR_TITLES) as ErrorCode[]) {
    const result = await tryRead(failing(failure(code)), isNew).catch((error: unknown) => [error])
    if (result instanceof ActionError) returned.push(result.code)
    else expect(result).toEqual([failure(code)])
  }
  expect(returned.sort()).toEqual(passing.sort())
  expect(await tryRead(() => Promise.resolve('a'))).toBe('a')
  await expect(tryRead(failing(new TypeError('x')))).rejects.toThrow(TypeError)
  const cancelled = createTryRead(AbortSignal.abort(failure('cancelled')))
  await expect(cancelled(failing(failure('unreachable')), isNew)).rejects.toThrow('It is cancelled.')
})

test('throws the tenth invalid response in a row; any other result resets the count', async () => {
  const tryRead = createTryRead(signal)
  const readBadResponse = (): Promise<unknown> => tryRead(failing(failure('bad-answer')))
  for (const other of [failing(failure('unreachable')), () => Promise.resolve('a')]) {
    for (let count = 0; count < 9; count++) await readBadResponse()
    await tryRead(other)
  }
  for (let count = 0; count < 9; count++) await readBadResponse()
  await expect(readBadResponse()).rejects.toMatchObject({ code: 'bad-answer' })
})

test('returns a wait that ends by the deadline, to the millisecond', () => {
  const getWait = (retryAfterMs?: number) =>
    maxRetryAfterMs(failure('rate-limited', retryAfterMs), fakeClock(), CLOCK_START_MS + 5_000)
  expect([getWait(), getWait(5_000)]).toEqual([0, 5_000])
  expect(() => getWait(5_001)).toThrow('2026-01-01 00:00:06 UTC')
})

test('adds the time of a retry to the message, and keeps the rest of the error', () => {
  const error = new ActionError('rejected', 'No.', { hint: 'Fix it.', quote: 'Busy.', retryAfterMs: 1_000 })
  expect(namingTheTime(error, fakeClock(), 0)).toMatchObject({ code: 'rejected', hint: 'Fix it.', quote: 'Busy.' })
  expect(namingTheTime(failure('rejected'), fakeClock(), 0).message).toBe('It is rejected.')
})
