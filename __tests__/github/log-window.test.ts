import { expect, test } from '@jest/globals'
import { LogWindow } from '../../src/github/log-window.ts'

function windowOf(...parts: readonly string[]): readonly string[] {
  const window = new LogWindow()
  for (const part of parts) window.add(part)
  return window.lines()
}

const numbered = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('')

test('lines that come in pieces are put together', () => {
  expect(windowOf('o', 'ne\ntw', 'o\n', 'three')).toEqual(['one', 'two', 'three'])
})

test('a log without an error is its end', () => {
  const lines = windowOf(numbered(1_000))
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([120, 'line 880', 'line 999'])
})

test('of several errors the last one counts, with what stands before it and a little of what comes after', () => {
  const lines = windowOf(numbered(500), '##[error]first\n', numbered(500, 500), '##[error]last\n', numbered(500, 1_000))
  expect([lines.length, lines[0], lines[119], lines.at(-1)]).toEqual([150, 'line 881', '##[error]last', 'line 1029'])
})

test('no line takes more than its room, however long it is', () => {
  const window = new LogWindow()
  for (let piece = 0; piece < 1_000; piece++) window.add('x'.repeat(10_000))
  window.add('\nend\n')
  expect(window.lines().map(({ length }) => length)).toEqual([4_000, 3])
})
