import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { countVisitors, generateVisits } from '../../src/emulator/service/visitor-counts.ts'
import type { VisitorsPage } from '../../src/docs-service/interface.ts'
import { jsonResponse } from '../../src/emulator/http/exchange.ts'
import type { VisitorRow } from '../../src/visitors/inputs.ts'
import { MAX_PAGES, shortenPath, VisitorList } from '../../src/visitors/visitor-list.ts'
import { SEED } from '../../testing/seed.ts'
import {
  respondInOrder,
  createPage,
  createRefusal,
  createRow,
  createRows,
  runExport,
  TOTALS,
} from '../../testing/visitors-run.ts'

async function readList(respond: (offset: number, nth: number) => VisitorsPage) {
  const offsets: number[] = []
  const pages: (readonly VisitorRow[])[] = []
  const list = new VisitorList()
  const readPage = (offset: number): Promise<VisitorsPage> => {
    offsets.push(offset)
    return Promise.resolve(respond(offset, offsets.length))
  }
  try {
    await list.read(readPage, 0, (rows) => pages.push(rows))
    return { offsets, pages, list, error: undefined }
  } catch (error) {
    return { offsets, pages, list, error: error as Error }
  }
}

const respondWith = (pages: readonly VisitorsPage[]) => (_offset: number, nth: number) => {
  const page = pages[nth - 1]
  if (page === undefined) throw new Error('Unexpected request.')
  return page
}

const MORE = { hasMore: true }
const LONGEST = `/${'é'.repeat(4_095)}`
const FLOOD = Array.from<ReturnType<typeof createRow>>({ length: 2_500_001 }).fill(createRow('/a', 1))

test('begins the next page after the rows received, and stops after the last one', async () => {
  const { offsets, pages } = await readList(
    respondWith([
      createPage(createRows(250, '/a'), MORE),
      createPage(createRows(100, '/b'), MORE),
      createPage(createRows(1, '/c')),
    ]),
  )
  expect(offsets).toEqual([0, 250, 350])
  expect(pages.map(({ length }) => length)).toEqual([250, 100, 1])
})

test.each(['', '/long'.repeat(30)])('uses a repeated path (in %j) once, and keeps the order', async (folder) => {
  const others = createRows(247, `${folder}/page-`)
  const { pages, offsets, list, error } = await readList(
    respondWith([
      createPage(
        [createRow(`${folder}/b`, 3), ...others, createRow(`${folder}/a`, 2), createRow(`${folder}/b`, 9)],
        MORE,
      ),
      createPage([createRow(`${folder}/a`, 2), createRow(`${folder}/c`, 1)], MORE),
      createPage([createRow(`${folder}/d`, 1)]),
    ]),
  )
  expect(error).toBeUndefined()
  expect(offsets).toEqual([0, 250, 252])
  expect(pages.map((rows) => rows.map(({ path }) => path))).toEqual([
    [`${folder}/b`, ...others.map(({ path }) => path), `${folder}/a`],
    [`${folder}/c`],
    [`${folder}/d`],
  ])
  expect([list.rows, list.doubts]).toEqual([251, MOVED])
  expect(pages[0]?.[0]).toEqual(createRow(`${folder}/b`, 3))
})

test('keeps only the shortened form of a long path, and treats a path that equals this form as another path', async () => {
  const long = '/'.repeat(5_000)
  const set = jest.spyOn(Map.prototype, 'set')
  const { pages } = await readList(respondWith([createPage([createRow(long), createRow(shortenPath(long))])]))
  expect(set.mock.calls.map(([text]) => String(text).length)).toEqual([184, 184])
  set.mockRestore()
  expect(pages[0]).toHaveLength(2)
})

const [A, B] = [createPage(createRows(250, '/a'), MORE), createPage(createRows(250, '/b'), MORE)]
const SHORT = createPage(createRows(2, '/a'), MORE)

test.each<[string, Parameters<typeof readList>[0], string, number]>([
  ['three empty pages in a row with `hasMore`', () => createPage([], MORE), '3 empty pages in a row', 3],
  ['a repeated page with `hasMore`', () => A, 'only known rows', 2],
  ['a repeated short page with `hasMore`', () => SHORT, 'only known rows', 3],
  ['a repeated page without `hasMore`', respondWith([A, { ...A, hasMore: false }]), 'only known rows', 2],
  ['a page that was returned before other pages', respondWith([A, B, { ...A, hasMore: false }]), 'only known rows', 3],
  [
    'a full page that was returned before, after a short one',
    respondWith([A, createPage([createRow('/c')], MORE), { ...A, hasMore: false }]),
    'only known rows',
    3,
  ],
  [
    'a service that always returns `hasMore`',
    (offset) => createPage([createRow(`/${offset}`)], MORE),
    'not end',
    MAX_PAGES,
  ],
  ['more rows at once than all pages could have', () => createPage(FLOOD), 'more than 2500000 rows', 1],
  [
    'a path that no server would take',
    () => createPage([createRow('/a'), createRow(`${LONGEST}xx`)]),
    'longer than 8192 bytes',
    1,
  ],
])('rejects as an invalid response: %s', async (_name, respond, message, requests) => {
  const { offsets, error, pages } = await readList(respond)
  expect(error).toMatchObject({ code: 'invalid-response', message: expect.stringContaining(message) as unknown })
  expect(offsets).toHaveLength(requests)
  // The invalid response itself is not used.
  expect(pages).toHaveLength(requests === MAX_PAGES ? requests : requests - 1)
})

