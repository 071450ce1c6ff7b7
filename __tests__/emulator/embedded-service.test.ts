import { expect, test } from '@jest/globals'

import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY, READ_ONLY_KEY } from '../../src/emulator/http/access.ts'
import { HOSTILE_TEXT } from '../../src/emulator/service/hostile-text.ts'
import { BASE_URL, toBody, driveService } from './drive-service.ts'

const CREATE = '/v2/agent/docs-demo/job'
const VISITORS = '/v1/analytics/docs-demo/visitors'

test('creates a job whose pull request has a page, and adds a follow-up to it', () => {
  const { post, get, advance } = driveService()
  const created = post(CREATE, 'Document the flag.')
  expect([created.status, toBody(created)]).toEqual([
    201,
    {
      id: 'job_000001',
      status: 'active',
      source: { repository: 'acme/docs', ref: 'main' },
      model: 'docs-writer-1',
      prLink: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      archivedAt: null,
    },
  ])
  advance(20)
  const { status, prLink } = toBody(get(`${CREATE}/job_000001`))
  expect([status, prLink]).toEqual(['completed', `${BASE_URL}/acme/docs/pull/4`])
  const page = get('/acme/docs/pull/4')
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  post(`${CREATE}/job_000001/message`, 'Add an example.')
  advance(20)
  expect(toBody(get(`${CREATE}/job_000001`)).prLink).toBe(prLink)
  expect(get('/acme/docs/pull/4').body).toContain('Add an example.')
})

test('opens the pull requests of a project only in its configured repository', () => {
  const { post, get, advance } = driveService({ repositories: { 'docs-demo': 'acme/code' } })
  post(CREATE, 'Document the flag.')
  advance(20)
  const { source, prLink } = toBody(get(`${CREATE}/job_000001`))
  expect([source, prLink]).toEqual([{ repository: 'acme/code', ref: 'main' }, `${BASE_URL}/acme/code/pull/4`])
  expect(['/acme/code/pull/4', '/acme/docs/pull/4'].map((path) => get(path).status)).toEqual([200, 404])
})

test('starts every project with a finished, a running and an archived job', () => {
  const { get } = driveService({ scenario: 'failed' })
  const jobs = ['job_finished', 'job_running', 'job_archived'].map((id) => toBody(get(`${CREATE}/${id}`)))
  expect(jobs).toMatchObject([
    { status: 'completed' },
    { status: 'active' },
    { status: 'archived', prLink: null, archivedAt: '2025-12-31T22:00:20.000Z' },
  ])
})

test.each([
  ['POST', CREATE, '', 400, { error: 'The request body is not JSON.' }],
  ['POST', `${CREATE}/job_finished/message`, '{}', 400, { error: expect.stringContaining('`prompt` must be') }],
  ['POST', `${CREATE}/job_archived/message`, '{"prompt":"x"}', 409, { error: expect.stringContaining('archived') }],
  ['GET', `${CREATE}/job_x`, '', 404, { error: 'There is no such job in this project.' }],
  ['GET', '//evil', '', 404, { error: 'There is nothing at this path.' }],
  ['GET', '', '', 404, { error: 'There is nothing at this path.' }],
  ['GET', '/acme/docs/pull/0', '', 404, { error: 'There is nothing at this path.' }],
  ['GET', '/x/acme/docs/pull/1', '', 404, { error: 'There is nothing at this path.' }],
  ['GET', `${VISITORS}?limit=0&offset=x`, '', 400, { error: expect.any(String), details: { length: 2 } }],
])('refuses %s %j with the body %j', (method, target, body, status, expected) => {
  const { send, post } = driveService()
  const refused = send({ method, target, body })
  expect(refused.status).toBe(status)
  expect(toBody(refused)).toMatchObject(expected)
  expect(Object.keys(toBody(refused))).toEqual(Object.keys(expected))
  expect(toBody(post(CREATE, 'x')).id).toBe('job_000001')
})

test('lists each problem of an invalid visitors request, and joins all of them in the error', () => {
  const { error, details } = toBody(driveService().get(`${VISITORS}?limit=0&offset=x`))
  const messages = details?.map(({ message }) => message)
  expect(messages).toEqual([expect.stringContaining('limit'), expect.stringContaining('offset')])
  expect(error).toBe(messages?.join(' '))
})

test('the hostile scenario adds text to errors and page paths that does not depend on pagination', () => {
  const { get } = driveService({ scenario: 'hostile' })
  expect(toBody(get(`${CREATE}/job_x`)).error).toContain(HOSTILE_TEXT)
  const paths = (query: string) => toBody(get(`${VISITORS}?${query}`)).visitors?.map(({ path }) => path) ?? []
  const all = paths('limit=12')
  expect(all[0]).toBe('=1+1/')
  expect([...paths('limit=5'), ...paths('limit=5&offset=5'), ...paths('limit=2&offset=10')]).toEqual(all)
})

test('allows 100 new jobs per hour, and sends the remaining wait with a 429', () => {
  const { post, advance } = driveService()
  const statuses = Array.from({ length: 101 }, () => post(CREATE, 'x').status)
  expect([statuses.indexOf(429), statuses.lastIndexOf(201)]).toEqual([100, 99])
  advance(600.5)
  expect(post(CREATE, 'x').headers['retry-after']).toBe('3000')
  advance(2_999.5)
  expect(post(CREATE, 'x').status).toBe(201)
})

test('counts faults for each path, and only for authorised requests', () => {
  const { get, send } = driveService({ scenario: 'flaky' })
  const jobs = ['job_finished', 'job_running'].map((id) => `${CREATE}/${id}`)
  expect(send({ target: jobs[0] ?? '', headers: { authorization: 'no' } }).status).toBe(401)
  expect(jobs.map((target) => get(target).status)).toEqual([503, 503])
  expect(jobs.map((target) => get(target).status)).toEqual([200, 200])
})

test('records every request with its prompt and result, but without its key', () => {
  const { service, post, get } = driveService({ scenario: 'lost-answer' })
  post(CREATE, 'Hello')
  get('/nowhere?a=b?c')
  const record = { query: '', prompt: undefined, asOfMs: DEFAULT_START_MS, delivery: 'complete', scenario: undefined }
  const fields = { prompt: 'Hello', status: 201, delivery: 'reset', scenario: 'lost-answer' }
  expect(service.requests).toEqual([
    { ...record, method: 'POST', path: CREATE, ...fields },
    { ...record, method: 'GET', path: '/nowhere', query: 'a=b?c', status: 404 },
  ])
})

test.each([
  ['no key', { authorization: undefined }, CREATE],
  ['an unknown key', { authorization: 'Bearer docs_unknown' }, CREATE],
  ['a read-only key', { authorization: `Bearer ${READ_ONLY_KEY}` }, CREATE],
  ['an unknown path', {}, '/nowhere'],
])('does not record the prompt of a request with %s', (_name, headers, target) => {
  const { service, send } = driveService()
  const defaults = { authorization: `Bearer ${EMULATOR_KEY}` }
  const request = { method: 'POST', target, headers: { ...defaults, ...headers }, body: '{"prompt":"Secret plans"}' }
  send(request)
  expect(service.requests).toHaveLength(1)
  expect(service.requests[0]?.prompt).toBeUndefined()
  expect(service.isAuthorized(request)).toBe(false)
})
