import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { createService, type ServiceOptions } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY } from '../../src/emulator/http/access.ts'
import { jsonResponse } from '../../src/emulator/http/exchange.ts'
import type { ErrorCode } from '../../src/runtime/errors.ts'
import type { Outputs } from '../../src/visitors/outputs.ts'
import type { Report } from '../../src/visitors/report.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import {
  readPageRequest,
  SITE_TOTALS,
  sitePage,
  siteRow,
  type PageAnswer,
  type PageRequest,
} from '../support/paging-server.ts'
import { playFeature, type Played } from '../support/play-feature.ts'
import type { Respond } from '../support/respond-in-process.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'
import { NO_FILE } from '../support/visitors-run.ts'

const SERVICE_URL = 'http://127.0.0.1:4010'

interface Export extends Played<Report> {
  readonly requests: readonly PageRequest[]
  /** Of the one file that there is, undefined if there is none. */
  readonly written: string | undefined
}

/** A service that gives the answers of the test. */
function answering(answer: (request: PageRequest) => PageAnswer): Respond {
  let nth = 0
  return ({ target }) => {
    const { status = 200, headers, body } = answer(readPageRequest(target, ++nth))
    return jsonResponse(status, body as object, headers)
  }
}

function embedded(options: Partial<ServiceOptions> = {}): Respond {
  const service = createService({ baseUrl: SERVICE_URL, ...options })
  return (request, nowMs) => service.handle(request, nowMs)
}

const site = (rows: number): Respond => answering((request) => ({ body: sitePage(rows, request) }))

async function runExport(respond: Respond, given: Readonly<Record<string, string>> = {}): Promise<Export> {
  const workspace = temporaryFolder()
  const requests: PageRequest[] = []
  const access = { 'project-id': 'docs-demo', 'api-key': EMULATOR_KEY, 'base-url': SERVICE_URL }
  const played = await playFeature(visitorsAction, {
    given: { ...access, ...given },
    workspace,
    respond(request, nowMs) {
      requests.push(readPageRequest(request.target, requests.length + 1))
      return respond(request, nowMs)
    },
  })
  const { file = '' } = played.outputs
  const found = namesIn(workspace).filter((name) => name !== 'out')
  expect(found).toEqual(file === '' ? [] : [file])
  const written = file === '' ? undefined : readFileSync(join(workspace, file), 'utf8')
  return { ...played, requests, written }
}

/** One export, and all that came of it but the words, which the tests of each part hold. */
interface Row {
  readonly name: string
  readonly respond: () => Respond
  readonly given?: Readonly<Record<string, string>>
  readonly ending: Report['ending']
  readonly error?: ErrorCode
  /** Where they differ from those of a step that left no file. */
  readonly outputs?: Partial<Outputs>
  readonly offsets: readonly number[]
  /** Parts of what is said: what only this way through the step says. */
  readonly says?: readonly string[]
}

const TOTALS = { human: '30000', ai: '9000', total: '35000' }
const whole = (rows: number): Partial<Outputs> => ({
  ...TOTALS,
  rows: String(rows),
  file: 'visitors.csv',
  complete: 'true',
})
const ANY_COUNT = expect.stringMatching(/^\d+$/) as unknown as string

/** Its totals change with the second page. */
const changing = (): Respond =>
  answering((request) => ({
    body: { ...sitePage(500, request), totals: { human: 10, ai: 5, total: 11 + request.nth } },
  }))

const BEFORE = Array.from({ length: 400 }, (_, index) => siteRow(index))
const AFTER = [{ path: '/new', human: 99_999, ai: 0, total: 99_999 }, ...BEFORE]
/** A page moves to the top after the first answer, so the last row of that one comes again. */
const moving = (): Respond =>
  answering(({ nth, offset, limit }) => {
    const rows = nth === 1 ? BEFORE : AFTER
    const visitors = rows.slice(offset, offset + limit)
    return { body: { totals: SITE_TOTALS, visitors, hasMore: offset + limit < rows.length } }
  })

/** A site of so many rows that limits the rate of one request. */
const limiting = (rows: number, nth: number, seconds: number): Respond =>
  answering((request) =>
    request.nth === nth
      ? { status: 429, headers: { 'retry-after': String(seconds) }, body: { error: 'Slow down.' } }
      : { body: sitePage(rows, request) },
  )

