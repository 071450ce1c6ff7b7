import { expect, test } from '@jest/globals'
import { mayWaitForRateLimit } from '../../src/github/retry-policy.ts'

test('waits for a rate limit that ends before the deadline', () => {
  expect(mayWaitForRateLimit(59, 0, 60_000)).toBe(true)
  expect(mayWaitForRateLimit(60, 0, 60_000)).toBe(false)
})

test('waits three times, and not for ever', () => {
  expect([0, 1, 2, 3].map((retryCount) => mayWaitForRateLimit(1, retryCount, 60_000))).toEqual([
    true,
    true,
    true,
    false,
  ])
})
