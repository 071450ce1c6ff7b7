import { expect, test } from '@jest/globals'
import type { FailureCause } from '../../src/http/failure-cause.ts'
import {
  backOffMs,
  decidePost,
  isPassingReadError,
  MAX_POST_ATTEMPTS,
  type PostDecision,
} from '../../src/docs-service/retry.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { ActionError, type ErrorCode } from '../../src/runtime/errors.ts'

const answered = (status: number): WireResult => ({ kind: 'answer', status, body: '', retryAfterMs: undefined })
const failed = (cause: FailureCause, sent: boolean): WireResult => ({ kind: 'failure', cause, code: undefined, sent })

const UNSENT: Readonly<Record<FailureCause, PostDecision>> = {
  'no-connection': 'again',
  untrusted: 'stop',
  'not-tls': 'stop',
  'proxy-refused': 'stop',
  invalid: 'stop',
  timeout: 'stop',
  cancelled: 'stop',
  broken: 'unknown',
}

test.each(Object.entries(UNSENT) as [FailureCause, PostDecision][])(
  'a prompt of which nothing was sent, because of %s: %s',
  (cause, decision) => {
    expect(decidePost(failed(cause, false))).toBe(decision)
  },
)

test.each(Object.keys(UNSENT) as FailureCause[])(
  'a prompt of which anything may have been sent is never sent again, not even after %s',
  (cause) => {
    expect(decidePost(failed(cause, true))).toBe('unknown')
  },
)

const BY_STATUS: Readonly<Partial<Record<PostDecision, readonly number[]>>> = {
  accepted: [200, 201, 202, 204, 299],
  stop: [400, 401, 402, 403, 404, 405, 413, 415, 422],
  wait: [425, 429],
}

test.each(Object.entries(BY_STATUS) as [PostDecision, number[]][])('%s for the statuses %j', (decision, statuses) => {
  expect(statuses.map((status) => decidePost(answered(status)))).toEqual(statuses.map(() => decision))
})

test('every other status may mean a job: redirects, 408, 409, all of 5xx, and what is not listed', () => {
  const listed = new Set(Object.values(BY_STATUS).flat())
  const others = Array.from({ length: 500 }, (_, index) => 100 + index).filter(
    (status) => !listed.has(status) && (status < 200 || status >= 300),
  )

  expect(others).toEqual(expect.arrayContaining([301, 302, 307, 308, 408, 409, 500, 502, 503, 504]))
  expect(new Set(others.map((status) => decidePost(answered(status))))).toEqual(new Set(['unknown']))
})

test('a prompt is tried three times in all', () => {
  expect(MAX_POST_ATTEMPTS).toBe(3)
})

test('delays double, up to a minute', () => {
  const delays = [1, 2, 3, 6, 7, 50].map((attempt) => backOffMs(attempt, 0.5))

  expect(delays).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
})

test('delays are spread, so that a matrix of jobs does not come back in step', () => {
  expect([0, 0.5, 1].map((random) => backOffMs(1, random))).toEqual([750, 1_000, 1_250])
})

const context = { badAnswersInARow: 0, mayBeMissing: false }
const error = (code: ErrorCode): ActionError => new ActionError(code, 'x')

test.each(['unreachable', 'rate-limited', 'service-error'] as const)('a read is tried again after %s', (code) => {
  expect(isPassingReadError(error(code), context)).toBe(true)
})

test.each([
  'unauthorized',
  'forbidden',
  'rejected',
  'redirected',
  'untrusted',
  'proxy',
  'invalid-input',
  'unknown-fate',
  'not-sent',
  'deadline',
  'cancelled',
] as const)('a read is not tried again after %s', (code) => {
  expect(isPassingReadError(error(code), context)).toBe(false)
})

test('a job that is not found may only be late if it was just created', () => {
  expect(isPassingReadError(error('not-found'), { ...context, mayBeMissing: true })).toBe(true)
  expect(isPassingReadError(error('not-found'), context)).toBe(false)
})

test('nine answers in a row that make no sense may pass, the tenth ends it', () => {
  expect(isPassingReadError(error('bad-answer'), { ...context, badAnswersInARow: 9 })).toBe(true)
  expect(isPassingReadError(error('bad-answer'), { ...context, badAnswersInARow: 10 })).toBe(false)
})
