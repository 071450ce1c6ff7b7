import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { createService, type ServiceOptions } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY, EXPIRED_KEY } from '../../src/emulator/http/access.ts'
import type { ErrorCode } from '../../src/runtime/errors.ts'
import type { ExportReport } from '../../src/visitors/report.ts'
import { SITE_TOTALS, createSitePage, createSiteRow } from '../../testing/paging-server.ts'
import type { Respond } from '../../testing/respond-in-process.ts'
import {
  respondWith,
  respondInOrder,
  NO_FILE,
  createPage,
  createRefusal,
  createRow,
  runExport,
  SERVICE_URL,
} from '../../testing/visitors-run.ts'

function embedded(options: Partial<ServiceOptions> = {}): Respond {
  const service = createService({ baseUrl: SERVICE_URL, ...options })
  return (request, nowMs) => service.handle(request, nowMs)
}

const site = (rows: number): Respond => respondWith((request) => createSitePage(rows, request))

/** One export and its results; the exact words are in the tests of each module. */
interface Row {
  readonly name: string
  readonly respond: () => Respond
  readonly given?: Readonly<Record<string, string>>
  readonly ending: ExportReport['ending']
  readonly error?: ErrorCode
  /** Those that differ from a step without a file. */
  readonly outputs?: Readonly<Record<string, string>>
  readonly offsets: readonly number[]
  /** Parts of the log that only this scenario has. */
  readonly texts?: readonly string[]
}

const SITE = { human: '30000', ai: '9000', total: '35000' }
const ANY_COUNT = expect.stringMatching(/^\d+$/) as unknown as string

/** The totals change with the second page. */
const changing = (): Respond =>
  respondWith((request) => ({
    ...createSitePage(500, request),
    totals: { human: 10, ai: 5, total: 11 + request.nth },
  }))

const BEFORE = Array.from({ length: 400 }, (_, index) => createSiteRow(index))
const AFTER = [{ path: '/new', human: 99_999, ai: 0, total: 99_999 }, ...BEFORE]
/** A page moves to the top after the first response, so the last row of that response is repeated. */
const moving = (): Respond =>
  respondWith(({ nth, offset, limit }) => {
    const rows = nth === 1 ? BEFORE : AFTER
    return { totals: SITE_TOTALS, visitors: rows.slice(offset, offset + limit), hasMore: offset + limit < rows.length }
  })

const BEFORE_SITE = { 'previous-human': '15000', 'previous-ai': '7000', 'previous-total': '20000' }
const growing = (): Respond =>
  respondWith((request) => {
    const totals = request.dateTo === '2026-01-01' ? { human: 15_000, ai: 7_000, total: 20_000 } : SITE_TOTALS
    return { ...createSitePage(300, request), totals }
  })

const ROWS: readonly Row[] = [
  {
    name: 'totals that change while the pages are read leave a file that may be incomplete',
    respond: changing,
    ending: 'uncertain',
    outputs: { human: '10', ai: '5', total: '12', rows: '500', file: 'visitors.csv' },
    offsets: [0, 250],
    texts: ["The service's totals changed while the pages were read."],
  },
  {
    name: 'rows that move while they are read are written once, and others may be missing',
    respond: moving,
    ending: 'uncertain',
    outputs: { ...SITE, rows: '400', file: 'visitors.csv' },
    offsets: [0, 250],
    texts: ['Rows moved while the pages were read'],
  },
  {
    name: 'a service that repeats the same rows ends the step red at the second request',
    respond: () => respondWith(({ limit }) => createSitePage(1_000, { offset: 0, limit })),
    ending: 'error',
    error: 'invalid-response',
    outputs: SITE,
    offsets: [0, 250],
    texts: ['does not end', 'only known rows', 'Check `base-url`'],
  },
  {
    name: 'a refused key ends the step red at once',
    respond: embedded,
    given: { 'api-key': EXPIRED_KEY, compare: 'true', days: '7' },
    ending: 'error',
    error: 'unauthorized',
    offsets: [0],
    texts: ['The service rejected the key (401).', 'Keys can expire.'],
  },
  {
    name: 'reads that fail in every way are retried until the file is complete',
    respond: () => embedded({ scenario: 'flaky', pages: 700, visits: 20_000 }),
    ending: 'complete',
    outputs: { human: ANY_COUNT, ai: ANY_COUNT, total: ANY_COUNT, rows: '700', file: 'visitors.csv', complete: 'true' },
    offsets: [0, 0, 250, 250, 250, 500, 500],
  },
  {
    name: 'a rate limit that outlasts the step ends it at once, without a file',
    respond: () =>
      respondWith((request) => (request.nth === 3 ? createRefusal(429, 3_000) : createSitePage(10_000, request))),
    ending: 'error',
    error: 'rate-limited',
    outputs: SITE,
    offsets: [0, 250, 500],
    texts: [
      "which is after this step's deadline",
      'The service says: “No.”',
      '500 rows had been read. No file was written.',
      'Run it later',
    ],
  },
  {
    name: 'a comparison takes one more request',
    respond: growing,
    given: { 'date-from': '2026-01-01', 'date-to': '2026-02-01', compare: 'true' },
    ending: 'complete',
    outputs: { ...SITE, ...BEFORE_SITE, rows: '300', file: 'visitors.csv', complete: 'true' },
    offsets: [0, 250, 0],
    texts: ['Reading the totals of the 31 days before.', 'That is 75% more than the 31 days before.'],
  },
  {
    name: 'a preceding period that the service no longer knows costs only the comparison',
    respond: () => embedded({ scenario: 'short-history' }),
    given: { 'date-from': '2025-11-02', 'date-to': '2026-01-01', compare: 'true' },
    ending: 'complete',
    outputs: { human: ANY_COUNT, ai: ANY_COUNT, total: ANY_COUNT, rows: '30', file: 'visitors.csv', complete: 'true' },
    offsets: [0, 0],
    texts: ['There is no comparison with the 60 days before: The service rejected the request (400)'],
  },
  {
    name: 'invalid inputs send nothing to the service',
    respond: embedded,
    given: { 'output-file': '../visitors.csv', top: '1001' },
    ending: 'error',
    error: 'invalid-input',
    offsets: [],
    texts: ['2 inputs are invalid', 'Nothing was sent.'],
  },
]

