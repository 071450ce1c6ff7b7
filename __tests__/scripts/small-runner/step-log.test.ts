import { expect, test } from '@jest/globals'
import { StepLog } from '../../../scripts/small-runner/step-log.ts'

function logOf(lines: readonly string[], options: ConstructorParameters<typeof StepLog>[0] = {}): StepLog {
  const log = new StepLog(options)
  for (const line of lines) log.read(line)
  return log
}

test('ordinary text is kept as it is', () => {
  const log = logOf(['hello', '', '::unknown::x'])

  expect(log.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual(['text hello', 'text ', 'text ::unknown::x'])
  expect(log.commands).toEqual([])
})

test('errors, warnings and notices are annotations and lines', () => {
  const log = logOf(['::error title=Bad::one', '##[warning]two', '::notice::'])

  expect(log.annotations).toEqual([
    { level: 'error', title: 'Bad', message: 'one' },
    { level: 'warning', title: '', message: 'two' },
    { level: 'notice', title: '', message: '' },
  ])
  expect(log.lines).toEqual([
    { kind: 'error', title: 'Bad', text: 'one' },
    { kind: 'warning', text: 'two' },
  ])
  expect(log.failed).toBe(false)
})

test('a very long message is cut', () => {
  expect(logOf([`::error::${'x'.repeat(5000)}`]).annotations[0]?.message).toHaveLength(4096)
})

test('debug lines are shown only in a debug run', () => {
  expect(logOf(['::debug::x']).lines).toEqual([])
  expect(logOf(['::debug::x'], { debug: true }).lines).toEqual([{ kind: 'debug', text: 'x' }])
})

test('a mask hides the value in later lines, titles and annotations, not in earlier ones', () => {
  const log = logOf(['secret', '::add-mask::secret', 'my secret', '::error title=a secret::the secret'])

  expect(log.lines.map(({ text }) => text)).toEqual(['secret', 'my ***', 'the ***'])
  expect(log.annotations).toEqual([{ level: 'error', title: 'a ***', message: 'the ***' }])
})

test('a mask of several lines hides each of them', () => {
  const log = logOf(['::add-mask::one%0Atwo', 'one', 'and two'])

  expect(log.lines.map(({ text }) => text)).toEqual(['***', 'and ***'])
})

test('an empty mask is a warning', () => {
  expect(logOf(['::add-mask::  ', 'text']).annotations).toMatchObject([{ level: 'warning' }])
})

test('secrets of the store are masked from the start', () => {
  expect(logOf(['my secret'], { secrets: ['secret'] }).lines[0]?.text).toBe('my ***')
})

test('nothing is carried out between stop-commands and its token', () => {
  const log = logOf([
    '::stop-commands::token-1',
    '::error::x',
    '##[error]y',
    '::TOKEN-1::',
    '::error::z',
    '::token-1::',
  ])

  expect(log.annotations.map(({ message }) => message)).toEqual(['z'])
  expect(log.commands.map(({ name }) => name)).toEqual(['stop-commands', 'error'])
  expect(log.lines.map(({ text }) => text)).toEqual([
    '::stop-commands::***',
    '::error::x',
    '##[error]y',
    '::TOKEN-1::',
    'z',
    '::***::',
  ])
})

test.each(['', 'pause-logging', 'error'])('commands cannot be stopped with the token %j', (token) => {
  const log = logOf([`::stop-commands::${token}`, '::notice::still read'])

  expect(log.failed).toBe(true)
  expect(log.annotations.at(-1)).toMatchObject({ level: 'notice' })
})

test('echo shows the commands that are not silent', () => {
  const log = logOf([
    '::echo::on',
    '::set-output name=a::1',
    '::add-mask::secret',
    '::echo:: OFF ',
    '::set-output name=b::2',
  ])

  expect(log.lines.map(({ text }) => text)).toEqual(['::set-output name=a::1', '::add-mask::***', '::echo:: OFF '])
  expect(log.outputs).toEqual({ a: '1', b: '2' })
})

test('groups are lines of their own', () => {
  expect(logOf(['::group::Title', 'x', '::endgroup::']).lines).toEqual([
    { kind: 'group', text: 'Title' },
    { kind: 'text', text: 'x' },
    { kind: 'endgroup', text: '' },
  ])
})

test('set-output and save-state keep the last value', () => {
  const log = logOf(['::set-output name=a::1', '::set-output name=a::2', '::save-state name=s::x'])

  expect(log.outputs).toEqual({ a: '2' })
  expect(log.state).toEqual({ s: 'x' })
})

test.each(['::set-output::x', '::save-state::x', '::set-env name=A::x', '::add-path::/x', '::echo::maybe', '::echo::'])(
  'a command that cannot be carried out fails the step: %s',
  (line) => {
    const log = logOf([line])

    expect(log.failed).toBe(true)
    expect(log.annotations).toMatchObject([
      { level: 'error', message: `Unable to process command '${line}' successfully.` },
      { level: 'error' },
    ])
  },
)

test('each line is handed on as it comes', () => {
  const seen: string[] = []
  logOf(['a', '::error::b'], { onLine: ({ kind, text }) => seen.push(`${kind} ${text}`) })

  expect(seen).toEqual(['text a', 'error b'])
})
