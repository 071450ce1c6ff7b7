import { expect, test } from '@jest/globals'

import { matchRoute } from '../../../src/emulator/service/routes.ts'

test.each([
  ['POST', '/v2/agent/docs/job', { operation: 'create-job', projectId: 'docs' }],
  ['POST', '/v2/agent/docs/job/job_1/message', { operation: 'send-message', projectId: 'docs', jobId: 'job_1' }],
  ['GET', '/v2/agent/docs/job/job_1', { operation: 'get-job', projectId: 'docs', jobId: 'job_1' }],
  ['HEAD', '/v2/agent/docs/job/job_1', { operation: 'get-job', projectId: 'docs', jobId: 'job_1' }],
  ['GET', '/v1/analytics/docs/visitors', { operation: 'get-visitors', projectId: 'docs' }],
  ['GET', '/acme/docs/pull/7', { operation: 'view-pull-request', pullNumber: 7 }],
])('%s %s is an operation', (method, path, route) => {
  expect(matchRoute(method, path)).toEqual({ kind: 'found', route })
})

test.each([
  '/',
  '/v1/agent/docs/job',
  '/v2/agent/docs/job/',
  '/x/v2/agent/docs/job',
  '/v2/agent/docs/job/job_1/x',
  '/x/v2/agent/docs/job/job_1/message',
  '/x/v1/analytics/docs/visitors',
  '/v1/analytics/docs/visitors/x',
  '/x/acme/docs/pull/7',
  '/acme/docs/pull/7/x',
  '/v2/agent//job',
  '/v2/agent/../job',
  '/v2/agent/%2e%2e/job',
  `/v2/agent/${'a'.repeat(129)}/job`,
  '/v2/agent/docs/job/a b',
  '/acme/docs/pull/0',
  '/acme/docs/pull/x',
])('%s leads nowhere', (path) => {
  expect(matchRoute('POST', path)).toMatchObject({ kind: 'nowhere', refusal: { status: 404 } })
})

test('an id of 128 characters is an id', () => {
  expect(matchRoute('POST', `/v2/agent/${'a'.repeat(128)}/job`).kind).toBe('found')
})

test.each([
  ['GET', '/v2/agent/docs/job', 'POST'],
  ['POST', '/v2/agent/docs/job/job_1', 'GET, HEAD'],
  ['OPTIONS', '/v1/analytics/docs/visitors', 'GET, HEAD'],
])('%s %s is refused, with the methods that are taken', (method, path, allow) => {
  expect(matchRoute(method, path)).toMatchObject({ kind: 'nowhere', refusal: { status: 405, headers: { allow } } })
})
