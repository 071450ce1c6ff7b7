import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { countVisitors } from '../../src/emulator/service/visitor-counts.ts'
import { generateVisits } from '../../src/emulator/service/visits.ts'
import type { VisitorsPage } from '../../src/docs-service/schemas.ts'
import { MAX_PAGES, walkPages, type WalkedPage } from '../../src/visitors/walk-pages.ts'
import { SEED } from '../support/seed.ts'
import { page, row, rows, TOTALS } from '../support/visitors-run.ts'

interface Walk {
  readonly offsets: number[]
  readonly pages: WalkedPage[]
  readonly error: Error | undefined
}

async function walk(answer: (offset: number, nth: number) => VisitorsPage): Promise<Walk> {
  const offsets: number[] = []
  const pages: WalkedPage[] = []
  const readPage = (offset: number): Promise<VisitorsPage> => {
    offsets.push(offset)
    return Promise.resolve(answer(offset, offsets.length))
  }
  try {
    for await (const walked of walkPages(readPage)) pages.push(walked)
    return { offsets, pages, error: undefined }
  } catch (error) {
    return { offsets, pages, error: error as Error }
  }
}

const script = (answers: readonly VisitorsPage[]) => (_offset: number, nth: number) => {
  const answer = answers[nth - 1]
  if (answer === undefined) throw new Error('Nobody expected this request.')
  return answer
}

const MORE = { hasMore: true }

test('goes on by as many rows as came, and stops where there are no more', async () => {
  const { offsets, pages } = await walk(
    script([page(rows(250, '/a'), MORE), page(rows(100, '/b'), MORE), page(rows(1, '/c'))]),
  )
  expect(offsets).toEqual([0, 250, 350])
  expect(pages.map((walked) => walked.rows.length)).toEqual([250, 100, 1])
})

test('no page takes one request, too', async () => {
  expect(await walk(script([page([])]))).toMatchObject({ offsets: [0], pages: [{ rows: [] }], error: undefined })
})

test.each(['', '/long'.repeat(20)])(
  'a path (in %j) that came before is left out, and the order stays',
  async (folder) => {
    const { pages, offsets, error } = await walk(
      script([
        page([row(`${folder}/b`, 3), row(`${folder}/a`, 2), row(`${folder}/b`, 9)], MORE),
        page([row(`${folder}/a`, 2), row(`${folder}/c`, 1)], MORE),
        page([row(`${folder}/d`, 1)]),
      ]),
    )
    expect(error).toBeUndefined()
    expect(offsets).toEqual([0, 3, 5])
    expect(pages.map((walked) => [walked.rows.map(({ path }) => path), walked.repeated])).toEqual([
      [[`${folder}/b`, `${folder}/a`], 1],
      [[`${folder}/c`], 1],
      [[`${folder}/d`], 0],
    ])
    expect(pages[0]?.rows[0]).toEqual(row(`${folder}/b`, 3))
  },
)

test('every answer carries its own totals on', async () => {
  const later = { human: 31, ai: 12, total: 41 }
  const { pages } = await walk(script([page(rows(1, '/a'), MORE), page(rows(1, '/b'), { totals: later })]))
  expect(pages.map(({ totals }) => totals)).toEqual([TOTALS, later])
})

test('an empty page that says that there is more ends it', async () => {
  const { offsets, error } = await walk(() => page([], MORE))
  expect(error?.message).toContain('an empty part')
  expect(offsets).toEqual([0])
})

test.each([
  [true, 'every row had come before'],
  [false, 'the same part again'],
])('a page that came before ends it, whether it says that there is more (%j) or not', async (hasMore, says) => {
  const { offsets, error } = await walk((_offset, nth) => page(rows(3), { hasMore: nth === 1 || hasMore }))
  expect(error?.message).toContain(says)
  expect(offsets).toEqual([0, 3])
})

test('so does one that came before other pages', async () => {
  const [first, second] = [page(rows(2, '/a'), MORE), page(rows(2, '/b'), MORE)]
  const { error } = await walk(script([first, second, { ...first, hasMore: false }]))
  expect(error?.message).toContain('the same part again')
})

test('rows that moved to the last page and came before are no endless list', async () => {
  const { pages, error } = await walk(script([page(rows(3), MORE), page(rows(1))]))
  expect(error).toBeUndefined()
  expect(pages.map((walked) => [walked.rows.length, walked.repeated])).toEqual([
    [3, 0],
    [0, 1],
  ])
})

test('a service that says “more” for ever is believed for so many pages only', async () => {
  const { offsets, error } = await walk((offset) => page([row(`/${offset}`)], MORE))
  expect(error?.message).toContain('does not come to an end')
  expect(offsets).toHaveLength(MAX_PAGES)
})

test('whatever the site and the size of its pages, all rows come once, in order, with no request wasted', async () => {
  const site = fc.record({ pages: fc.integer({ min: 1, max: 60 }), visits: fc.nat(300), seed: fc.nat(1_000) })
  await fc.assert(
    fc.asyncProperty(site, fc.integer({ min: 1, max: 25 }), async (options, limit) => {
      const counts = countVisitors(generateVisits({ ...options, endMs: 1e12 }), { fromMs: 0, toMs: 1e12 })
      const { visitors, totals } = counts
      const { offsets, pages, error } = await walk((offset) => {
        const end = offset + limit
        return { totals, visitors: visitors.slice(offset, end), hasMore: end < visitors.length }
      })
      expect(error).toBeUndefined()
      expect(pages.flatMap((walked) => walked.rows)).toEqual(visitors)
      expect(offsets).toHaveLength(Math.max(1, Math.ceil(visitors.length / limit)))
      for (const { human, ai, total } of [totals, ...pages.flatMap((walked) => walked.rows)]) {
        expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
        expect(total).toBeLessThanOrEqual(human + ai)
      }
    }),
    { numRuns: 50, seed: SEED },
  )
})

test('a path that no server would take ends it, before it is kept anywhere', async () => {
  const longest = `/${'é'.repeat(4_095)}`
  expect((await walk(script([page([row(longest, 1)])]))).error).toBeUndefined()
  const { pages, error } = await walk(script([page([row('/a', 2), row(`${longest}xx`, 1)])]))
  expect(error).toMatchObject({ code: 'bad-answer', message: expect.stringContaining('longer than 8192 bytes') })
  expect(pages).toEqual([])
})

test('more rows than all pages could have end it, however many come at once', async () => {
  const flood = Array.from<ReturnType<typeof row>>({ length: 2_500_001 }).fill(row('/a', 1))
  const { error } = await walk(script([page(flood)]))
  expect(error).toMatchObject({ code: 'bad-answer', message: expect.stringContaining('more than 2500000 rows') })
})
