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
 * The others only read, or ask for what must be refused. What rests on the embedded service (its keys and its jobs) is
 * skipped there.
 */
import { afterAll, describe, expect, test } from '@jest/globals'
import { createClient, type Delivery, type DocsServiceClient } from '../../src/docs-service/client.ts'
import { type Job } from '../../src/docs-service/schemas.ts'
import { STATUS_PHRASES, type VisitorsPage } from '../../src/docs-service/interface.ts'
import { createTransport } from '../../src/docs-service/transport.ts'
import { EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID, startEmulator } from '../../src/emulator/server.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const { DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID, DOCS_AGENT_API_KEY } = process.env
const isReal = Boolean(DOCS_AGENT_BASE_URL && DOCS_AGENT_PROJECT_ID && DOCS_AGENT_API_KEY)
const testEmbedded = isReal ? test.skip : test

/** The embedded service's time passes with its requests only, 10 seconds with each. */
let now = 0
const emulator = await startEmulator({ clock: { ...systemClock, now: () => (now += 10_000) }, pages: 120 })
afterAll(() => emulator.close())
const lastRequest = (): unknown => emulator.requests.at(-1)

const SERVICE = isReal
  ? {
      baseUrl: DOCS_AGENT_BASE_URL?.replace(/\/+$/, '') ?? '',
      projectId: DOCS_AGENT_PROJECT_ID ?? '',
      apiKey: DOCS_AGENT_API_KEY ?? '',
      env: process.env,
    }
  : { baseUrl: emulator.url, projectId: DEFAULT_PROJECT_ID, apiKey: EMULATOR_KEY, env: {} }

/** A client of the real kind: HTTP over a socket. */
function openClient(choice: Partial<typeof SERVICE> = {}): DocsServiceClient {
  const target = { ...SERVICE, ...choice, deadlineAt: systemClock.now() + HOUR_MS }
  const run = { clock: systemClock, signal: new AbortController().signal, random: () => 0.5 }
  const options = { ...fakeRunner(), ...run, ...target, redact: createRedactor([target.apiKey]) }
  return createClient({ ...options, transport: createTransport(options) })
}

const client = openClient()

async function untilEnded({ id }: Job): Promise<Job> {
  for (;;) {
    // A real service may take some time to find a new job.
    await systemClock.sleep(isReal ? 30_000 : 0)
    const job = await client.getJob(id)
    if (job.status !== 'active') return job
  }
}

/** The job of a prompt that the service accepts at the first attempt. */
async function accepted(sent: Promise<Delivery>): Promise<Job> {
  const delivery = await sent
  if (delivery.kind !== 'accepted') throw delivery.error
  return delivery.job
}

type Operation = (client: DocsServiceClient) => Promise<unknown>

/** Every operation, for a job that does not exist, so that a real service starts no work. */
const READS: readonly Operation[] = [
  (client) => client.getJob('no-such-job'),
  (client) => client.getVisitors({ limit: 1 }),
]
const PROMPTS: readonly Operation[] = [
  (client) => client.createJob('Nothing.'),
  (client) => client.sendMessage('no-such-job', 'Nothing.'),
]

describe('authentication (section 5)', () => {
  async function expectRejected(operations: readonly Operation[], apiKey: string, code: string): Promise<void> {
    for (const perform of operations) await expect(perform(openClient({ apiKey }))).rejects.toMatchObject({ code })
  }

  test('every operation rejects an unknown key', () =>
    expectRejected([...READS, ...PROMPTS], 'docs_key-of-nobody', 'unauthorized'))

  testEmbedded('every operation rejects an expired key', () =>
    expectRejected([...READS, ...PROMPTS], EXPIRED_KEY, 'unauthorized'),
  )

  testEmbedded('a read-only key can read jobs and visitors only', async () => {
    const reader = openClient({ apiKey: READ_ONLY_KEY })
    expect(await reader.getJob('job_finished')).toMatchObject({ id: 'job_finished' })
    expect(await reader.getVisitors({ limit: 1 })).toMatchObject({ hasMore: true })
    await expectRejected(PROMPTS, READ_ONLY_KEY, 'forbidden')
  })
})

