import { describe, expect, test } from '@jest/globals'
import type { FailureCause } from '../../src/http/exchange.ts'
import {
  countRateLimits,
  createTryReadJob,
  type MissingJob,
  getRateLimitDelayMs,
  getRetryDelayMs,
  namingTheTime,
  maxRetryAfterMs,
  orTransientError,
} from '../../src/docs-service/retry.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { ActionError, ERROR_TITLES, type ErrorCode } from '../../src/runtime/errors.ts'
import { active, failure } from '../../testing/jobs.ts'
import { CLOCK_START_MS, fakeClock } from '../../testing/fake-clock.ts'

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
  expect(results.map((result) => (refusals = countRateLimits(refusals, result)))).toEqual([1, 2, 2, 2, 3, 0, 1, 0, 0])
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

test('returns a transient error of a read, and throws any other error', async () => {
  const passing = ['unreachable', 'rate-limited', 'service-error', 'invalid-response']
  const returned: string[] = []
  for (const code of Object.keys(ERROR_TITLES) as ErrorCode[]) {
    const result = await orTransientError(failing(failure(code)), signal).catch((error: unknown) => [error])
    if (result instanceof ActionError) returned.push(result.code)
    else expect(result).toEqual([failure(code)])
  }
  expect(returned.sort()).toEqual(passing.sort())
  expect(await orTransientError(() => Promise.resolve('a'), signal)).toBe('a')
  await expect(orTransientError(failing(new TypeError('x')), signal)).rejects.toThrow(TypeError)
  const cancelled = AbortSignal.abort(failure('cancelled'))
  await expect(orTransientError(failing(failure('unreachable')), cancelled)).rejects.toThrow('It is cancelled.')
})

test('returns a wait that ends by the deadline, to the millisecond', () => {
  const getWait = (retryAfterMs?: number) =>
    maxRetryAfterMs(failure('rate-limited', retryAfterMs), fakeClock(), CLOCK_START_MS + 5_000)
  expect([getWait(), getWait(5_000)]).toEqual([0, 5_000])
  expect(() => getWait(5_001)).toThrow('2026-01-01 00:00:06 UTC')
})

test('a failed service that asks for a long wait is read every minute, at last at the deadline', () => {
  const getWait = (retryAfterMs: number, leftMs: number) =>
    maxRetryAfterMs(failure('service-error', retryAfterMs), fakeClock(), CLOCK_START_MS + leftMs)
  expect([getWait(59_000, 1e6), getWait(3_600_000, 1e7), getWait(60_000, 5_000)]).toEqual([59_000, 60_000, 5_000])
  const getListDelay = (leftMs: number) =>
    getRetryDelayMs(failure('service-error', 3_600_000), 1, { refusals: 0, leftMs, random: 0.5 })
  expect([getListDelay(1e7), getListDelay(59_999), getListDelay(5_000)]).toEqual([60_000, 59_999, 5_000])
})