test('accepts a path of 8 KiB', async () => {
  expect((await readList(respondWith([createPage([createRow(LONGEST)])]))).error).toBeUndefined()
})

test('reads every row of any site once, in order, without a wasted request', async () => {
  const site = fc.record({ pages: fc.integer({ min: 1, max: 60 }), visits: fc.nat(300), seed: fc.nat(1_000) })
  await fc.assert(
    fc.asyncProperty(site, fc.integer({ min: 1, max: 25 }), async (options, limit) => {
      const counts = countVisitors(generateVisits({ ...options, endMs: 1e12 }), { fromMs: 0, toMs: 1e12 })
      const { visitors, totals } = counts
      const { offsets, pages, error } = await readList((offset) => {
        const end = offset + limit
        return { totals, visitors: visitors.slice(offset, end), hasMore: end < visitors.length }
      })
      expect(error).toBeUndefined()
      expect(pages.flat()).toEqual(visitors)
      expect(offsets).toHaveLength(Math.max(1, Math.ceil(visitors.length / limit)))
      for (const { human, ai, total } of [totals, ...pages.flat()]) {
        expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
        expect(total).toBeLessThanOrEqual(human + ai)
      }
    }),
    { numRuns: 50, seed: SEED },
  )
})

const ROOT = createPage([createRow('/')])
const NONSENSE = { body: '<html></html>' }

test('retries temporary failures with growing delays, which start over with the next page', async () => {
  const failed = createRefusal(503)
  const { requests, log } = await runExport(
    respondInOrder(failed, failed, NONSENSE, createPage([createRow('/a')], MORE), failed, ROOT),
  )
  expect(requests.map(({ offset, atMs }) => [offset, atMs])).toEqual([
    ...[0, 1_000, 3_000, 7_000].map((atMs) => [0, atMs]),
    ...[7_000, 8_000].map((atMs) => [1, atMs]),
  ])
  expect(log).toContain('The service failed (503). It says: “No.” Retrying in 2 s.')
})

const INVALID = jsonResponse(200, { ...ROOT, hasMore: undefined })

test('names the field of an invalid page after three reads', async () => {
  const { report, line, requests } = await runExport(respondInOrder(INVALID, INVALID, INVALID))
  const message = 'The service returned an invalid response (200): `hasMore` is missing or invalid.'
  expect(report.error).toMatchObject({ code: 'invalid-response', message })
  expect(line).toContain(message)
  expect(requests).toHaveLength(3)
})

test('names a response without content after three reads', async () => {
  const { report, requests } = await runExport(() => ({ status: 204, headers: {}, body: '', delivery: 'complete' }))
  const message = 'The service returned an invalid response (204): it has no content.'
  expect(report.error).toMatchObject({ code: 'invalid-response', message })
  expect(requests).toHaveLength(3)
})

test('retries invalid pages that do not come in a row', async () => {
  const { report, requests } = await runExport(
    respondInOrder(INVALID, INVALID, createRefusal(503), INVALID, INVALID, ROOT),
  )
  expect([report.ending, requests.length]).toEqual(['complete', 6])
})

test.each([
  ['a rate limit that names no time', createRefusal(429), 3_000, []],
  ['a rate limit that names a time', createRefusal(429, 59), 61_000, []],
  ['a rate limit that names a later time', createRefusal(429, 150), 152_000, ['1 min 32 s', '32 s']],
  ['a failure that names a time', createRefusal(500, 50), 50_000, []],
  ['a failure that names a time after a minute', createRefusal(500, 150), 60_000, []],
])(
  'waits as long as the service requests after %s, and adds jitter after a rate limit',
  async (_name, refused, atMs, remainingWaits) => {
    const { requests, log } = await runExport(respondInOrder(refused, ROOT))
    expect(requests[1]?.atMs).toBe(atMs)
    expect(log.join('\n')).toMatch(/ Retrying in \d+ s, at 2026-01-01 00:0\d:\d\d UTC\.$/m)
    // One line a minute while nothing else is logged.
    expect(log.filter((line) => line.startsWith('Still waiting'))).toEqual(
      remainingWaits.map((left) => expect.stringMatching(`^Still waiting until .* UTC, for another ${left}\\.$`)),
    )
  },
)