test.each(ROWS)('$name', async ({ respond, given, ending, error, outputs, offsets, texts }) => {
  const run = await runExport(respond(), { top: '0', ...given })
  expect(run.requests.map(({ offset }) => offset)).toEqual(offsets)
  expect(run.outputs).toEqual({ ...NO_FILE, ...outputs })
  const { code } = (run.report.error ?? {}) as { code?: ErrorCode }
  expect([run.report.ending, code]).toEqual([ending, error])
  expect(run.isGreen).toBe(error === undefined)
  expect(run.hostCalls.some((line) => line.startsWith('warn'))).toBe(ending === 'uncertain')
  const text = [...run.hostCalls, run.line].join('\n')
  for (const part of texts ?? []) expect(text).toContain(part)
})

test('writes a JSON export as one object with the range, the totals and all rows', async () => {
  const given = { format: 'json', 'output-file': 'out/pages.json', 'date-from': '2026-01-01', top: '1' }
  const { written = '', outputs } = await runExport(site(600), given)
  expect(outputs).toMatchObject({ file: 'out/pages.json', 'top-pages': JSON.stringify([createSiteRow(0)]) })
  expect(JSON.parse(written)).toEqual({
    range: { dateFrom: '2026-01-01', dateTo: null },
    totals: SITE_TOTALS,
    rows: Array.from({ length: 600 }, (_, index) => createSiteRow(index)),
  })
})

test.each([
  [{ days: '7' }, { dateFrom: '2025-12-25', dateTo: '2026-01-01' }],
  [
    { 'date-from': '2026-01-01T00:00:00+05:30', 'date-to': '2026-01-02' },
    { dateFrom: '2026-01-01T00:00:00+05:30', dateTo: '2026-01-02' },
  ],
])('sends the range %j as the same two dates for every page', async (given, dates) => {
  const { requests } = await runExport(site(300), given)
  expect(requests).toMatchObject([0, 250].map((offset) => ({ ...dates, limit: 250, offset })))
})

test('keeps paths that look like formulas, commands or HTML inert everywhere', async () => {
  const { written, summary, outputs } = await runExport(embedded({ scenario: 'hostile' }))
  const { 'top-pages': topPages = '' } = outputs
  expect(topPages).not.toMatch(/[\n\r\u2028]|##\[/)
  const cells: readonly (readonly string[])[] = parse(written ?? '', { fromLine: 2 })
  const paths = cells.map(([path = '']) => path)
  const sent = (JSON.parse(topPages) as { path: string }[]).map(({ path }) => path)
  expect(sent).toContainEqual(expect.stringMatching(/^=1\+1/))
  expect(paths.slice(0, 20).map((path) => path.replace(/^'/, ''))).toEqual(sent)
  expect(paths.filter((path) => /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(path))).toEqual([])
  expect(summary).not.toMatch(/<b>\||@SUM|##\[|\p{Cf}/u)
})

test('redacts a key in a path in the file, the outputs and the summary', async () => {
  const { written, summary, outputs } = await runExport(
    respondInOrder(createPage([createRow(`/search?key=${EMULATOR_KEY}`)])),
  )
  expect(outputs['top-pages']).toBe('[{"path":"/search?key=***","human":1,"ai":0,"total":1}]')
  expect(written).toContain('/search?key=***,1,0,1')
  expect(summary).not.toContain(EMULATOR_KEY)
})
