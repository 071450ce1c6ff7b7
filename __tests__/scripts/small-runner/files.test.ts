import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import {
  COMMAND_NAMES,
  parseBracketCommand,
  parseColonCommand,
  parseCommand,
} from '../../../scripts/small-runner/commands.ts'
import { fasterClock, fasterProcess } from '../../../scripts/small-runner/faster-time.ts'
import {
  outputsSizeBytes,
  parseKeyValuePairs,
  parsePathLines,
  readCommandFile,
} from '../../../scripts/small-runner/file-commands.ts'
import { splitIntoLines } from '../../../scripts/small-runner/line-splitter.ts'
import { maskSecrets, masksOf } from '../../../scripts/small-runner/masks.ts'
import { parseMetadata, readMetadata } from '../../../scripts/small-runner/metadata.ts'
import { preload } from '../../../scripts/small-runner/preload.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('every occurrence of every value becomes three asterisks', () => {
  expect(maskSecrets('key abc, again abc, other xyz.', ['abc', 'xyz'])).toBe('key ***, again ***, other ***.')
})

test('values that overlap or touch become one mask', () => {
  expect(maskSecrets('-abcdef-', ['abcd', 'cdef'])).toBe('-***-')
  expect(maskSecrets('-aaaa-', ['aa'])).toBe('-***-')
  expect(maskSecrets('abcdef', ['abc', 'def'])).toBe('***')
})

test('a value inside another one leaves nothing of the longer one', () => {
  expect(maskSecrets('abcdef!', ['abcdef', 'b'])).toBe('***!')
})

test('an empty value masks nothing', () => {
  expect(maskSecrets('text', [''])).toBe('text')
})

test('each line of a value is masked too', () => {
  expect(masksOf('first\r\n  second \n\n')).toEqual(['first\r\n  second \n\n', 'first', 'second'])
})

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

test('a clock that goes faster begins at its date, and sleeps less', async () => {
  const clock = fakeClock()
  const faster = fasterClock(10, Date.UTC(2026, 0, 1), clock)
  const startedAt = faster.now()
  await faster.sleep(60_000)
  expect(clock.passed()).toBe(6_000)
  expect(faster.now() - startedAt).toBe(60_000)
  expect(faster.wallTime()).toEqual(new Date('2026-01-01T00:01:00Z'))
})

test('a process that goes faster lives on that date, and its timers are over before they would be', () => {
  const code = `
    const real = process.hrtime()
    const [before, then] = [performance.now(), new Date()]
    setTimeout(() => {
      const [seconds] = process.hrtime(real)
      console.log(JSON.stringify([then.getUTCFullYear(), performance.now() - before >= 50_000, seconds < 50]))
    }, 50_000)
  `
  const env = { ...process.env, ...preload(fasterProcess(1_000, Date.UTC(2026, 0, 1))) }
  expect(execFileSync(process.execPath, ['-e', code], { env, encoding: 'utf8' })).toBe('[2026,true,true]\n')
})

interface ActionYaml {
  readonly inputs: Record<string, { required?: boolean; default?: string }>
  readonly outputs: Record<string, unknown>
  readonly runs: { using: string; main: string }
}

test('reads this action as a YAML library does', () => {
  const yaml = parse(readFileSync('action.yml', 'utf8')) as ActionYaml

  expect(readMetadata('.')).toEqual({
    inputs: Object.entries(yaml.inputs).map(([name, input]) => ({
      name,
      required: input.required ?? false,
      default: input.default ?? '',
    })),
    outputs: Object.keys(yaml.outputs),
    runs: yaml.runs,
  })
})

test('skips texts of several lines, comments and empty lines', () => {
  const metadata = parseMetadata(`
# comment
description: |
  inputs:
    fake: x

  - list
inputs:
  one:
    description: >-
      default: not this
    default: plain text
  two:
    default: 'it''s'
  three:
    default: "a: b # c"
    required: true
runs:
  main: dist/index.js
`)

  expect(metadata.inputs).toEqual([
    { name: 'one', required: false, default: 'plain text' },
    { name: 'two', required: false, default: "it's" },
    { name: 'three', required: true, default: 'a: b # c' },
  ])
})

test.each([
  ['inputs:\n  - a\n', 'line 2'],
  ['inputs:\n  a:\n    default: [x]\n', 'line 3'],
  ['inputs:\n  a:\n    default: x # comment\n', 'line 3'],
  ['inputs:\n  a:\n    default: "a\\n"\n', 'line 3'],
  ['inputs:\n  a:\n    default: |\n      x\nruns:\n  main: x\n', 'the default of a'],
  ['inputs:\n', 'runs.main is missing'],
])('refuses what it does not understand: %j', (yaml, message) => {
  expect(() => parseMetadata(yaml)).toThrow(message)
})

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
