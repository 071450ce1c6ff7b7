import { expect, test } from '@jest/globals'
import {
  alignColumns,
  choosePaint,
  cleanForTerminal,
  paintNothing,
  paintWithColours,
  visibleLength,
  wrapLines,
} from '../../../scripts/start/terminal.ts'

test('colours are for terminals, and not where NO_COLOR is set', () => {
  expect(choosePaint({ isTTY: true }, {})).toBe(paintWithColours)
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '' })).toBe(paintWithColours)
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '1' })).toBe(paintNothing)
  expect(choosePaint({}, {})).toBe(paintNothing)
})

test('a painted text is switched on and off again, an empty one stays empty', () => {
  expect(paintWithColours('red', 'x')).toBe('\u001b[31mx\u001b[39m')
  expect(paintWithColours('red', '')).toBe('')
})

test('nothing that steers a terminal or turns text around is left', () => {
  expect(cleanForTerminal('a\u001b[31mb\u0007c\u202ed\u009be\u2028f\ttab\nline')).toBe('abcd\nf tab\nline')
})

test('a lone return starts a new line instead of hiding the one before', () => {
  expect(cleanForTerminal('a\rb\r\nc')).toBe('a\nb\nc')
})

test('columns stand under one another, colours left aside', () => {
  const red = paintWithColours('red', 'ab')

  expect(visibleLength(red)).toBe(2)
  expect(
    alignColumns([
      [red, '1'],
      ['abcd', '😀', 'x'],
      ['', '', 'y'],
    ]),
  ).toEqual([`${red}    1`, 'abcd  😀  x', '         y'])
})

test('long lines break between words, and their rest stands under the text of the first line', () => {
  expect(wrapLines('one two three', 9)).toBe('one two\nthree')
  expect(wrapLines('• one two three', 9)).toBe('• one two\n  three')
  expect(wrapLines('[  4 min 2 s] It is done.', 22)).toBe('[  4 min 2 s] It is\n  done.')
  expect(wrapLines('name  one two', 12)).toBe('name  one\n      two')
  expect(wrapLines('a very long name  one two', 20)).toBe('a very long name\n  one two')
})

test('a bar that does not fit is left out', () => {
  expect(wrapLines('/guides  12  ████\n/  8  ██▋', 12)).toBe('/guides  12\n/  8  ██▋')
})

test('what fits is left as it is, and an address is never broken', () => {
  expect(wrapLines('one two  three', Infinity)).toBe('one two  three')
  expect(wrapLines(paintWithColours('bold', 'one two'), 7)).toBe(paintWithColours('bold', 'one two'))
  expect(wrapLines('See https://example.com/a/b/c now', 10)).toBe('See\nhttps://example.com/a/b/c\nnow')
})
