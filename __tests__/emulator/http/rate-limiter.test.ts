import { expect, test } from '@jest/globals'

import { createRateLimiter } from '../../../src/emulator/http/rate-limiter.ts'

const HOUR_MS = 3_600_000

test('an hour has so many requests and no more', () => {
  const limiter = createRateLimiter(2)
  const kinds = [0, 1_000, 2_000].map((nowMs) => limiter.take('a', nowMs).kind)
  expect(kinds).toEqual(['taken', 'taken', 'full'])
})

test('the wait ends when the oldest request is an hour old', () => {
  const limiter = createRateLimiter(2)
  limiter.take('a', 0)
  limiter.take('a', 1_000)
  expect(limiter.take('a', 2_000)).toEqual({ kind: 'full', retryAfterMs: HOUR_MS - 2_000 })
  expect(limiter.take('a', HOUR_MS - 1).kind).toBe('full')
  expect(limiter.take('a', HOUR_MS).kind).toBe('taken')
  expect(limiter.take('a', HOUR_MS + 1).kind).toBe('full')
})

test('each bucket has its own allowance', () => {
  const limiter = createRateLimiter(1)
  limiter.take('a', 0)
  expect(limiter.take('b', 0).kind).toBe('taken')
})
