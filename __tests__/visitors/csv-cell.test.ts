import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvCell } from '../../src/visitors/csv-cell.ts'
import { SEED } from '../support/seed.ts'

const FORMULAS = ['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201']
const UNSEEN = ['\n', '\0', '\ufeff', ' ', '\u00a0', '\u3000', '\u200b', '\u2028', '\u00ad', '\u3164', ' \t\n']

test.each([...FORMULAS, ...UNSEEN.map((unseen) => `${unseen}=1`), '\n\uff0b1'])(
  '%j is not left as a formula',
  (text) => {
    expect(parse(csvCell(text))).toEqual([[`'${text}`]])
  },
)

test.each(['/guides', 'a=1', '/=1', "'quoted", ' a=1', '', '/a b', '\n::error::x', 'ü/日本'])(
  '%j stays as it is',
  (text) => {
    expect(parse(`${csvCell(text)},x`)).toEqual([[text, 'x']])
  },
)

test('only what must be quoted is', () => {
  expect(['/a', '/a,b', '/a"b', '/a\nb', '/a\rb'].map(csvCell)).toEqual([
    '/a',
    '"/a,b"',
    '"/a""b"',
    '"/a\nb"',
    '"/a\rb"',
  ])
})

test('whatever a text holds, a reader of CSV reads one cell, and no spreadsheet a formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('=', '"', ',', '\r', '\n', '\t', ' ', '\0', '\ufeff', "'", '-', 'a', '\uff1d')),
      (characters) => {
        const text = characters.join('')
        const rows: string[][] = parse(`${csvCell(text)},last\r\n`)
        const [[cell = '', last] = []] = rows
        expect(last).toBe('last')
        expect([text, `'${text}`]).toContain(cell)
        expect(cell).not.toMatch(/^(?:[\t\r]|[\s\0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/)
      },
    ),
    { seed: SEED },
  )
})
