import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { VisitorRow } from '../../src/visitors/export-format.ts'
import { TopPages } from '../../src/visitors/top-pages.ts'
import { SEED } from '../support/seed.ts'
import { row } from '../support/visitors-run.ts'

const byTotal = ({ total }: VisitorRow): number => total

test('the pages with the most visitors come first, and ties go by path', () => {
  const top = new TopPages(3, byTotal)
  for (const added of [row('/c', 5), row('/d', 1), row('/b', 9), row('/a', 5)]) top.add(added)
  expect(top.rows.map(({ path }) => path)).toEqual(['/b', '/a', '/c'])
})

test('none are kept where none are wanted', () => {
  const top = new TopPages(0, byTotal)
  top.add(row('/a', 1))
  expect(top.rows).toEqual([])
})

test('in whatever order they come, the same are kept as if all were sorted', () => {
  const rows = fc.uniqueArray(fc.record({ path: fc.string({ maxLength: 2 }), total: fc.nat(5) }), {
    selector: ({ path }) => path,
  })
  fc.assert(
    fc.property(rows, fc.nat(6), (given, most) => {
      const all = given.map(({ path, total }) => row(path, total))
      const top = new TopPages(most, byTotal)
      for (const added of all) top.add(added)
      const sorted = all.toSorted((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
      expect(top.rows).toEqual(sorted.slice(0, most))
    }),
    { seed: SEED },
  )
})
