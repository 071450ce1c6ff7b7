import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvCell } from '../../src/visitors/inputs.ts'
import { SEED } from '../../testing/seed.ts'

const FORMULAS = ['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201']
const UNSEEN = ['\n', '\0', '\ufeff', ' ', '\u00a0', '\u3000', '\u200b', '\u2028', '\u00ad', '\u3164', ' \t\n']
const PLAIN = ['/guides', 'a=1', '/=1', "'quoted", ' a=1', '', '/a b', '\n::error::x', 'ü/日本']

test('makes a text that a spreadsheet may read as a formula inert, and changes no other text', () => {
  const formulas = [...FORMULAS, ...UNSEEN.map((unseen) => `${unseen}=1`), '\n\uff0b1']
  expect(formulas.map((text) => parse(csvCell(text)))).toEqual(formulas.map((text) => [[`'${text}`]]))
  expect(PLAIN.map((text) => parse(`${csvCell(text)},x`))).toEqual(PLAIN.map((text) => [[text, 'x']]))
})

test('quotes a cell that contains a comma, a quote, a line end or another separator of spreadsheets', () => {
  const quoted = ['"/a,b"', '"/a""b"', '"/a\nb"', '"/a\rb"', '"/a;=1+1"', '"/a\t=1+1"']
  expect(['/a', '/a,b', '/a"b', '/a\nb', '/a\rb', '/a;=1+1', '/a\t=1+1'].map(csvCell)).toEqual(['/a', ...quoted])
})

test('writes every text as one cell of CSV that is not a formula', () => {
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