const JANUARY = { 'date-from': '2026-01-01', 'date-to': '2026-02-01' }
const BEFORE_TOTALS = { human: 15_000, ai: 9_000, total: 20_000 }
const COMPARED = { 'previous-human': '15000', 'previous-ai': '9000', 'previous-total': '20000' }
/** A site of 300 pages in January, with an answer for the days before. */
const growing = (before: PageAnswer): Respond =>
  answering((request) => (request.dateTo === '2026-01-01' ? before : { body: sitePage(300, request) }))

const ROWS: readonly Row[] = [
  {
    name: 'totals that change while the pages are read leave a file that is not known to be whole',
    respond: changing,
    ending: 'uncertain',
    outputs: { human: '10', ai: '5', total: '12', rows: '500', file: 'visitors.csv' },
    offsets: [0, 250],
    says: ["The service's totals changed while the pages were read."],
  },
  {
    name: 'rows that move while they are read are written once, and others may be missing',
    respond: moving,
    ending: 'uncertain',
    outputs: { ...whole(400), complete: 'false' },
    offsets: [0, 250],
    says: ['Rows moved while the pages were read'],
  },
  {
    name: 'a service that sends the same rows for ever is found out at the second request',
    respond: () => answering(({ limit }) => ({ body: sitePage(1_000, { offset: 0, limit }) })),
    ending: 'error',
    error: 'bad-answer',
    outputs: TOTALS,
    offsets: [0, 250],
    says: ['does not end', 'every row had come before', 'Check `base-url`'],
  },
  {
    name: 'a key that is refused ends red at once',
    respond: embedded,
    given: { 'api-key': EXPIRED_KEY },
    ending: 'error',
    error: 'unauthorized',
    offsets: [0],
    says: ['The service refused the key (401).', 'Keys can expire.'],
  },
  {
    name: 'a key that can only read is enough',
    respond: embedded,
    given: { 'api-key': READ_ONLY_KEY },
    ending: 'complete',
    outputs: { human: ANY_COUNT, ai: ANY_COUNT, total: ANY_COUNT, rows: '30', file: 'visitors.csv', complete: 'true' },
    offsets: [0],
  },
  {
    name: 'reads that fail in every way are tried again until the file is whole',
    respond: () => embedded({ scenario: 'flaky', pages: 700, visits: 20_000 }),
    ending: 'complete',
    outputs: { human: ANY_COUNT, ai: ANY_COUNT, total: ANY_COUNT, rows: '700', file: 'visitors.csv', complete: 'true' },
    offsets: [0, 0, 250, 250, 250, 500, 500],
  },
  {
    name: 'a large site takes one request for 250 rows',
    respond: () => site(12_000),
    ending: 'complete',
    outputs: whole(12_000),
    offsets: Array.from({ length: 12_000 / 250 }, (_, index) => index * 250),
  },
  {
    name: 'a rate limit in the middle is waited for, and then the same rows are asked for again',
    respond: () => limiting(500, 2, 7),
    ending: 'complete',
    outputs: whole(500),
    offsets: [0, 250, 250],
    says: ['(429). It says: “Slow down.” Asking again in 39 s.'],
  },
  {
    name: 'a rate limit that lasts longer than the step may ends it at once, without a file',
    respond: () => limiting(10_000, 3, 3_000),
    ending: 'error',
    error: 'rate-limited',
    outputs: TOTALS,
    offsets: [0, 250, 500],
    says: ["which is after this step's deadline", '500 rows had been read. No file was written.', 'Run it later'],
  },
  {
    name: 'the period before is asked for in one request more',
    respond: () => growing({ body: { ...sitePage(300, { offset: 0, limit: 1 }), totals: BEFORE_TOTALS } }),
    given: { ...JANUARY, compare: 'true' },
    ending: 'complete',
    outputs: { ...whole(300), ...COMPARED },
    offsets: [0, 250, 0],
    says: ['Comparing with the 31 days before', 'Unique visitors: 75 % more than the 31 days before.'],
  },
  {
    name: 'a comparison that the service refuses costs neither the file nor the step',
    respond: () => growing({ status: 403, body: { error: 'Too long ago.' } }),
    given: { ...JANUARY, compare: 'pages' },
    ending: 'complete',
    outputs: whole(300),
    offsets: [0, 250, 0],
    says: ['notice: The visitors are not compared', 'They are not compared with the 31 days before: '],
  },
  {
    name: 'wrong inputs ask nothing of the service',
    respond: embedded,
    given: { 'output-file': '../visitors.csv', top: '1001' },
    ending: 'error',
    error: 'invalid-input',
    offsets: [],
    says: ['2 inputs are wrong', 'Nothing was sent.'],
  },
]

