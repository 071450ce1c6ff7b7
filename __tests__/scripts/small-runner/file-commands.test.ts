import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  outputsSizeBytes,
  parseKeyValuePairs,
  parsePathLines,
  readCommandFile,
} from '../../../scripts/small-runner/file-commands.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('a pair on one line ends at the first equals sign', () => {
  expect(parseKeyValuePairs('a=1\n\nb=x=y\nc=\n', 'linux')).toEqual({
    pairs: [
      ['a', '1'],
      ['b', 'x=y'],
      ['c', ''],
    ],
  })
})

test('a value of several lines stands between its delimiters, without the last line end', () => {
  expect(parseKeyValuePairs('a<<EOF\none\n\nb=2\nEOF \nEOF\nc=3\n', 'linux')).toEqual({
    pairs: [
      ['a', 'one\n\nb=2\nEOF '],
      ['c', '3'],
    ],
  })
})

test('a value of no lines is empty, and the last delimiter needs no line end', () => {
  expect(parseKeyValuePairs('a<<EOF\nEOF', 'linux')).toEqual({ pairs: [['a', '']] })
})

test('what comes first decides: a value may hold <<, a delimiter may hold =', () => {
  expect(parseKeyValuePairs('a=b<<c\nd<<E=F\nx\nE=F\n', 'linux').pairs).toEqual([
    ['a', 'b<<c'],
    ['d', 'x'],
  ])
})

test.each([
  ['a=1\nb<<EOF\nx\n', "Invalid value. Matching delimiter not found 'EOF'"],
  ['a=1\nnonsense\n', "Invalid format 'nonsense'"],
  ['a=1\n<<EOF\nEOF\n', "Invalid format '<<EOF'. Name must not be empty"],
  ['a=1\n=x\n', "Invalid format '=x'. Name must not be empty"],
  ['a=1\nb<<\n', "Invalid format 'b<<'. Delimiter must not be empty"],
])('a malformed file is an error, and what came before it counts: %j', (text, error) => {
  expect(parseKeyValuePairs(text, 'linux')).toEqual({ pairs: [['a', '1']], error })
})

test('a return before the line feed belongs to the line end on Windows only', () => {
  const text = 'a=1\r\nb<<EOF\r\nx\r\ny\r\nEOF\r\n'

  expect(parseKeyValuePairs(text, 'win32')).toEqual({
    pairs: [
      ['a', '1'],
      ['b', 'x\r\ny'],
    ],
  })
  expect(parseKeyValuePairs('a=1\r\n', 'linux').pairs).toEqual([['a', '1\r']])
})

test('folders for the path are read one a line', () => {
  expect(parsePathLines('/one\n\n/two\r\n')).toEqual(['/one', '/two'])
})

test('outputs are measured in UTF-16, names included', () => {
  expect(outputsSizeBytes({ ab: 'c', d: '😀' })).toBe(2 * (3 + 3))
})

test('a file that is gone is empty, and a byte order mark is no text', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'marked'), '\ufeffa=1')

  expect(readCommandFile(join(folder, 'gone'))).toEqual({ text: '', sizeBytes: 0 })
  expect(readCommandFile(join(folder, 'marked'))).toEqual({ text: 'a=1', sizeBytes: 6 })
})
