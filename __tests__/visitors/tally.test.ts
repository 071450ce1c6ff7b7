import { expect, test } from '@jest/globals'
import { Tally } from '../../src/visitors/tally.ts'
import { row, rows, TOTALS } from '../support/visitors-run.ts'

test('remembers the first totals, how many rows there were, and the pages at the top', () => {
  const tally = new Tally(1)
  expect(tally.totals).toBeUndefined()
  tally.add({ totals: TOTALS, rows: rows(3), repeated: 0 })
  tally.add({ totals: { ...TOTALS }, rows: [row('/top', 99)], repeated: 0 })

  expect(tally).toMatchObject({ totals: TOTALS, rows: 4, topPages: [row('/top', 99)], doubts: [] })
})

test.each(['human', 'ai', 'total'] as const)('a change of the totals is a doubt: %s', (name) => {
  const tally = new Tally(0)
  tally.add({ totals: TOTALS, rows: [], repeated: 0 })
  tally.add({ totals: { ...TOTALS, [name]: 99 }, rows: [], repeated: 0 })
  tally.add({ totals: TOTALS, rows: [], repeated: 0 })

  expect(tally).toMatchObject({ totals: TOTALS, doubts: ['totals-changed'] })
})

test('a row that came twice is a doubt, as another one may have been missed', () => {
  const tally = new Tally(0)
  tally.add({ totals: TOTALS, rows: rows(1), repeated: 1 })
  expect(tally.doubts).toEqual(['rows-moved'])
})
