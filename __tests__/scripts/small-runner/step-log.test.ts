import { expect, test } from '@jest/globals'
import { StepLog, type StepLogOptions } from '../../../scripts/small-runner/step-log.ts'

function readLog(lines: readonly string[], options?: StepLogOptions): StepLog {
  const log = new StepLog(options)
  for (const line of lines) log.read(line)
  return log
}

test.each<[what: string, lines: string[], shown: string[], options?: StepLogOptions]>([
  ['ordinary text as it is', ['hello', '', '::unknown::x'], ['text: hello', 'text: ', 'text: ::unknown::x']],
  [
    'annotations, but empty ones',
    ['::error title=Bad::one', '##[warning]two', '::notice::'],
    ['Bad: one', 'warning: two'],
  ],
  ['no debug lines in a usual run', ['::debug::x'], []],
  ['debug lines in a debug run', ['::debug::x'], ['debug: x'], { debug: true }],
  ['groups as lines of their own', ['::group::Title', 'x', '::endgroup::'], ['group: Title', 'text: x', 'endgroup: ']],
  ['nothing from where it was masked', ['key', '::add-mask::key', 'my key'], ['text: key', 'text: my ***']],
  ['no masked title', ['::add-mask::key', '::error title=a key::the key'], ['a ***: the ***']],
  ['no line of a mask of several', ['::add-mask::one%0Atwo', 'one', 'and two'], ['text: ***', 'text: and ***']],
  ['no secret of the store', ['my secret'], ['text: my ***'], { secrets: ['secret'] }],
])('the log shows %s', (_what, lines, wanted, options = {}) => {
  expect(readLog(lines, options).lines.map(({ kind, title = kind, text }) => `${title}: ${text}`)).toEqual(wanted)
})

test('errors, warnings and notices are masked, truncated annotations, and do not fail the step', () => {
  const long = `::notice::${'x'.repeat(5_000)}`
  const log = readLog(['::add-mask::key', '::error title=Bad key::one', '##[warning]two', long])
  expect(log.annotations).toEqual([
    { level: 'error', title: 'Bad ***', message: 'one' },
    { level: 'warning', title: '', message: 'two' },
    { level: 'notice', title: '', message: 'x'.repeat(4_096) },
  ])
  expect(log.failed).toBe(false)
})

test('an empty mask is a warning and masks nothing', () => {
  const log = readLog(['::add-mask::  ', 'text'])
  expect(log.annotations).toMatchObject([{ level: 'warning' }])
  expect(log.lines.at(-1)?.text).toBe('text')
})

test.each([
  '::set-output name=a::x',
  '::save-state name=a::x',
  '::set-env name=A::x',
  '##[add-path]/x',
  '::echo::on',
  '::stop-commands::x',
])('a command that no action of this project uses fails the step: %s', (line) => {
  const log = readLog([line])
  expect(log.failed).toBe(true)
  expect(log.annotations).toEqual([{ level: 'error', title: '', message: expect.stringContaining(line) as unknown }])
})
