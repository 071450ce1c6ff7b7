/**
 * The service's interface, as this project's own client sees it: every operation and every rule that can be observed.
 *
 * Runs against the embedded service, or against a real one where all of these are set in the environment:
 *
 *   DOCS_AGENT_BASE_URL     its address
 *   DOCS_AGENT_PROJECT_ID   a project in which a job may be run
 *   DOCS_AGENT_API_KEY      an admin API key of that project, with write access
 *
 *   npm test -- __tests__/contract
 *
 * Against a real service one test costs credits: it creates one job and sends it one follow-up, and may take many minutes.
 * The others only read, or ask for what must be refused. What rests on the embedded service (its keys, its jobs, its
 * scenarios, and what the interface leaves open) is skipped there.
 */
import { afterAll, describe, expect, test } from '@jest/globals'
import { EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY } from '../../src/emulator/http/access.ts'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import { JOB_STATUSES, type VisitorsPage } from '../../src/docs-service/schemas.ts'
import type { ActionError } from '../../src/runtime/errors.ts'
import { clientOf, openService, startStepwise } from './service-under-test.ts'

const service = await openService(process.env)
const client = service.client()
const { emulator, pastDays, untilEnded } = service
const testEmbedded = emulator === undefined ? test.skip : test
const lastRequest = (): unknown => emulator?.requests.at(-1)

afterAll(() => service.close())

const ONE_HOUR_MS = 3_600_000

/** Every operation, asked of a job that cannot be there, so that a real service has nothing to do. */
const READS: readonly (readonly [string, (client: DocsServiceClient) => Promise<unknown>])[] = [
  ['reading a job', (asker) => asker.getJob('no-such-job')],
  ['exporting visitors', (asker) => asker.getVisitors({ limit: 1 })],
]
const PROMPTS: typeof READS = [
  ['creating a job', (asker) => asker.createJob('Nothing.')],
  ['sending a message', (asker) => asker.sendMessage('no-such-job', 'Nothing.')],
]

