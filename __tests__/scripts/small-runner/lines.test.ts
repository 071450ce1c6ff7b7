import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { parseCommand } from '../../../scripts/small-runner/commands.ts'
import { fasterClock, fasterProcess } from '../../../scripts/small-runner/faster-time.ts'
import { splitIntoLines } from '../../../scripts/small-runner/line-splitter.ts'
import { maskSecrets, listMasks } from '../../../scripts/small-runner/masks.ts'
import { readMetadata } from '../../../scripts/small-runner/metadata.ts'
import { preload } from '../../../scripts/small-runner/preload.ts'
import { parseKeyValuePairs } from '../../../scripts/small-runner/step-results.ts'
import { fakeClock } from '../../../testing/fake-clock.ts'

test.each([
  ['every occurrence', 'key abc, again abc, other xyz.', ['abc', 'xyz'], 'key ***, again ***, other ***.'],
  ['values that overlap', '-abcdef-', ['abcd', 'cdef'], '-***-'],
  ['a value that overlaps itself', '-aaaa-', ['aa'], '-***-'],
  ['values that touch', 'abcdef', ['abc', 'def'], '***'],
  ['a value inside another one', 'abcdef!', ['abcdef', 'b'], '***!'],
  ['no empty value', 'text', [''], 'text'],
])('masks %s', (_what, text, masks, masked) => {
  expect(maskSecrets(text, masks)).toBe(masked)
})

test('masks each line of a value too', () => {
  expect(listMasks('first\r\n  second \n\n')).toEqual(['first\r\n  second \n\n', 'first', 'second'])
})

test.each([
  ['ends at a line feed, a return, or both', ['a\nb\rc\r\n\nd'], ['a', 'b', 'c', '', 'd']],
  ['has one end, even if it is split in two', ['a\r', '\nb\r'], ['a', 'b']],
  ['ends at a return that ends a piece', ['a\r', 'b'], ['a', 'b']],
  ['has a whole character that was cut in two', ['\u00c3', '\u00a9\n'], ['é']],
])('a line %s', (_what, chunks, wanted) => {
  const lines: string[] = []
  const splitter = splitIntoLines((line) => lines.push(line))
  for (const chunk of chunks) splitter.write(Buffer.from(chunk, 'latin1'))
  splitter.end()
  expect(lines).toEqual(wanted)
})

test('a faster clock starts at its date and sleeps less', async () => {
  const clock = fakeClock()
  const faster = fasterClock(10, Date.UTC(2026, 0, 1), clock)
  const startedAt = faster.now()
  await faster.sleep(60_000)
  expect(clock.passed()).toBe(6_000)
  expect(faster.now() - startedAt).toBe(60_000)
  expect(faster.wallTime()).toEqual(new Date('2026-01-01T00:01:00Z'))
})

test('a faster process has that date, and its timers fire earlier', () => {
  const code = `
    const real = process.hrtime()
    const [before, then] = [process.uptime(), new Date()]
    setTimeout(() => {
      const [seconds] = process.hrtime(real)
      console.log(JSON.stringify([then.getUTCFullYear(), process.uptime() - before >= 50, seconds < 50]))
    }, 50_000)
  `
  const env = { ...process.env, ...preload(fasterProcess(1_000, Date.UTC(2026, 0, 1))) }
  expect(execFileSync(process.execPath, ['-e', code], { env, encoding: 'utf8' })).toBe('[2026,true,true]\n')
})

test.each(['.', 'visitors', 'emulator'])('reads the action in %s as a YAML library does', (folder) => {
  const { inputs, runs } = parse(readFileSync(`${folder}/action.yml`, 'utf8')) as {
    readonly inputs: Record<string, { default?: string }>
    readonly runs: object
  }
  const defaults = Object.entries(inputs).map(([name, input]) => ({ name, default: input.default ?? '' }))
  expect(readMetadata(folder)).toEqual({ inputs: defaults, runs })
})

