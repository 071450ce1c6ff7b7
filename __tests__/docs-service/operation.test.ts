import { expect, test } from '@jest/globals'
import { adviseOn, type Operation } from '../../src/docs-service/operation.ts'

const OPERATIONS: readonly Operation[] = [
  { kind: 'create', projectId: 'docs' },
  { kind: 'message', projectId: 'docs', jobId: 'job_1' },
  { kind: 'read', projectId: 'docs', jobId: 'job_1' },
  { kind: 'visitors', projectId: 'docs' },
]
const STATUSES = [400, 401, 402, 403, 404, 405, 413, 415, 418, 422, 425, 429, 500, 503]

test.each(OPERATIONS)('all advice for $kind fits what it sends', (operation) => {
  const advice = STATUSES.map((status) => adviseOn(status, operation))
  for (const sentence of advice) expect(sentence).toMatch(/^[A-Z].*\.$/)
  const all = advice.join(' ')
  const { kind } = operation
  expect(/prompt|credits/.test(all)).toBe(kind === 'create' || kind === 'message')
  expect(all.includes('`job-id`')).toBe(operation.jobId !== undefined)
  expect(/`date-from`|analytics|export/.test(all)).toBe(kind === 'visitors')
  expect(all.includes('write access')).toBe(kind === 'create' || kind === 'message')
})
