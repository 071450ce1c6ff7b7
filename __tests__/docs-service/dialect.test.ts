import { expect, jest, test } from '@jest/globals'
import type { DIALECT } from '../../src/docs-service/dialect.ts'
import type { WireRequest } from '../../src/docs-service/transport.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'

type Dialect = Record<keyof (typeof DIALECT)['fields'], string>

/** A service that names everything differently. */
const fields: Dialect = {
  prompt: 'text',
  id: 'key',
  status: 'state',
  source: 'from',
  repository: 'repo',
  ref: 'branch',
  model: 'llm',
  prLink: 'pull_request',
  createdAt: 'created_at',
}
const paths = {
  jobs: (projectId: string) => `/p/${projectId}/jobs`,
  job: (projectId: string, jobId: string) => `/p/${projectId}/jobs/${jobId}`,
  messages: (projectId: string, jobId: string) => `/p/${projectId}/jobs/${jobId}/follow-ups`,
  visitors: (projectId: string) => `/p/${projectId}/visits`,
}
const statuses = { active: 'working', completed: 'done', archived: 'closed', failed: 'broken' }
jest.unstable_mockModule('../../src/docs-service/dialect.ts', () => ({ DIALECT: { fields, paths, statuses } }))
const { createClient } = await import('../../src/docs-service/client.ts')

const LINK = 'https://github.com/acme/docs/pull/7'
const JOB = { key: 'j1', state: 'done', pull_request: LINK, from: { repo: 'acme/docs', branch: 'main' }, llm: 'm' }

test('a service with other paths, fields and statuses needs only another dialect', async () => {
  const requests: WireRequest[] = []
  const client = createClient({
    projectId: 'p1',
    clock: fakeClock(),
    redact: (text) => text,
    signal: new AbortController().signal,
    deadlineAt: CLOCK_START_MS + 60_000,
    random: () => 0,
    debug: () => undefined,
    transport: (request) => {
      requests.push(request)
      return Promise.resolve({ kind: 'response', status: 200, body: JSON.stringify(JOB), retryAfterMs: undefined })
    },
  })
  const job = { id: 'j1', status: 'completed', repository: 'acme/docs', ref: 'main', prLink: { href: LINK } }
  expect(await client.getJob('j1')).toMatchObject(job)
  expect(await client.createJob('Fix it.')).toMatchObject({ kind: 'accepted', job })
  expect(await client.sendMessage('j1', 'More.')).toMatchObject({ kind: 'accepted', job })
  expect(requests.map(({ method, path, body = '' }) => `${method} ${path} ${body}`)).toEqual([
    'GET /p/p1/jobs/j1 ',
    'POST /p/p1/jobs {"text":"Fix it."}',
    'POST /p/p1/jobs/j1/follow-ups {"text":"More."}',
  ])
})