describe('the reads of a job', () => {
  const CODES = ['unauthorized', 'forbidden', 'rejected', 'redirected', 'untrusted', 'proxy'] as const
  const missing = new ActionError('not-found', 'It is missing.', { status: 404 })
  const odd = failure('forbidden')

  /** Reads at the given seconds. Returns `ended` for a read that ends the wait. */
  async function readAll(
    reads: readonly (readonly [second: number, result: Job | Error, jobId?: string])[],
    plan: MissingJob = {},
  ): Promise<(string | undefined)[]> {
    const clock = fakeClock()
    const tryRead = createTryReadJob(clock, signal)
    const results: (string | undefined)[] = []
    for (const [second, result, jobId = 'job_1'] of reads) {
      clock.advance(CLOCK_START_MS + second * 1_000 - clock.now())
      const read = (): Promise<Job> => (result instanceof Error ? Promise.reject(result) : Promise.resolve(result))
      const outcome = await tryRead(jobId, read, plan).catch(() => 'ended' as const)
      results.push(outcome === 'ended' ? outcome : outcome instanceof ActionError ? outcome.code : outcome.status)
    }
    return results
  }

  test.each(CODES)('after a good read, %s ends the wait only three times in a row over 20 s', async (code) => {
    const error = failure(code)
    const one = await readAll([
      [0, active],
      [10, error],
      [20, active],
      [30, error],
      [40, error],
      [50, active],
    ])
    expect(one).toEqual(['active', code, 'active', code, code, 'active'])
    expect(
      await readAll([
        [0, active],
        [10, error],
        [20, odd],
        [30, error],
      ]),
    ).toEqual(['active', code, 'forbidden', 'ended'])
    const fast = await readAll([
      [0, active],
      [10, error],
      [12, error],
      [14, error],
      [29, error],
      [30, error],
    ])
    expect(fast).toEqual(['active', code, code, code, code, 'ended'])
  })

  test('transient errors never end the wait, and interrupt a series of other errors', async () => {
    for (const code of ['unreachable', 'rate-limited', 'service-error', 'invalid-response'] as const) {
      const errors = Array.from({ length: 30 }, (_, index) => [index * 10, failure(code)] as const)
      expect(await readAll(errors)).toEqual(errors.map(() => code))
      expect(
        await readAll([
          [0, active],
          [10, odd],
          [20, odd],
          [30, failure(code)],
          [40, odd],
        ]),
      ).not.toContain('ended')
    }
  })

  test.each(CODES)('%s ends the wait at once on the first read of a job', async (code) => {
    expect(
      await readAll([[0, failure(code)]], { mayBeMissingUntil: CLOCK_START_MS + 30_000, confirmsMissing: true }),
    ).toEqual(['ended'])
    expect(
      await readAll([
        [0, active],
        [10, failure(code), 'job_2'],
      ]),
    ).toEqual(['active', 'ended'])
  })

  test.each([404, 410])(
    '%i on the first read ends the wait at once, except for a new job or one to confirm',
    async (status) => {
      const page = new ActionError('rejected', 'It is a page.', { status })
      for (const error of [page, new ActionError('not-found', 'It is missing.', { status })]) {
        expect(await readAll([[0, error]])).toEqual(['ended'])
        const isNew = { mayBeMissingUntil: CLOCK_START_MS + 30_000 }
        expect(
          await readAll(
            [
              [0, error],
              [10, error],
              [29, error],
              [30, error],
            ],
            isNew,
          ),
        ).toEqual([error.code, error.code, error.code, 'ended'])
        const confirmed = { confirmsMissing: true }
        expect(
          await readAll(
            [
              [0, error],
              [10, error],
              [20, error],
            ],
            confirmed,
          ),
        ).toEqual([error.code, error.code, 'ended'])
      }
      expect(
        await readAll(
          [
            [0, missing],
            [10, active],
            [60, missing],
          ],
          { confirmsMissing: true },
        ),
      ).toEqual(['not-found', 'active', 'not-found'])
    },
  )

  test('throws the reason of a cancellation, and unexpected errors', async () => {
    const cancelled = createTryReadJob(fakeClock(), AbortSignal.abort(failure('cancelled')))
    await expect(cancelled('job_1', failing(odd))).rejects.toThrow('It is cancelled.')
    await expect(createTryReadJob(fakeClock(), signal)('job_1', failing(new TypeError('x')))).rejects.toThrow(TypeError)
  })
})

test('adds the time of a retry to the message, and keeps the rest of the error', () => {
  const error = new ActionError('rejected', 'No.', { hint: 'Fix it.', quote: 'Busy.', retryAfterMs: 1_000 })
  expect(namingTheTime(error, fakeClock(), 0)).toMatchObject({ code: 'rejected', hint: 'Fix it.', quote: 'Busy.' })
  expect(namingTheTime(failure('rejected'), fakeClock(), 0).message).toBe('It is rejected.')
})
