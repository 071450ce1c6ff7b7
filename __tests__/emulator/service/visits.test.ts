import { expect, test } from '@jest/globals'

import { VISITS_DAYS, generateVisits, pagePath } from '../../../src/emulator/service/visits.ts'

const END_MS = Date.UTC(2026, 0, 1)
const OPTIONS = { pages: 30, visits: 4_000, seed: 1, endMs: END_MS }

test('the same options give the same visits, another seed gives others', () => {
  expect(generateVisits(OPTIONS)).toEqual(generateVisits(OPTIONS))
  expect(generateVisits(OPTIONS)).not.toEqual(generateVisits({ ...OPTIONS, seed: 2 }))
})

test('the visits lie in the 90 days before the end, and fill them', () => {
  const times = generateVisits(OPTIONS).map(({ atMs }) => atMs)
  const startMs = END_MS - VISITS_DAYS * 86_400_000
  expect(times.every((atMs) => atMs >= startMs && atMs < END_MS)).toBe(true)
  const days = new Set(times.map((atMs) => Math.floor((atMs - startMs) / 86_400_000)))
  expect(days.size).toBe(VISITS_DAYS)
})

test('every page is visited, and the first ones most', () => {
  const counts = new Map<string, number>()
  for (const { path } of generateVisits(OPTIONS)) counts.set(path, (counts.get(path) ?? 0) + 1)
  expect(counts.size).toBe(30)
  expect(counts.get(pagePath(0))).toBe(Math.max(...counts.values()))
})

test('some visitors are seen as human and as AI', () => {
  const kinds = new Map<number, Set<string>>()
  for (const { visitor, kind } of generateVisits(OPTIONS)) {
    kinds.set(visitor, (kinds.get(visitor) ?? new Set()).add(kind))
  }
  expect([...kinds.values()].filter(({ size }) => size === 2).length).toBeGreaterThan(10)
})

test('distinct pages have distinct paths', () => {
  const paths = Array.from({ length: 1_000 }, (_, index) => pagePath(index))
  expect(new Set(paths).size).toBe(1_000)
  expect(paths.slice(0, 3)).toEqual(['/', '/reference/install', '/concepts/install'])
})

test('a site without visits is possible', () => {
  expect(generateVisits({ ...OPTIONS, visits: 0 })).toEqual([])
})