test('retries until the deadline, and then reports the last error', async () => {
  const failing = respondInOrder(...Array.from({ length: 5 }, () => NONSENSE))
  const { report, requests } = await runExport(failing, { 'timeout-minutes': '0.5' })
  const text = 'Not all pages were read before the deadline. The last attempt failed: '
  expect(report.error).toMatchObject({
    code: 'deadline',
    message: `${text}The service returned an invalid response (200).`,
    // Not the deadline: more time does not help against the page of a proxy.
    hint: expect.stringContaining('Check `base-url`') as unknown,
  })
  expect(requests.map(({ atMs }) => atMs)).toEqual([0, 1_000, 3_000, 7_000, 15_000])
})

/** A page that the service leaves out, although its row counts for the offset. */
const HIDDEN = undefined

/** Responds with the rows from the offset, without the hidden ones. */
const respondFiltered =
  (site: readonly (VisitorRow | undefined)[]) =>
  (offset: number): VisitorsPage => {
    const end = offset + 250
    return createPage(
      site.slice(offset, end).filter((row) => row !== HIDDEN),
      { hasMore: end < site.length },
    )
  }

const hidden = (count: number): undefined[] => Array<undefined>(count).fill(HIDDEN)

test.each<[string, readonly (VisitorRow | undefined)[], readonly number[]]>([
  ['a short page', [...createRows(240), ...hidden(10), ...createRows(30, '/b')], [0, 240]],
  ['an overlap that repeats rows', [...hidden(200), ...createRows(50), ...createRows(300, '/b')], [0, 50, 150, 350]],
  ['a page that only repeats rows', [...hidden(240), ...createRows(10), ...hidden(10), createRow('/b')], [0, 10, 260]],
  ['the same page again', [...hidden(100), ...createRows(3), ...hidden(149)], [0, 3]],
  ['an empty page in the middle', [...createRows(250), ...hidden(250), createRow('/b')], [0, 250, 500]],
  ['two empty pages at the start', [...hidden(500), ...createRows(300)], [0, 250, 500, 750]],
  [
    'three empty pages that do not come in a row',
    [...hidden(500), ...createRows(250), ...hidden(250), createRow('/b')],
    [0, 250, 500, 750, 1_000],
  ],
])('reads a list that the service filters to its end, without doubts: %s', async (_name, site, offsets) => {
  const run = await readList(respondFiltered(site))
  expect(run.error).toBeUndefined()
  expect(run.offsets).toEqual(offsets)
  expect(run.pages.flat()).toEqual(site.filter((row) => row !== HIDDEN))
  expect(run.list.doubts).toBe('')
})

test('reports moved rows next to short pages: repeated in one page, or from a page outside of the overlap', async () => {
  const [first] = A.visitors
  const twice = await readList(respondWith([createPage([createRow('/c'), createRow('/c')])]))
  const far = await readList(
    respondWith([A, createPage([createRow('/c')], MORE), createPage([first ?? createRow('/d')])]),
  )
  expect([twice.list.doubts, far.list.doubts]).toEqual([MOVED, MOVED])
  // The third page begins after all rows of the short ones.
  const last = await readList(respondWith([SHORT, SHORT, { ...SHORT, hasMore: false }]))
  expect([last.error, last.offsets, last.list.doubts]).toEqual([undefined, [0, 2, 252], MOVED])
})

const CHANGED = "The service's totals changed while the pages were read."
const MOVED =
  'Rows moved while the pages were read: some appeared twice and were written once, so others may be missing.'

test.each([
  [{}, 0, ''],
  [{}, 1, MOVED],
  ...['human', 'ai', 'total'].map((name) => [{ [name]: 99 }, 0, CHANGED] as const),
  [{ ai: 99 }, 2, `${CHANGED} ${MOVED}`],
])('reports for changed totals (%j) and repeated rows (%i) the doubts “%s”', async (other, repeated, doubts) => {
  const list = new VisitorList()
  const parts = [TOTALS, { ...TOTALS, ...other }, TOTALS].map((totals, nth) => {
    const again = nth === 0 ? Array<VisitorRow>(repeated).fill(createRow('/0')) : []
    return createPage([createRow(`/${nth}`), ...again], { totals, hasMore: nth < 2 })
  })
  await list.read(() => Promise.resolve(parts.shift() ?? createPage([])))
  expect([list.totals, list.doubts]).toEqual([TOTALS, doubts])
})

test('keeps the most visited pages in any order of the rows, ties by path', async () => {
  const rows = fc.uniqueArray(fc.record({ path: fc.string({ maxLength: 2 }), total: fc.nat(5) }), {
    selector: ({ path }) => path,
  })
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(6), async (given, most) => {
      const all = given.map(({ path, total }) => createRow(path, total))
      const list = new VisitorList()
      await list.read(() => Promise.resolve(createPage(all)), most)
      const sorted = all.toSorted((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
      expect(list.topPages).toEqual(sorted.slice(0, most))
    }),
    { seed: SEED },
  )
})

test('shortens long paths, and distinguishes two paths with the same beginning', () => {
  const long = `/${'é'.repeat(8_000)}`
  expect(shortenPath(`${long}1`)).toHaveLength(120 + 64)
  expect(shortenPath(`${long}1`)).not.toBe(shortenPath(`${long}2`))
  expect(shortenPath('x'.repeat(120))).toBe('x'.repeat(120))
})
