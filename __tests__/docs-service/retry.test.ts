import { expect, test } from '@jest/globals'
import type { FailureCause } from '../../src/http/failure-cause.ts'
import { backOffMs, decidePost, type PostDecision } from '../../src/docs-service/retry.ts'

const onStatus = (status: number): PostDecision =>
  decidePost({ kind: 'answer', status, body: '', retryAfterMs: undefined })

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
  'of a prompt that fails with %s: %s where nothing was sent, and never again where anything may have been',
  (cause, decision) => {
    expect(decidePost({ kind: 'failure', cause, code: undefined, sent: false })).toBe(decision)
    expect(decidePost({ kind: 'failure', cause, code: undefined, sent: true })).toBe('unknown')
  },
)

test('a status that is not listed may mean a job: redirects, 408, 409, all of 5xx', () => {
  const statuses = Array.from({ length: 500 }, (_, index) => 100 + index)
  const those = (decision: PostDecision): number[] => statuses.filter((status) => onStatus(status) === decision)
  expect(those('accepted')).toEqual(statuses.slice(100, 200))
  expect(those('wait')).toEqual([425, 429])
  expect(those('stop')).toEqual([400, 401, 402, 403, 404, 405, 413, 415, 422])
  expect(those('again')).toEqual([])
})

test('delays double, up to a minute, and are spread, so that a matrix of jobs does not come back in step', () => {
  expect([1, 2, 3, 6, 7, 50].map((attempt) => backOffMs(attempt, 0.5) / 1_000)).toEqual([1, 2, 4, 32, 60, 60])
  expect([0, 0.5, 1].map((random) => backOffMs(1, random))).toEqual([750, 1_000, 1_250])
})
