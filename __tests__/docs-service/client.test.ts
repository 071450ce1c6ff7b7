import { expect, test } from '@jest/globals'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import { KEY, answered, failed, bench, errorOf, everything, untilAborted } from '../support/client-bench.ts'
import { CLOCK_START_MS } from '../support/fake-clock.ts'

test('a job is read once', async () => {
  const { client, requests } = bench([answered(200, { id: 'job_1', status: 'failed' })])

  expect(await client.getJob('job_1')).toMatchObject({ id: 'job_1', status: 'failed' })
  expect(requests).toEqual([{ method: 'GET', path: '/v2/agent/project/job/job_1', timeoutMs: 30_000 }])
})

test('visitors are asked for with the parameters that were given, and only those', async () => {
  const page = { totals: { human: 1, ai: 1, total: 2 }, visitors: [], hasMore: false }
  const { client, requests } = bench([answered(200, page)])

  expect(await client.getVisitors({})).toEqual(page)
  await client.getVisitors({ dateFrom: '2026-01-01', dateTo: '2026-02-01T00:00:00+01:00', limit: 250, offset: 0 })
  expect(requests.map(({ path }) => path)).toEqual([
    '/v1/analytics/project/visitors',
    '/v1/analytics/project/visitors?dateFrom=2026-01-01&dateTo=2026-02-01T00%3A00%3A00%2B01%3A00&limit=250&offset=0',
  ])
})

test('a read may take half a minute, and a second beyond the deadline', async () => {
  const { client, requests, clock } = bench([answered(200)], { deadlineAt: CLOCK_START_MS + 40_000 })

  for (const advanceMs of [0, 30_000, 10_000, 10_000]) {
    clock.advance(advanceMs)
    await client.getJob('job_1')
  }
  expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 11_000, 1_000, 1_000])
})

test('a read whose answer is of use for a shorter time may take only that, and a second', async () => {
  const { client, requests } = bench([answered(200)], { deadlineAt: CLOCK_START_MS + 40_000 })

  await client.getJob('job_1', CLOCK_START_MS + 6_000)
  expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([7_000])
})

test.each([
  answered(200, { id: 'job_2', status: 'completed' }),
  answered(200, { id: 'job_1' }),
  answered(200, { status: 'completed' }),
  answered(200, '<html></html>'),
  answered(200, ''),
  answered(204, ''),
  answered(200, 'null'),
  answered(200, '{"id":"job_1","status":"compl'),
])('a read that makes no sense is a bad answer: %j', async (result) => {
  expect(await errorOf(bench([result]).client.getJob('job_1'))).toMatchObject({ code: 'bad-answer' })
})

test('a page of visitors that makes no sense is a bad answer', async () => {
  expect(await errorOf(bench([answered(200, { visitors: [] })]).client.getVisitors({}))).toMatchObject({
    code: 'bad-answer',
  })
})

test.each([
  [answered(404, {}), 'not-found'],
  [answered(404, '<!doctype html>'), 'bad-answer'],
  [answered(401, ''), 'unauthorized'],
  [answered(503, ''), 'service-error'],
  [answered(302, ''), 'redirected'],
  [failed('broken', true), 'unreachable'],
  [failed('cancelled', true), 'cancelled'],
])('a read is tried once, whatever comes of it: %j', async (result, code) => {
  const { client, requests } = bench([result])

  expect(await errorOf(client.getJob('job_1'))).toMatchObject({ code })
  expect(requests).toHaveLength(1)
})

test.each([`${KEY} is no JSON`, `{"id": "job_1", "status": ${KEY}`, { id: KEY, status: 7 }, { id: `../${KEY}` }])(
  'what does not parse is quoted nowhere: %j',
  async (body) => {
    for (const ask of [
      (client: DocsServiceClient) => client.getJob('job_1'),
      (client: DocsServiceClient) => client.sendMessage('job_1', 'x'),
      (client: DocsServiceClient) => client.getVisitors({}),
    ]) {
      const error = await errorOf(ask(bench([answered(200, body)]).client))
      expect(everything(error)).not.toContain('dk_')
    }
  },
)

test('a read is dropped the moment the run is cancelled', async () => {
  const run = new AbortController()
  const { client, clock } = bench([untilAborted(run, true)], { signal: run.signal })

  expect(await errorOf(client.getJob('job_1'))).toMatchObject({ code: 'cancelled' })
  expect(clock.sleeps).toEqual([])
})

test('a refusal is told in words that fit what was asked', async () => {
  const { client } = bench([answered(404, {})])
  const messages = await Promise.all(
    [client.createJob('x'), client.sendMessage('job_1', 'x'), client.getJob('job_1'), client.getVisitors({})].map(
      async (asked) => (await errorOf(asked)).message,
    ),
  )
  expect(messages).toEqual([
    'The service knows no project project (404).',
    'The service knows no job job_1 in project project (404).',
    'The service knows no job job_1 in project project (404).',
    'The service knows no project project (404).',
  ])
})
