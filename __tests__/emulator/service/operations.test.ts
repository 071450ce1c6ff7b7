import { expect, test } from '@jest/globals'

import { createAnalytics } from '../../../src/emulator/service/analytics.ts'
import { createJobStore } from '../../../src/emulator/service/job-store.ts'
import {
  OPERATION_RULES,
  type OperationCall,
  perform,
  refuseTooMany,
} from '../../../src/emulator/service/operations.ts'
import { SCENARIOS } from '../../../src/emulator/service/scenarios.ts'

const START_MS = Date.UTC(2026, 0, 1)

function call(over: Partial<OperationCall> = {}): OperationCall {
  const headers = { 'content-type': 'application/json' }
  return {
    request: { method: 'POST', target: '', headers, body: '{"prompt":"x"}' },
    query: '',
    scenario: SCENARIOS['pull-request'],
    nowMs: START_MS,
    baseUrl: 'http://127.0.0.1:4010',
    jobs: createJobStore(START_MS),
    analytics: createAnalytics({ pages: 12, visits: 500, seed: 1, endMs: START_MS }),
    ...over,
  }
}

const badRequest = { method: 'POST', target: '', headers: {}, body: '' }
const message = (jobId: string) => ({ operation: 'send-message', projectId: 'docs', jobId }) as const

test('a created job is active, answered with 201, and can be read', () => {
  const context = call()
  const created = perform({ operation: 'create-job', projectId: 'docs' }, context)
  expect(created).toMatchObject({ kind: 'done', status: 201, body: { id: 'job_000001', status: 'active' } })
  const read = perform({ operation: 'get-job', projectId: 'docs', jobId: 'job_000001' }, context)
  expect(read).toEqual({ ...created, status: 200 })
})

test('a message is answered with 200, and the job works again', () => {
  expect(perform(message('job_finished'), call())).toMatchObject({
    status: 200,
    body: { id: 'job_finished', status: 'active', prLink: null },
  })
})

test('a message to an archived job is a conflict', () => {
  expect(perform(message('job_archived'), call())).toMatchObject({ kind: 'refused', status: 409 })
})

test('a job that is not there, or is in another project, is not found', () => {
  const context = call()
  perform({ operation: 'create-job', projectId: 'other' }, context)
  expect(perform(message('job_000001'), context)).toMatchObject({ status: 404 })
  expect(perform({ operation: 'get-job', projectId: 'docs', jobId: 'job_x' }, context)).toMatchObject({ status: 404 })
})

test('a body that holds no prompt creates nothing and sends nothing', () => {
  const context = call()
  const bad = { ...context, request: badRequest }
  expect(perform({ operation: 'create-job', projectId: 'docs' }, bad)).toMatchObject({ status: 415 })
  expect(perform(message('job_finished'), bad)).toMatchObject({ status: 415 })
  expect(context.jobs.find('docs', 'job_000001', SCENARIOS['pull-request'].turns[0])).toBeUndefined()
  expect(context.jobs.find('docs', 'job_finished', SCENARIOS['pull-request'].turns[0])?.turns).toHaveLength(1)
})

test('visitors are answered by page, and a wrong query with all its problems', () => {
  const visitors = { operation: 'get-visitors', projectId: 'docs' } as const
  expect(perform(visitors, call({ query: 'limit=5' }))).toMatchObject({ status: 200, body: { hasMore: true } })
  expect(perform(visitors, call({ query: 'limit=0&offset=x' }))).toMatchObject({
    status: 400,
    problems: [expect.stringContaining('limit'), expect.stringContaining('offset')],
  })
})

test('in a hostile world page paths are hostile, and the same on whatever page they come', () => {
  const visitors = { operation: 'get-visitors', projectId: 'docs' } as const
  const paths = (query: string): string[] => {
    const answer = perform(visitors, call({ query, scenario: SCENARIOS.hostile }))
    return answer.kind === 'done'
      ? (answer.body as { visitors: { path: string }[] }).visitors.map(({ path }) => path)
      : []
  }
  const all = paths('limit=12')
  expect(all[0]).toBe('=1+1/')
  expect([...paths('limit=5'), ...paths('limit=5&offset=5'), ...paths('limit=5&offset=10')]).toEqual(all)
})

test('prompts are limited by project and kind, analytics over all projects, and reads of a job not at all', () => {
  const bucket = (operation: keyof typeof OPERATION_RULES, projectId: string): string | undefined =>
    OPERATION_RULES[operation].rateBucket({ operation, projectId, jobId: 'job_1' })
  expect(bucket('create-job', 'a')).not.toBe(bucket('create-job', 'b'))
  expect(bucket('create-job', 'a')).not.toBe(bucket('send-message', 'a'))
  expect(bucket('get-visitors', 'a')).toBe(bucket('get-visitors', 'b'))
  expect(bucket('get-job', 'a')).toBeUndefined()
})

test('one request too many is told how long to wait, in whole seconds and not too short', () => {
  expect(refuseTooMany(1_001)).toMatchObject({ status: 429, headers: { 'retry-after': '2' } })
})
