import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { PageChanges, pageKey } from '../../src/visitors/page-changes.ts'
import { SEED } from '../support/seed.ts'
import { row } from '../support/visitors-run.ts'

type Totals = Readonly<Record<string, number>>

function changesOf(now: Totals, before: Totals, isNowWhole = true, isBeforeWhole = true): PageChanges {
  const changes = new PageChanges(new Map(Object.entries(now)), isNowWhole)
  for (const [path, total] of Object.entries(before)) changes.addBefore(row(path, total))
  if (isBeforeWhole) changes.addNew()
  return changes
}

test('the ten that gained and lost the most are those of all pages of both periods', () => {
  const periods = fc.dictionary(
    fc.string({ maxLength: 2, unit: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    fc.integer({ min: 1, max: 9 }),
  )
  fc.assert(
    fc.property(periods, periods, (now, before) => {
      const all = [...new Set([...Object.keys(now), ...Object.keys(before)])]
        .map((path) => ({ path, before: before[path] ?? 0, now: now[path] ?? 0 }))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      const gain = ({ now, before }: (typeof all)[number]): number => now - before
      const { gained, lost } = changesOf(now, before)
      expect(gained).toEqual(
        all
          .filter((page) => gain(page) > 0)
          .toSorted((a, b) => gain(b) - gain(a))
          .slice(0, 10),
      )
      expect(lost).toEqual(
        all
          .filter((page) => gain(page) < 0)
          .toSorted((a, b) => gain(a) - gain(b))
          .slice(0, 10),
      )
    }),
    { seed: SEED },
  )
})

test('a page that is missing in a list that may not be whole is not said to have no visitors', () => {
  const [now, before] = [
    { '/new': 9, '/both': 2 },
    { '/gone': 9, '/both': 1 },
  ]
  const both = { path: '/both', before: 1, now: 2 }
  expect(changesOf(now, before, false, true)).toMatchObject({ gained: [{ path: '/new' }, both], lost: [] })
  expect(changesOf(now, before, true, false)).toMatchObject({ gained: [both], lost: [{ path: '/gone' }] })
})

test('of a long path little is kept, and two that begin alike are two', () => {
  const long = `/${'é'.repeat(8_000)}`
  expect(pageKey(`${long}1`)).toHaveLength(120 + 64)
  expect(pageKey(`${long}1`)).not.toBe(pageKey(`${long}2`))
  expect(pageKey('/short')).toBe('/short')
})
