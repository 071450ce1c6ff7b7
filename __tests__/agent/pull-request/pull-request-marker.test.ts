import { expect, test } from '@jest/globals'
import { isMarkerComment, markerComment } from '../../../src/agent/pull-request/pull-request-marker.ts'

test('the comment names its job in a marker that does not show', () => {
  expect(markerComment('job_1')).toMatch(/^<!-- docs-agent-action: job=job_1 -->\n/)
})

test('a marker is found for its own job and for no other', () => {
  const comment = markerComment('job_1')
  expect(isMarkerComment(comment, 'job_1')).toBe(true)
  expect(isMarkerComment(comment, 'job_11')).toBe(false)
  expect(isMarkerComment(comment)).toBe(true)
  expect(isMarkerComment('docs-agent-action: job=job_1')).toBe(false)
})

test('a comment that quotes a marker does not count', () => {
  const quoting = `> ${markerComment('job_1')}`
  expect([isMarkerComment(quoting), isMarkerComment(quoting, 'job_1')]).toEqual([false, false])
})
