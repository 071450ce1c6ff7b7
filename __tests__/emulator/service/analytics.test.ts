import { expect, test } from '@jest/globals'

import { createAnalytics } from '../../../src/emulator/service/analytics.ts'
import { visitorsPageSchema } from '../../../src/docs-service/schemas.ts'

const END_MS = Date.UTC(2026, 0, 1)
const ALWAYS = { fromMs: -Infinity, toMs: Infinity }
const SITE = { pages: 30, visits: 4_000, seed: 1, endMs: END_MS }

test('pages follow each other without a gap or an overlap, and the last one says so', () => {
  const analytics = createAnalytics(SITE)
  const whole = analytics.page({ range: ALWAYS, limit: 250, offset: 0 })
  const pages = [0, 7, 14, 21, 28].map((offset) => analytics.page({ range: ALWAYS, limit: 7, offset }))
  expect(pages.flatMap(({ visitors }) => visitors)).toEqual(whole.visitors)
  expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, true, true, false])
})

test('there is no more after a page that ends with the last row', () => {
  const analytics = createAnalytics(SITE)
  expect(analytics.page({ range: ALWAYS, limit: 30, offset: 0 }).hasMore).toBe(false)
  expect(analytics.page({ range: ALWAYS, limit: 29, offset: 0 }).hasMore).toBe(true)
})

test('an offset behind the last row gives no rows, and the same totals', () => {
  const analytics = createAnalytics(SITE)
  const behind = analytics.page({ range: ALWAYS, limit: 50, offset: 1_000 })
  expect(behind).toEqual({
    totals: analytics.page({ range: ALWAYS, limit: 1, offset: 0 }).totals,
    visitors: [],
    hasMore: false,
  })
})

test('a range counts fewer visitors than all time, and each range its own', () => {
  const analytics = createAnalytics(SITE)
  const dayMs = 86_400_000
  const total = (fromMs: number, toMs: number): number =>
    analytics.page({ range: { fromMs, toMs }, limit: 1, offset: 0 }).totals.total
  const [day, week, all] = [total(END_MS - dayMs, END_MS), total(END_MS - 7 * dayMs, END_MS), total(0, END_MS)]
  expect(day).toBeGreaterThan(0)
  expect(week).toBeGreaterThan(day)
  expect(all).toBeGreaterThan(week)
  expect(total(END_MS - dayMs, END_MS)).toBe(day)
  expect(total(END_MS, END_MS + dayMs)).toBe(0)
})

test('what is answered is what the interface says', () => {
  const page = createAnalytics({ ...SITE, pages: 400, visits: 20_000 }).page({ range: ALWAYS, limit: 250, offset: 0 })
  expect(visitorsPageSchema.parse(page)).toEqual(page)
  expect(page.visitors).toHaveLength(250)
  expect(page.hasMore).toBe(true)
})
