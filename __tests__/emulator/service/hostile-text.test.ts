import { expect, test } from '@jest/globals'

import { HOSTILE_TEXT, hostilePath } from '../../../src/emulator/service/hostile-text.ts'

test.each([
  ['a command at the start of a line', /\n::error /],
  ['a command that masks', /\u2028::add-mask::/],
  ['a command anywhere in a line', /[^\n]##\[error\]/],
  ['a colour', /\u001b\[31m/],
  ['a null character', /\0/],
  ['text that runs backwards', /\u202e/],
  ['HTML', /<img/],
  ['a mention', /@everyone/],
  ['a table cell', / \| /],
])('the hostile text holds %s', (_, pattern) => {
  expect(HOSTILE_TEXT).toMatch(pattern)
})

test('hostile paths stay distinct and keep the path', () => {
  const paths = Array.from({ length: 50 }, (_, index) => hostilePath(`/page-${index}`, index))
  expect(new Set(paths).size).toBe(50)
  expect(paths.every((path, index) => path.endsWith(`/page-${index}`) && !path.startsWith('/'))).toBe(true)
})

test('hostile paths begin as formulas do', () => {
  const starts = Array.from({ length: 10 }, (_, index) => hostilePath('/', index).slice(0, 1))
  expect(starts).toEqual(expect.arrayContaining(['=', '@', '+', '-', '\t', '\uff1d', '\n']))
})