describe('jobs (sections 2.1, 3 and 4.1 to 4.3)', () => {
  async function creates(): Promise<void> {
    const created = await accepted(client.createJob('Correct one typing error, if there is any. Change nothing else.'))
    const ended = await untilEnded(created)
    const messaged = await accepted(client.sendMessage(created.id, 'Nothing more to do. Change nothing.'))
    expect(created.id).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
    expect(Object.keys(STATUS_PHRASES)).toContain(created.status)
    expect(ended.status).not.toBe('active')
    expect([ended.id, messaged.id]).toEqual([created.id, created.id])
  }
  test('a job is created, can be read, ends, and accepts a follow-up under the same id', creates, HOUR_MS)

  test('a job that does not exist cannot be read, and accepts no message', async () => {
    await expect(client.getJob('no-such-job')).rejects.toMatchObject({ code: 'not-found' })
    await expect(client.sendMessage('no-such-job', 'Hello.')).rejects.toMatchObject({ code: 'not-found' })
  })

  testEmbedded('the operations have their methods and paths, and a prompt arrives unchanged', async () => {
    const prompt = '\ufeff \r\n::error::no command\t"quotes" \\ Grüße, 日本語, 👩‍👩‍👧 \u2028\u0000 end \n'
    const path = '/v2/agent/docs-demo/job'
    const { id } = await accepted(client.createJob(prompt))
    expect(lastRequest()).toMatchObject({ method: 'POST', path, status: 201, prompt })
    await client.getJob(id)
    expect(lastRequest()).toMatchObject({ method: 'GET', path: `${path}/${id}`, status: 200 })
    await client.sendMessage(id, prompt)
    expect(lastRequest()).toMatchObject({ method: 'POST', path: `${path}/${id}/message`, status: 200, prompt })
  })

  testEmbedded('a job has no link while it is active, and keeps the link that it had when it completed', async () => {
    const created = await accepted(client.createJob('Fix the guide.'))
    const ended = await untilEnded(created)
    const again = await untilEnded(await accepted(client.sendMessage(created.id, 'And the index.')))
    expect(created).toMatchObject({ status: 'active', prLink: undefined, repository: 'acme/docs', ref: 'main' })
    const prLink: unknown = expect.objectContaining({ repository: 'acme/docs', number: expect.stringMatching(/^\d+$/) })
    expect(ended).toEqual({ ...created, status: 'completed', prLink })
    expect(again).toEqual(ended)
  })
})

describe('visitors (sections 2.2, 2.3 and 4.4)', () => {
  const daysAgo = (days: number): string =>
    new Date(systemClock.wallTime().getTime() - days * DAY_MS).toISOString().slice(0, 10)
  /** Days that are over, so that their visits change no more. */
  const pastDays = isReal
    ? { dateFrom: daysAgo(30), dateTo: daysAgo(2) }
    : { dateFrom: '2025-11-01', dateTo: '2025-12-01' }

  test.each([
    [{}, 50],
    [{ limit: 250 }, 250],
  ])('the query %j returns at most %i rows, and deduplicated totals', async (query, most) => {
    const { totals, visitors, hasMore } = await client.getVisitors({ ...pastDays, ...query })
    expect(visitors.length).toBeLessThanOrEqual(most)
    if (hasMore) expect(visitors).toHaveLength(most)
    for (const { human, ai, total } of [totals, ...visitors]) {
      expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
      expect(total).toBeLessThanOrEqual(human + ai)
    }
  })

  const WRONG = [{ limit: 0 }, { limit: 251 }, { offset: -1 }, { dateFrom: 'yesterday' }, { dateTo: '2026-02-30' }]

  test.each(WRONG)('rejects the query %j', async (query) => {
    await expect(client.getVisitors(query)).rejects.toMatchObject({ code: 'rejected' })
  })

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

  testEmbedded('all pages together contain every row once, and only the last page has no more', async () => {
    const rows: VisitorsPage['visitors'] = []
    for (let hasMore = true; hasMore;) {
      const page = await client.getVisitors({ limit: 50, offset: rows.length })
      rows.push(...page.visitors)
      hasMore = page.hasMore
    }
    expect(rows).toEqual((await client.getVisitors({ limit: 250 })).visitors)
    expect(new Set(rows.map(({ path }) => path)).size).toBe(120)
  })
})
