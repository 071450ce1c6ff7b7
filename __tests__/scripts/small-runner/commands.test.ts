import { expect, test } from '@jest/globals'
import {
  COMMAND_NAMES,
  parseBracketCommand,
  parseColonCommand,
  parseCommand,
} from '../../../scripts/small-runner/commands.ts'

const names = new Set(COMMAND_NAMES)

test('a colon command has a name, properties and data', () => {
  expect(parseColonCommand('::error title=Bad key,file=a.md::It did not work', names)).toEqual({
    name: 'error',
    properties: { title: 'Bad key', file: 'a.md' },
    data: 'It did not work',
  })
})

test.each(['   ::debug::x', '\t::debug::x', '\u00a0\u2003::debug::x'])(
  'a colon command may follow white space: %j',
  (line) => {
    expect(parseColonCommand(line, names)?.name).toBe('debug')
  },
)

test.each([
  'text ::debug::x',
  '. ::debug::x',
  '\ufeff::debug::x',
  '::debug:x',
  '::unknown::x',
  '::::x',
  ':: debug::x',
  '',
])('is no colon command: %j', (line) => {
  expect(parseColonCommand(line, names)).toBeUndefined()
})

test('data and properties are unescaped, the percent sign last', () => {
  const command = parseColonCommand('::notice title=a%2Cb%3Ac%0Ad::one%0D%0Atwo%250A %3A', names)

  expect(command?.properties).toEqual({ title: 'a,b:c\nd' })
  expect(command?.data).toBe('one\r\ntwo%0A %3A')
})

test('a value keeps its equals signs, and a property without a value is dropped', () => {
  expect(parseColonCommand('::set-output name=a=b,empty=,alone::x', names)?.properties).toEqual({ name: 'a=b' })
})

test('names of commands and of properties do not depend on case', () => {
  expect(parseCommand('::Set-Output NAME=a::x', names)).toMatchObject({ name: 'set-output', properties: { name: 'a' } })
  expect(parseCommand('##[ERROR]x', names)?.name).toBe('error')
})

test('a bracket command is found anywhere in a line', () => {
  expect(parseBracketCommand('  | title: ##[error file=a;line=3]It did not work', names)).toEqual({
    name: 'error',
    properties: { file: 'a', line: '3' },
    data: 'It did not work',
  })
})

test('a bracket command is unescaped by its own rules', () => {
  expect(parseBracketCommand('##[set-output name=a%3Bb%5D]x%0A%3B%5D%25', names)).toMatchObject({
    properties: { name: 'a;b]' },
    data: 'x\n;]%',
  })
})

test.each(['## [error]x', '#\u200b#[error]x', '##[error x', '##[unknown]x', '##[]x', '##[unknown] ##[error]x'])(
  'is no bracket command: %j',
  (line) => {
    expect(parseBracketCommand(line, names)).toBeUndefined()
  },
)

test('a line with both is read as the colon command', () => {
  expect(parseCommand('::debug::##[error]x', names)).toMatchObject({ name: 'debug', data: '##[error]x' })
})