test.each([
  ['a pair on one line, up to the first equals sign', 'a=1\n\nb=x=y\nc=\n', ['a: 1', 'b: x=y', 'c: ']],
  [
    'lines between delimiters, without the last end',
    'a<<EOF\none\n\nb=2\nEOF \nEOF\nc=3\n',
    ['a: one\n\nb=2\nEOF ', 'c: 3'],
  ],
  ['no lines, and a delimiter without a line end', 'a<<EOF\nEOF', ['a: ']],
  ['a value with <<, a delimiter with =', 'a=b<<c\nd<<E=F\nx\nE=F\n', ['a: b<<c', 'd: x']],
  ['a return, which is text', 'a=1\r\n', ['a: 1\r']],
])('parses a command file with %s', (_what, text, wanted) => {
  const { pairs, error } = parseKeyValuePairs(text, 'linux')
  expect(pairs.map(([name, value]) => `${name}: ${value}`)).toEqual(wanted)
  expect(error).toBeUndefined()
})

test('treats CRLF as one line end on Windows', () => {
  expect(parseKeyValuePairs('a=1\r\nb<<EOF\r\nx\r\ny\r\nEOF\r\n', 'win32').pairs).toEqual([
    ['a', '1'],
    ['b', 'x\r\ny'],
  ])
})

test.each([
  ['b<<EOF\nx\n', "Invalid value. Matching delimiter not found 'EOF'"],
  ['nonsense\n', "Invalid format 'nonsense'"],
  ['<<EOF\nEOF\n', "Invalid format '<<EOF'. Name must not be empty"],
  ['=x\n', "Invalid format '=x'. Name must not be empty"],
  ['b<<\n', "Invalid format 'b<<'. Delimiter must not be empty"],
])('reports a malformed file, and keeps the pairs before the error: %j', (text, error) => {
  expect(parseKeyValuePairs(`a=1\n${text}`, 'linux')).toEqual({ pairs: [['a', '1']], error })
})

test.each([
  ['::error title=Bad key,file=a.md::It did not work', 'error', { title: 'Bad key', file: 'a.md' }, 'It did not work'],
  ['   ::debug::x', 'debug', {}, 'x'],
  ['\t::debug::x', 'debug', {}, 'x'],
  ['\u00a0\u2003::debug::x', 'debug', {}, 'x'],
  ['::notice title=a%2Cb%3Ac%0Ad::one%0D%0Atwo%250A %3A', 'notice', { title: 'a,b:c\nd' }, 'one\r\ntwo%0A %3A'],
  ['::set-output name=a=b,empty=,alone::x', 'set-output', { name: 'a=b' }, 'x'],
  ['::Set-Output NAME=a::x', 'set-output', { name: 'a' }, 'x'],
  ['##[ERROR]x', 'error', {}, 'x'],
  ['  | a: ##[error file=a;line=3]It did not work', 'error', { file: 'a', line: '3' }, 'It did not work'],
  ['##[set-output name=a%3Bb%5D]x%0A%3B%5D%25', 'set-output', { name: 'a;b]' }, 'x\n;]%'],
  ['::debug::##[error]x', 'debug', {}, '##[error]x'],
  ['::unknown::##[error]x', 'error', {}, 'x'],
])('parses %j as the command %s', (line, name, properties, data) => {
  expect(parseCommand(line)).toEqual({ name, properties, data })
})

test.each([
  'text ::debug::x',
  '. ::debug::x',
  '\ufeff::debug::x',
  '::debug:x',
  '::unknown::x',
  '::::x',
  ':: debug::x',
  '',
  '## [error]x',
  '#\u200b#[error]x',
  '##[error x',
  '##[unknown]x',
  '##[]x',
  '##[unknown] ##[error]x',
])('treats %j as text', (line) => {
  expect(parseCommand(line)).toBeUndefined()
})
