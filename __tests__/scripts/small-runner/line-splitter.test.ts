import { expect, test } from '@jest/globals'
import { splitIntoLines } from '../../../scripts/small-runner/line-splitter.ts'

function linesOf(...chunks: Buffer[]): string[] {
  const lines: string[] = []
  const splitter = splitIntoLines((line) => lines.push(line))
  for (const chunk of chunks) splitter.write(chunk)
  splitter.end()
  return lines
}

test('a line ends at a line feed, a return, or both', () => {
  expect(linesOf(Buffer.from('a\nb\rc\r\n\nd'))).toEqual(['a', 'b', 'c', '', 'd'])
})

test('a line end that is cut in two is one line end', () => {
  expect(linesOf(Buffer.from('a\r'), Buffer.from('\nb\r'))).toEqual(['a', 'b'])
  expect(linesOf(Buffer.from('a\r'), Buffer.from('b'))).toEqual(['a', 'b'])
})

test('a character that is cut in two is whole again', () => {
  const bytes = Buffer.from('é\n')

  expect(linesOf(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(['é'])
})
