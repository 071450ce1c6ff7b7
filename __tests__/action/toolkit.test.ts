import * as fs from 'node:fs'
import { beforeEach, expect, test } from '@jest/globals'
import { createRunner, type Runner } from '../../src/action/toolkit.ts'
import { captureStdout } from '../../testing/capture-stdout.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { simulateStepProcess } from '../../testing/step-process.ts'

const KEY = 'dk_0123456789abcdef'

const { outputFile, summaryFile } = simulateStepProcess()

beforeEach(() => {
  process.env['RUNNER_DEBUG'] = '1'
})

type Call = readonly [method: Exclude<keyof Runner, 'input' | 'redact'>, ...texts: string[]]

/** Runs the calls in order, and returns the lines that they write to standard output. */
const run = (...calls: readonly Call[]): Promise<string[]> => runAfter(0, ...calls)

const runAfter = (timeMs: number, ...calls: readonly Call[]): Promise<string[]> =>
  captureStdout(async () => {
    const clock = fakeClock()
    const runner = createRunner(clock)
    clock.advance(timeMs)
    for (const [method, ...texts] of calls) {
      const write: (...texts: string[]) => unknown = runner[method]
      await write(...texts)
    }
  })

/** The same with a masked key, without the line that masks it. */
async function runMasked(...calls: readonly Call[]): Promise<string[]> {
  const [first, ...lines] = await run(['mask', KEY], ...calls)
  expect(first).toBe(`::add-mask::${KEY}`)
  return lines
}

/** Returns the calls that write a text to the log, to debug lines and to annotations. */
const everywhere = (text: string): readonly Call[] => [
  ['log', text],
  ['debug', text],
  ['warn', text],
  ['notice', text, text],
  ['fail', text, text],
]

test('prefixes every line of the log with the elapsed time', async () => {
  const lines = await runAfter(65_000, ['log', 'one\ntwo\r\n\nthree'])
  expect(lines).toEqual(['one', 'two', '', 'three'].map((text) => `[  1 min 5 s] ${text}`))
})

test('never nests groups, ends each once, and writes titles redacted and on one line', async () => {
  const [end, title] = [['endGroup'], `Round 1 of 2: a\n::error::${KEY}`] as const
  expect(await runMasked(end, ['startGroup', title], ['startGroup', 'New job'], end, end)).toEqual([
    '::group::Round 1 of 2: a ::error::***',
    '::endgroup::',
    '::group::New job',
    '::endgroup::',
  ])
})

test.each([
  ['::error::x', 1],
  ['  ::set-output name=outcome::pull-request', 1],
  ['a\n::error::x', 2],
  ['a\r::error::x', 2],
  ['a\u2028::stop-commands::token', 2],
  ['a ##[error]x', 1],
  ['#\u0000#[add-mask]x', 1],
  ['\u001b[2K\r::error::x', 2],
  ['\u200b::error::x', 1],
])(
  'writes %j as %i lines to the log, to debug lines and to annotations, and never as a command',
  async (text, count) => {
    const lines = await run(...everywhere(text))
    expect(lines.filter((line) => line.includes('##['))).toEqual([])
    expect(lines.map((line) => line.replace(/^(\[|::\w+(?:::\[)?).*$/, '$1'))).toEqual([
      ...Array<string>(count).fill('['),
      ...Array<string>(count).fill('::debug::['),
      '::warning',
      '::notice',
      '::error',
    ])
  },
)

test('writes debug lines in debug mode only', async () => {
  delete process.env['RUNNER_DEBUG']
  expect(await run(['debug', 'GET /'])).toEqual([])
})

test('does not create a missing summary file', async () => {
  fs.rmSync(summaryFile)
  await expect(run(['writeSummary', 'text'])).rejects.toThrow('ENOENT')
  expect(fs.existsSync(summaryFile)).toBe(false)
})

test('annotations have titles', async () => {
  expect(await run(['warn', 'w'], ['notice', 'Title: a, b', 'n'], ['fail', 'Cancelled', 'one\ntwo'])).toEqual([
    '::warning title=Docs Agent::w',
    '::notice title=Title%3A a%2C b::n',
    '::error title=Cancelled::one%0Atwo',
  ])
})

test('cuts an annotation to 4000 bytes, between characters', async () => {
  const lines = await run(['warn', `a${'ü'.repeat(3_000)}`])
  expect(lines).toEqual([`::warning title=Docs Agent::a${'ü'.repeat(1_999)}`])
})

test('redacts a key before it cuts an annotation', async () => {
  for (let at = 3_980; at <= 4_000; at++)
    expect(await runMasked(['warn', `${'x'.repeat(at)}${KEY}`])).toEqual([expect.stringMatching(/::x+\**$/)])
})

test('masks a secret once, ignores a blank one, and redacts it from then on', async () => {
  const [first, second] = [
    ['mask', 'first-secret'],
    ['mask', 'sec\nret%'],
  ] as const
  const log = ['log', 'first-secret sec\nret%'] as const
  expect(await run(['mask', ''], ['mask', ' \n'], first, ['log', 'first-secret'], second, second, log)).toEqual([
    '::add-mask::first-secret',
    '[        0 s] ***',
    '::add-mask::sec%0Aret%25',
    '[        0 s] *** ***',
  ])
})

test.each([
  KEY,
  Buffer.from(`x:${KEY}`).toString('base64'),
  Array.from(KEY).join('\u0000'),
  Array.from(KEY).join('\u200b'),
  `${KEY.slice(0, 5)}\u001b[31m${KEY.slice(5)}`,
])('redacts the key as %j in the log, in debug lines and in annotations', async (form) => {
  const lines = await runMasked(...everywhere(`before ${form} after`))
  expect(lines).toEqual(Array(5).fill(expect.stringMatching(/before .*\*\*\*.* after$/)))
  expect(lines.join('\n')).not.toContain('123456')
  expect(lines.join('\n')).not.toContain(Buffer.from(KEY).toString('base64').slice(4, 16))
})

test.each(['pass##[word', 'pass\tword', 'pass\u200bword'])(
  'redacts the secret %j before cleaning changes it',
  async (secret) => {
    const lines = await run(['mask', secret], ['log', `before ${secret} after`])
    expect(lines.at(-1)).toBe('[        0 s] before *** after')
  },
)

test("writes an output to the runner's file, redacted, and nothing to the log", async () => {
  expect(await runMasked(['setOutput', 'model', `a ${KEY}\nEOF\njob-id=x`])).toEqual([])
  const text = fs.readFileSync(outputFile, 'utf8')
  const [, delimiter = '', value] = /^model<<(\S+)\r?\n([^]*)\r?\n\1\r?\n$/.exec(text) ?? []
  expect(value).toBe('a ***\nEOF\njob-id=x')
  // With a known delimiter, an untrusted value could end itself and set other outputs.
  expect(delimiter).toMatch(/[\da-f-]{36}$/)
})

test('redacts the summary', async () => {
  await runMasked(['writeSummary', `# Title\n\n${KEY} <code>${KEY}</code>\n`])
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('# Title\n\n*** <code>***</code>\n')
})