describe('authentication (section 5)', () => {
  test.each([...READS, ...PROMPTS])('%s with a key that nobody was given is refused', async (_name, ask) => {
    const stranger = service.client({ apiKey: 'docs_key-of-nobody' })

    await expect(ask(stranger)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  testEmbedded.each([...READS, ...PROMPTS])('%s with a key that has expired is refused', async (_name, ask) => {
    await expect(ask(service.client({ apiKey: EXPIRED_KEY }))).rejects.toMatchObject({ code: 'unauthorized' })
  })

  testEmbedded.each(PROMPTS)('%s with a key that may only read is forbidden', async (_name, ask) => {
    await expect(ask(service.client({ apiKey: READ_ONLY_KEY }))).rejects.toMatchObject({ code: 'forbidden' })
  })

  testEmbedded('a key that may only read reads jobs and visitors', async () => {
    const reader = service.client({ apiKey: READ_ONLY_KEY })

    expect(await reader.getJob('job_finished')).toMatchObject({ id: 'job_finished' })
    expect(await reader.getVisitors({ limit: 1 })).toMatchObject({ hasMore: true })
  })
})

describe('jobs (sections 2.1, 3 and 4.1 to 4.3)', () => {
  test(
    'a job is created, can be read, ends, and takes a follow-up under the same id',
    async () => {
      const created = await client.createJob('Correct one typing error, if there is any. Change nothing else.')
      const ended = await untilEnded(client, created)
      const messaged = await client.sendMessage(created.id, 'Nothing more to do. Change nothing.')

      expect(created.id).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
      expect(JOB_STATUSES).toContain(created.status)
      expect(ended.id).toBe(created.id)
      expect(ended.status).not.toBe('active')
      expect(messaged.id).toBe(created.id)
    },
    ONE_HOUR_MS,
  )

  test('a job that is not there cannot be read, and takes no message', async () => {
    await expect(client.getJob('no-such-job')).rejects.toMatchObject({ code: 'not-found' })
    await expect(client.sendMessage('no-such-job', 'Hello.')).rejects.toMatchObject({ code: 'not-found' })
  })

  testEmbedded('the operations have the methods and paths of the interface', async () => {
    const { id } = await client.createJob('Fix the guide.')
    expect(lastRequest()).toMatchObject({ method: 'POST', path: '/v2/agent/docs-demo/job', status: 201 })
    await client.getJob(id)
    expect(lastRequest()).toMatchObject({ method: 'GET', path: `/v2/agent/docs-demo/job/${id}`, status: 200 })
    await client.sendMessage(id, 'And the index.')
    expect(lastRequest()).toMatchObject({ method: 'POST', path: `/v2/agent/docs-demo/job/${id}/message`, status: 200 })
  })

  testEmbedded('a prompt arrives byte for byte', async () => {
    const prompt = '\ufeff \r\n::error::no command\t"quotes" \\ Grüße, 日本語, 👩‍👩‍👧 \u2028\u0000 end \n'

    const { id } = await client.createJob(prompt)
    expect(lastRequest()).toMatchObject({ prompt })
    await client.sendMessage(id, prompt)
    expect(lastRequest()).toMatchObject({ prompt })
  })

  testEmbedded('a job has no link while it is active, and has one when it completed with changes', async () => {
    const created = await client.createJob('Fix the guide.')
    const ended = await untilEnded(client, created)

    expect(created).toMatchObject({ status: 'active', prLink: undefined, archivedAt: undefined })
    expect(ended).toEqual({
      ...created,
      status: 'completed',
      prLink: expect.objectContaining({ repository: 'acme/docs', number: expect.stringMatching(/^\d+$/) }),
    })
    expect(created).toMatchObject({ repository: 'acme/docs', ref: 'main', model: 'docs-writer-1' })
    expect(Number.isNaN(Date.parse(created.createdAt ?? ''))).toBe(false)
  })

  testEmbedded.each([
    ['no-changes', { status: 'completed', prLink: undefined, archivedAt: undefined }],
    ['failed', { status: 'failed', prLink: undefined, archivedAt: undefined }],
    ['archived', { status: 'archived', prLink: undefined, archivedAt: expect.any(String) }],
  ])('a job can end as %s', async (scenario, end) => {
    const asker = service.client({ projectId: `docs--${scenario}` })

    expect(await untilEnded(asker, await asker.createJob('Fix the guide.'))).toMatchObject(end)
  })

  testEmbedded('a follow-up makes a finished job active again, and it keeps its pull request', async () => {
    const before = await client.getJob('job_finished')
    const during = await client.sendMessage('job_finished', 'And the index.')
    const after = await untilEnded(client, during)

    expect([before.status, during.status, after.status]).toEqual(['completed', 'active', 'completed'])
    expect(after.prLink).toEqual(before.prLink)
  })

  testEmbedded('after a follow-up a job may read as before for a while', async () => {
    const asker = service.client({ projectId: 'docs--never-starts' })
    const before = await asker.getJob('job_finished')

    expect(await asker.sendMessage('job_finished', 'And the index.')).toEqual(before)
  })

  testEmbedded(
    'an archived job takes no message, with a status that does not say what became of the prompt',
    async () => {
      await expect(client.sendMessage('job_archived', 'Hello.')).rejects.toMatchObject({
        code: 'unknown-fate',
        quote: 'The job is archived and takes no messages.',
      })
    },
  )

  testEmbedded('a job belongs to its project', async () => {
    const { id } = await client.createJob('Fix the guide.')

    await expect(service.client({ projectId: 'docs-other' }).getJob(id)).rejects.toMatchObject({ code: 'not-found' })
  })

  testEmbedded('an empty prompt is rejected, and so is one that is too large', async () => {
    await expect(client.createJob('')).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('400'),
    })
    await expect(client.sendMessage('job_finished', '')).rejects.toMatchObject({ code: 'rejected' })
    await expect(client.createJob('x'.repeat(9 * 1024 * 1024))).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('413'),
    })
  })

  testEmbedded('only an id and a status are needed in an answer', async () => {
    const asker = service.client({ projectId: 'docs--sparse' })

    const { id, status, ...details } = await asker.createJob('Fix the guide.')
    expect({ id, status }).toEqual({ id: expect.stringMatching(/^job_\d+$/), status: 'active' })
    expect(Object.values(details).filter((detail) => detail !== undefined)).toEqual([])
  })

  testEmbedded('a status that the interface does not list counts as active', async () => {
    const asker = service.client({ projectId: 'docs--unlisted-status' })
    const { id } = await asker.createJob('Fix the guide.')

    expect(await asker.getJob(id)).toMatchObject({ status: 'active', unlistedStatus: 'paused' })
  })
})

