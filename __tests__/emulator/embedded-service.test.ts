import { expect, test } from '@jest/globals'

import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY, READ_ONLY_KEY } from '../../src/emulator/http/access.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'
import { BASE_URL, bodyOf, driveService } from './drive-service.ts'

const CREATE = '/v2/agent/docs-demo/job'
const VISITORS = '/v1/analytics/docs-demo/visitors'

test('a job goes from its creation to a pull request that can be looked at', () => {
  const { post, get, advance } = driveService()
  const created = post(CREATE, 'Document the flag.')
  expect([created.status, bodyOf(created)]).toEqual([
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
  const { status, prLink } = bodyOf(get(`${CREATE}/job_000001`))
  expect([status, prLink]).toEqual(['completed', `${BASE_URL}/acme/docs/pull/4`])
  const page = get('/acme/docs/pull/4')
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('Document the flag.')
})

test('a follow-up pushes to the same pull request', () => {
  const { post, get, advance } = driveService()
  const before = bodyOf(get(`${CREATE}/job_finished`)).prLink
  expect(post(`${CREATE}/job_finished/message`, 'Add an example.').status).toBe(200)
  advance(20)
  expect(bodyOf(get(`${CREATE}/job_finished`)).prLink).toBe(before)
  expect(get(String(before).slice(BASE_URL.length)).body).toContain('Add an example.')
})

test('nothing of the API is answered without a key', () => {
  const { send } = driveService()
  for (const [method, target] of [
    ['POST', CREATE],
    ['POST', `${CREATE}/job_finished/message`],
    ['GET', `${CREATE}/job_finished`],
    ['GET', VISITORS],
  ] as const) {
    const response = send({ method, target, headers: { authorization: undefined }, body: '{"prompt":"x"}' })
    expect([response.status, bodyOf(response).error]).toEqual([401, 'The Authorization header is missing.'])
  }
})

test('errors of the analytics have details, others do not', () => {
  const { get } = driveService()
  expect(bodyOf(get(`${VISITORS}?limit=0`)).details).toEqual([{ message: '`limit` must be an integer from 1 to 250.' }])
  expect(bodyOf(get(`${CREATE}/job_x`))).toEqual({ error: 'There is no such job in this project.' })
})

test('unknown paths and wrong methods are refused', () => {
  const { send } = driveService()
  expect(send({ target: '//evil' }).status).toBe(404)
  expect(send({ target: '' }).status).toBe(404)
  const wrong = send({ method: 'DELETE', target: CREATE })
  expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST'])
})

test('the hour has 100 creates for each project, and the next one waits for its end', () => {
  const { post, advance } = driveService()
  const statuses = Array.from({ length: 101 }, () => post(CREATE, 'x').status)
  expect([statuses.indexOf(429), statuses.lastIndexOf(201)]).toEqual([100, 99])
  expect(post('/v2/agent/other/job', 'x').status).toBe(201)
  expect(post(`${CREATE}/job_finished/message`, 'x').status).toBe(200)
  advance(600)
  expect(post(CREATE, 'x').headers['retry-after']).toBe('3000')
  advance(3_000)
  expect(post(CREATE, 'x').status).toBe(201)
})

test('the allowance for analytics is shared by all projects, and can be set', () => {
  const { get } = driveService({ requestsPerHour: 2 })
  const projects = ['a', 'b', 'c']
  expect(projects.map((id) => get(`/v1/analytics/${id}/visitors`).status)).toEqual([200, 200, 429])
})

test('a refused prompt creates no job', () => {
  const { send, post } = driveService()
  expect(send({ method: 'POST', target: CREATE, body: '{}' }).status).toBe(400)
  expect(bodyOf(post(CREATE, 'x')).id).toBe('job_000001')
})

test('a project chooses its scenario, whatever the others play', () => {
  const { post, get, advance } = driveService({ scenario: 'slow' })
  const create = '/v2/agent/docs--failed/job'
  post(create, 'x')
  post(CREATE, 'x')
  advance(20)
  expect(bodyOf(get(`${create}/job_000001`)).status).toBe('failed')
  expect(bodyOf(get(`${CREATE}/job_000002`)).status).toBe('active')
})

test('faults strike each path by its own count, and only those who have a key', () => {
  const { get, send } = driveService({ scenario: 'flaky' })
  const jobs = ['job_finished', 'job_running'].map((id) => `${CREATE}/${id}`)
  expect(send({ target: jobs[0] ?? '', headers: { authorization: 'no' } }).status).toBe(401)
  expect(jobs.map((target) => get(target).status)).toEqual([503, 503])
  expect(jobs.map((target) => get(target).status)).toEqual([200, 200])
})

test('a lost answer leaves the job behind, and an unavailable service does not', () => {
  const lost = driveService({ scenario: 'lost-answer' })
  expect(lost.post(CREATE, 'x').delivery).toBe('reset')
  expect(lost.get(`${CREATE}/job_000001`).status).toBe(200)
  const down = driveService({ scenario: 'unavailable' })
  down.post('/v2/agent/docs--unavailable/job', 'x')
  expect(bodyOf(down.post('/v2/agent/docs--no-changes/job', 'x')).id).toBe('job_000001')
})

test('every request is recorded, with its prompt and what became of it', () => {
  const { service, post, get } = driveService({ scenario: 'lost-answer' })
  post(CREATE, 'Hello')
  get('/nowhere?a=b?c')
  expect(service.requests).toEqual([
    {
      method: 'POST',
      path: CREATE,
      query: '',
      prompt: 'Hello',
      asOfMs: DEFAULT_START_MS,
      status: 201,
      delivery: 'reset',
      scenario: 'lost-answer',
    },
    {
      method: 'GET',
      path: '/nowhere',
      query: 'a=b?c',
      prompt: undefined,
      asOfMs: DEFAULT_START_MS,
      status: 404,
      delivery: 'whole',
      scenario: undefined,
    },
  ])
})

test.each([
  ['no key', { authorization: undefined }, CREATE],
  ['an unknown key', { authorization: 'Bearer docs_unknown' }, CREATE],
  ['a key that may only read', { authorization: `Bearer ${READ_ONLY_KEY}` }, CREATE],
  ['a path that leads nowhere', {}, '/nowhere'],
])('nothing is kept of the prompt of a request with %s', (_name, headers, target) => {
  const { service, send } = driveService()
  const usual = { authorization: `Bearer ${EMULATOR_KEY}` }
  const request = { method: 'POST', target, headers: { ...usual, ...headers }, body: '{"prompt":"Secret plans"}' }
  send(request)
  expect(service.requests).toHaveLength(1)
  expect(service.requests[0]?.prompt).toBeUndefined()
  expect(service.admits(request)).toBe(false)
})

test('records hold no key', () => {
  const { service, post } = driveService()
  post(CREATE, 'x')
  expect(JSON.stringify(service.requests)).not.toContain('docs_emulator')
})

test('two services that are asked the same at the same times answer the same', () => {
  const run = (scenario: (typeof SCENARIO_NAMES)[number]): unknown[] => {
    const { post, get, advance } = driveService({ scenario })
    return Array.from({ length: 30 }, () => {
      advance(1)
      return [post(CREATE, 'x'), get(`${CREATE}/job_000001`), get(`${CREATE}/job_running`), get(VISITORS)]
    })
  }
  for (const name of SCENARIO_NAMES) expect(run(name)).toEqual(run(name))
})
