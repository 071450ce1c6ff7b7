import { expect, test } from '@jest/globals'
import { isMarkerComment, markerComment, readMarker, withFollowUps } from '../../../src/agent/pull-request/marker.ts'

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

test('follow-ups, and who counted last, stand in further hidden lines, and the rest stays as it is', () => {
  const counted = withFollowUps(markerComment('job_1'), 1, '42.1')
  expect(counted).toMatch(
    /^<!-- docs-agent-action: job=job_1 -->\n<!-- docs-agent-action: follow-ups=1 -->\n<!-- docs-agent-action: counted-by=42.1 -->\nThis pull request comes/,
  )
  const again = counted.replace('follow-ups=1', 'follow-ups=2').replace('42.1', '43.1')
  expect(withFollowUps(counted, 2, '43.1')).toBe(again)
  expect(isMarkerComment(counted, 'job_1')).toBe(true)
})

test.each([
  ['no follow-up', markerComment('job_1'), { jobId: 'job_1', followUps: 0, countedBy: '' }],
  ['seven', withFollowUps(markerComment('job_1'), 7, 'x'), { jobId: 'job_1', followUps: 7, countedBy: 'x' }],
  [
    'a count that nobody signed',
    withFollowUps(markerComment('job_1'), 7, 'x').replace(/\n.*counted-by.*/, ''),
    { jobId: 'job_1', followUps: 7, countedBy: '' },
  ],
  [
    'line ends as browsers send them',
    withFollowUps(markerComment('job_1'), 7, 'x').replaceAll('\n', '\r\n'),
    { jobId: 'job_1', followUps: 7, countedBy: 'x' },
  ],
  ['a quote of a marker', `> ${markerComment('job_1')}`, undefined],
  ['a count without a job', '<!-- docs-agent-action: follow-ups=7 -->', undefined],
])('a marker with %s is read', (_name, body, marker) => {
  expect(readMarker(body)).toEqual(marker)
})