describe('visitors (sections 2.2, 2.3 and 4.4)', () => {
  /** A total is deduplicated, so it is between the larger part and the sum. */
  function expectTotals({ totals, visitors }: VisitorsPage): void {
    const wrong = [totals, ...visitors].filter(
      ({ human, ai, total }) => total < Math.max(human, ai) || total > human + ai,
    )
    expect(wrong).toEqual([])
  }

  test('a page holds 50 rows unless told otherwise, and totals that are deduplicated', async () => {
    const page = await client.getVisitors(pastDays)

    expect(page.visitors.length).toBeLessThanOrEqual(50)
    if (page.hasMore) expect(page.visitors).toHaveLength(50)
    expectTotals(page)
  })

  test('a page holds up to 250 rows', async () => {
    const page = await client.getVisitors({ ...pastDays, limit: 250 })

    expect(page.visitors.length).toBeLessThanOrEqual(250)
    expectTotals(page)
  })

  test.each([{ limit: 0 }, { limit: 251 }, { offset: -1 }, { dateFrom: 'yesterday' }, { dateTo: '2026-02-30' }])(
    'asking for %j is rejected',
    async (query) => {
      await expect(client.getVisitors(query)).rejects.toMatchObject({ code: 'rejected' })
    },
  )

  test('pages follow each other by offset, under the totals of the whole site', async () => {
    const both = await client.getVisitors({ ...pastDays, limit: 2 })
    const first = await client.getVisitors({ ...pastDays, limit: 1, offset: 0 })
    const second = await client.getVisitors({ ...pastDays, limit: 1, offset: 1 })

    expect([...first.visitors, ...second.visitors]).toEqual(both.visitors)
    expect(first.hasMore).toBe(both.visitors.length > 1)
    expect(second.hasMore).toBe(both.hasMore)
    expect([first.totals, second.totals]).toEqual([both.totals, both.totals])
  })

  testEmbedded('the operation has the method, the path and the parameters of the interface', async () => {
    await client.getVisitors({ dateFrom: '2025-11-01', dateTo: '2025-12-01T00:00:00+01:00', limit: 7, offset: 14 })

    expect(lastRequest()).toMatchObject({
      method: 'GET',
      path: '/v1/analytics/docs-demo/visitors',
      query: 'dateFrom=2025-11-01&dateTo=2025-12-01T00%3A00%3A00%2B01%3A00&limit=7&offset=14',
      status: 200,
    })
  })

  testEmbedded('all pages together hold every row once, and the last one says so', async () => {
    const whole = await client.getVisitors({ limit: 250 })
    const rows: VisitorsPage['visitors'] = []
    for (let hasMore = true; hasMore;) {
      const page = await client.getVisitors({ limit: 50, offset: rows.length })
      rows.push(...page.visitors)
      hasMore = page.hasMore
    }

    expect(rows).toHaveLength(120)
    expect(rows).toEqual(whole.visitors)
    expect(new Set(rows.map(({ path }) => path)).size).toBe(120)
  })

  testEmbedded('an offset behind the last row gives an empty page', async () => {
    expect(await client.getVisitors({ offset: 1_000 })).toMatchObject({ visitors: [], hasMore: false })
  })

  testEmbedded('the end of a range is exclusive, and its beginning inclusive', async () => {
    const totalOf = async (dateFrom: string, dateTo: string): Promise<number> =>
      (await client.getVisitors({ dateFrom, dateTo, limit: 1 })).totals.total

    expect(await totalOf('2025-11-05', '2025-11-05')).toBe(0)
    expect(await totalOf('2025-11-05', '2025-11-06')).toBeGreaterThan(0)
  })

  testEmbedded('a date is its midnight in UTC, however it is written', async () => {
    const plain = await client.getVisitors({ dateFrom: '2025-11-05', dateTo: '2025-11-06' })
    const exact = await client.getVisitors({
      dateFrom: '2025-11-05T00:00:00Z',
      dateTo: '2025-11-06T02:00:00+02:00',
    })

    expect(exact).toEqual(plain)
  })

  testEmbedded('a range that ends before it begins is rejected, and without dates all visits count', async () => {
    const all = await client.getVisitors({})
    const wide = await client.getVisitors({ dateFrom: '2025-01-01', dateTo: '2026-12-31' })

    expect(all).toEqual(wide)
    await expect(client.getVisitors({ dateFrom: '2025-11-06', dateTo: '2025-11-05' })).rejects.toMatchObject({
      code: 'rejected',
    })
  })

  testEmbedded('visitors who are seen as human and as AI count once', async () => {
    const { totals } = await client.getVisitors({ limit: 1 })

    expect(totals.total).toBeLessThan(totals.human + totals.ai)
  })
})

