import { expect, test } from '@jest/globals'
import {
  alignColumns,
  choosePaint,
  cleanForTerminal,
  paintNothing,
  paintWithColours,
  visibleLength,
} from '../../../scripts/start/terminal.mjs'

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
  expect(cleanForTerminal('a\u001b[31mb\u0007c\u202ed\u009be\u2028f\ttab\nline')).toBe('abcdef\ttab\nline')
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
