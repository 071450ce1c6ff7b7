import { expect, test } from '@jest/globals'
import * as z from 'zod/mini'
import { number, parseItems, parsePage, part, text } from '../../src/github/parse-list.ts'

const schema = z.object({ name: text, size: number, of: part(z.object({ id: z.number() })) })

test.each([
  [
    { name: 'a', size: 1, of: { id: 2 } },
    { name: 'a', size: 1, of: { id: 2 } },
  ],
  [{ name: 1, size: '1', of: { id: null } }, {}],
  [{ name: null, size: null, of: null }, {}],
  [{}, {}],
])('of %j it takes %j: a field that is not as described is not there', (item, taken) => {
  expect(parseItems(schema, [item])).toEqual([taken])
})

test.each([null, 'a', 7, []])('what is no object, such as %j, is no item', (item) => {
  expect(parseItems(z.object({ name: text }), [item, { name: 'b' }])).toEqual([{ name: 'b' }])
})

test.each([undefined, null, 'x'.repeat(100), {}])('%j is no list', (page) => {
  expect(() => parseItems(schema, page)).toThrow(TypeError)
})

const items = (count: number) => Array.from({ length: count }, () => ({ name: 'a' }))

test.each([
  ['all that is counted', items(2), 2, 0, false],
  ['less than is counted', items(2), 5, 3, false],
  ['more than is counted', items(2), 1, 0, false],
  ['one that cannot be read', [...items(1), null], 2, 1, false],
  ['a page that is not full, and no count', items(99), 'many', 0, false],
  ['a full page, and no count', items(100), null, 1, true],
  ['a full page, and more', items(100), 250, 150, true],
])('with %s, it knows what is missing', (_what, list, total_count, missing, isFull) => {
  const answer = { data: { list, total_count }, headers: {} }
  expect(parsePage(schema, answer, 'list')).toMatchObject({ missing, isFull })
})

test('a page that is not full need not be the last', () => {
  const answer = { data: { list: items(2) }, headers: { link: '<https://x.example/?page=2>; rel="next"' } }
  expect(parsePage(schema, answer, 'list')).toMatchObject({ missing: 1, isFull: true })
})