describe('rate limits and faults (sections 7 and 8 leave them open)', () => {
  testEmbedded(
    'each project has an allowance for jobs and one for messages, and all share one for visitors',
    async () => {
      const strict = await startStepwise({ requestsPerHour: 1 })
      const asker = (projectId: string): DocsServiceClient =>
        clientOf({ baseUrl: strict.url, env: {}, projectId, apiKey: EMULATOR_KEY, patienceMs: 2_000 })
      const limited = { code: 'rate-limited', retryAfterMs: expect.any(Number) }
      try {
        const { id } = await asker('one').createJob('Fix the guide.')
        await expect(asker('one').createJob('Fix the guide.')).rejects.toMatchObject(limited)
        await expect(asker('two').createJob('Fix the guide.')).resolves.toBeDefined()

        await expect(asker('one').sendMessage(id, 'And more.')).resolves.toBeDefined()
        await expect(asker('one').sendMessage(id, 'And more.')).rejects.toMatchObject(limited)

        await expect(asker('one').getVisitors({})).resolves.toBeDefined()
        await expect(asker('two').getVisitors({})).rejects.toMatchObject(limited)

        for (let reads = 0; reads < 3; reads++) await expect(asker('one').getJob(id)).resolves.toBeDefined()
      } finally {
        await strict.close()
      }
    },
  )

  testEmbedded('a read that fails says how', async () => {
    const asker = service.client({ projectId: 'docs--flaky' })
    const codes: string[] = []
    for (let reads = 0; reads < 7; reads++) {
      codes.push(
        await asker.getJob('job_running').then(
          () => 'read',
          (error: unknown) => (error as ActionError).code,
        ),
      )
    }

    // 503, whole, reset, HTML, whole, half an answer, whole.
    expect(codes).toEqual(['service-error', 'read', 'unreachable', 'bad-answer', 'read', 'unreachable', 'read'])
  })

  testEmbedded.each(['lost-answer', 'bad-id', 'unavailable', 'redirecting'])(
    'a prompt whose fate is unknown is sent once: %s',
    async (scenario) => {
      const asker = service.client({ projectId: `docs--${scenario}` })
      const postsBefore = emulator?.requests.length ?? 0

      await expect(asker.createJob('Fix the guide.')).rejects.toMatchObject({ code: 'unknown-fate' })
      expect(emulator?.requests.length).toBe(postsBefore + 1)
    },
  )

  testEmbedded('an answer about another job is not taken for an answer', async () => {
    const asker = service.client({ projectId: 'docs--other-job' })

    await expect(asker.getJob('job_running')).rejects.toMatchObject({ code: 'bad-answer' })
  })

  testEmbedded('a redirect is not followed', async () => {
    const asker = service.client({ projectId: 'docs--redirecting' })

    await expect(asker.getJob('job_running')).rejects.toMatchObject({ code: 'redirected' })
    expect(lastRequest()).toMatchObject({ path: '/v2/agent/docs--redirecting/job/job_running' })
  })
})
