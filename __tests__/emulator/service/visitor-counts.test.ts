import { expect, test } from '@jest/globals'

import { countVisitors } from '../../../src/emulator/service/visitor-counts.ts'
import { type Visit, generateVisits } from '../../../src/emulator/service/visits.ts'

const ALWAYS = { fromMs: -Infinity, toMs: Infinity }

function visit(visitor: number, kind: Visit['kind'], path: string, atMs = 0): Visit {
  return { visitor, kind, path, atMs }
}

test('who comes twice counts once', () => {
  const { totals } = countVisitors([visit(1, 'human', '/a'), visit(1, 'human', '/a')], ALWAYS)
  expect(totals).toEqual({ human: 1, ai: 0, total: 1 })
})

test('who is seen as human and as AI counts in both, and once in the total', () => {
  const { totals, visitors } = countVisitors([visit(1, 'human', '/a'), visit(1, 'ai', '/b')], ALWAYS)
  expect(totals).toEqual({ human: 1, ai: 1, total: 1 })
  expect(visitors).toEqual([
    { path: '/a', human: 1, ai: 0, total: 1 },
    { path: '/b', human: 0, ai: 1, total: 1 },
  ])
})

test('a range holds its start and not its end', () => {
  const visits = [9, 10, 19, 20].map((atMs, visitor) => visit(visitor, 'human', `/${atMs}`, atMs))
  const { visitors } = countVisitors(visits, { fromMs: 10, toMs: 20 })
  expect(visitors.map(({ path }) => path)).toEqual(['/10', '/19'])
})

test('pages with most visitors come first, and equal ones by path', () => {
  const visits = [visit(1, 'ai', '/b'), visit(1, 'ai', '/a'), visit(1, 'ai', '/c'), visit(2, 'ai', '/c')]
  expect(countVisitors(visits, ALWAYS).visitors.map(({ path }) => path)).toEqual(['/c', '/a', '/b'])
})

test('for any visits, totals lie between the larger kind and the sum, and rows do not add up to the site', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const visits = generateVisits({ pages: 1 + (seed % 12), visits: 40 * seed, seed, endMs: 0 })
    const { totals, visitors } = countVisitors(visits, ALWAYS)
    for (const { human, ai, total } of [totals, ...visitors]) {
      expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
      expect(total).toBeLessThanOrEqual(human + ai)
    }
    const sum = visitors.reduce((before, { total }) => before + total, 0)
    const most = Math.max(0, ...visitors.map(({ total }) => total))
    expect(totals.total).toBeGreaterThanOrEqual(most)
    expect(totals.total).toBeLessThanOrEqual(sum)
  }
})

test('with the usual visits the sum of the rows is not the total, and the kinds overlap', () => {
  const { totals, visitors } = countVisitors(generateVisits({ pages: 30, visits: 4_000, seed: 1, endMs: 0 }), ALWAYS)
  expect(visitors.reduce((before, { total }) => before + total, 0)).not.toBe(totals.total)
  expect(totals.total).toBeLessThan(totals.human + totals.ai)
})
