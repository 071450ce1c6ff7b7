import { expect, test } from '@jest/globals'
import { ENDINGS } from '../../src/visitors/report.ts'
import { toOutputs } from '../../src/visitors/outputs.ts'
import { row, rows, visitorsReport } from '../support/visitors-run.ts'

test('a whole export has all outputs', () => {
  expect(toOutputs(visitorsReport({ topPages: [row('/a', 2)] }))).toEqual({
    human: '30',
    ai: '12',
    total: '40',
    'previous-human': '',
    'previous-ai': '',
    'previous-total': '',
    rows: '3',
    file: 'out/visitors.csv',
    complete: 'true',
    'top-pages': '[{"path":"/a","human":2,"ai":0,"total":2}]',
  })
})

test('only an export that is known to be whole is complete', () => {
  const complete = ENDINGS.filter((ending) => toOutputs(visitorsReport({ ending })).complete === 'true')
  expect(complete).toEqual(['complete'])
  expect(toOutputs(visitorsReport({ ending: 'uncertain' }))).toMatchObject({ file: 'out/visitors.csv', rows: '3' })
})

test.each(['error', 'cancelled'] as const)(
  'where it ended with %s there is no file, and so no rows in it',
  (ending) => {
    expect(toOutputs(visitorsReport({ ending }))).toMatchObject({ rows: '0', file: '', 'top-pages': '[]', total: '40' })
  },
)

test('what is not known is empty', () => {
  const report = visitorsReport({ ending: 'skipped', totals: undefined, place: undefined, rows: 0, topPages: [] })
  expect(toOutputs(report)).toMatchObject({ human: '', ai: '', total: '', rows: '0', file: '' })
})

test('the top pages fit into a variable of a script, cut between two pages', () => {
  const topPages = rows(1000, `/${'é'.repeat(200)}-`)
  const text = toOutputs(visitorsReport({ topPages }))['top-pages']
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(120_000)
  const kept = JSON.parse(text) as unknown[]
  expect(kept).toEqual(topPages.slice(0, kept.length))
  expect(kept.length).toBeGreaterThan(200)
})

test('a thousand usual pages all fit', () => {
  const topPages = rows(1000, '/reference/installation/page-')
  expect(JSON.parse(toOutputs(visitorsReport({ topPages }))['top-pages'])).toHaveLength(1000)
})

test('printed in a log, the top pages are one line without a command', () => {
  const path = '/\n::error::x\r##[error]y\u2028::warning::z\u0085##[[group]'
  const text = toOutputs(visitorsReport({ topPages: [row(path)] }))['top-pages']
  expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029]|##\[/)
  expect(JSON.parse(text)).toEqual([row(path)])
})