test.each(ROWS)('$name', async ({ respond, given, ending, error, outputs, offsets, says }) => {
  const run = await runExport(respond(), { top: '0', ...given })
  expect(run.requests.map(({ offset }) => offset)).toEqual(offsets)
  expect(run.outputs).toEqual({ ...NO_FILE, ...outputs })
  const { code } = (run.report.error ?? {}) as { code?: ErrorCode }
  expect([run.report.ending, code]).toEqual([ending, error])
  expect(run.conclusion.isGreen).toBe(error === undefined)
  const text = [...run.said, run.text].join('\n')
  for (const part of says ?? []) expect(text).toContain(part)
})

/** The paths in a CSV file, as a reader of CSV reads them. */
function pathsIn(csv: string | undefined): string[] {
  const rows: readonly (readonly string[])[] = parse(csv ?? '', { fromLine: 2 })
  return rows.map(([path = '']) => path)
}

test('an export to JSON is one object with the range, the totals and all rows', async () => {
  const given = { format: 'json', 'output-file': 'out/pages.json', 'date-from': '2026-01-01', top: '1' }
  const { written = '', outputs } = await runExport(site(600), given)
  expect(outputs).toMatchObject({ file: 'out/pages.json', 'top-pages': JSON.stringify([siteRow(0)]) })
  expect(JSON.parse(written)).toEqual({
    range: { dateFrom: '2026-01-01', dateTo: null },
    totals: SITE_TOTALS,
    rows: Array.from({ length: 600 }, (_, index) => siteRow(index)),
  })
})

test.each([
  [{ days: '7' }, { dateFrom: '2025-12-25', dateTo: '2026-01-01' }],
  [
    { 'date-from': '2026-01-01T00:00:00+05:30', 'date-to': '2026-01-02' },
    { dateFrom: '2026-01-01T00:00:00+05:30', dateTo: '2026-01-02' },
  ],
])('the range %j is sent as two dates, the same ones for every page', async (given, dates) => {
  const { requests } = await runExport(site(300), given)
  expect(requests).toMatchObject([0, 250].map((offset) => ({ ...dates, limit: 250, offset })))
})

test('paths that are formulas, commands or HTML become none of these anywhere', async () => {
  const { written, summary, outputs } = await runExport(embedded({ scenario: 'hostile' }))
  const { 'top-pages': topPages = '' } = outputs
  expect(topPages).not.toMatch(/[\n\r\u2028]|##\[/)
  const paths = pathsIn(written)
  const sent = (JSON.parse(topPages) as { path: string }[]).map(({ path }) => path)
  expect(sent).toContainEqual(expect.stringMatching(/^=1\+1/))
  expect(paths.slice(0, 20).map((path) => path.replace(/^'/, ''))).toEqual(sent)
  expect(paths.filter((path) => /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(path))).toEqual([])
  expect(summary).not.toMatch(/<b>\||@SUM|##\[|\p{Cf}/u)
})

test('a key that comes back in a path gets into no file, no output and no summary', async () => {
  const row = { path: `/search?key=${EMULATOR_KEY}`, human: 1, ai: 0, total: 1 }
  const respond = answering((request) => ({ body: { ...sitePage(0, request), visitors: [row] } }))
  const { written, summary, outputs } = await runExport(respond)
  expect(outputs['top-pages']).toBe('[{"path":"/search?key=***","human":1,"ai":0,"total":1}]')
  expect(written).toContain('/search?key=***,1,0,1')
  expect(summary).not.toContain(EMULATOR_KEY)
})
