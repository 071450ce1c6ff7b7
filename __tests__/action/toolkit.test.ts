import * as fs from 'node:fs'
import { beforeEach, expect, test } from '@jest/globals'
import { createCore, type Core } from '../../src/action/toolkit.ts'
import { captureStdout } from '../support/capture-stdout.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { stepProcess } from '../support/step-process.ts'

const KEY = 'dk_0123456789abcdef'

const { outputFile, summaryFile } = stepProcess()

beforeEach(() => {
  process.env['RUNNER_DEBUG'] = '1'
})

type Call = readonly [method: Exclude<keyof Core, 'input' | 'redact'>, ...texts: string[]]

/** What these calls, in turn, write to standard output, as lines. */
const say = (...calls: readonly Call[]): Promise<string[]> => sayAfter(0, ...calls)

const sayAfter = (timeMs: number, ...calls: readonly Call[]): Promise<string[]> =>
  captureStdout(async () => {
    const clock = fakeClock()
    const core = createCore(clock)
    clock.advance(timeMs)
    for (const [method, ...texts] of calls) {
      const say: (...texts: string[]) => unknown = core[method]
      await say(...texts)
    }
  })

/** The same, after the key was masked and without the line that masks it. */
async function sayMasked(...calls: readonly Call[]): Promise<string[]> {
  const [first, ...lines] = await say(['mask', KEY], ...calls)
  expect(first).toBe(`::add-mask::${KEY}`)
  return lines
}

/** One text in every way in which a step can say it. */
const everywhere = (text: string): readonly Call[] => [
  ['log', text],
  ['debug', text],
  ['warn', text],
  ['notice', text, text],
  ['fail', text, text],
]

test('every line of the log begins with the time since the start', async () => {
  const lines = await sayAfter(65_000, ['log', 'one\ntwo\r\n\nthree'])
  expect(lines).toEqual(['one', 'two', '', 'three'].map((text) => `[  1 min 5 s] ${text}`))
})

test('groups never nest, end once, and have one line without secrets for a title', async () => {
  const [end, title] = [['endGroup'], `Round 1 of 2: a\n::error::${KEY}`] as const
  expect(await sayMasked(end, ['startGroup', title], ['startGroup', 'New job'], end, end)).toEqual([
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
])('%j is a text of %i lines in the log, in debug lines and in annotations, and no command', async (text, count) => {
  const lines = await say(...everywhere(text))
  expect(lines.filter((line) => line.includes('##['))).toEqual([])
  expect(lines.map((line) => line.replace(/^(\[|::\w+(?:::\[)?).*$/, '$1'))).toEqual([
    ...Array<string>(count).fill('['),
    ...Array<string>(count).fill('::debug::['),
    ...['::warning', '::notice', '::error'],
  ])
})

test('debug lines are said only where the run is in debug mode', async () => {
  delete process.env['RUNNER_DEBUG']
  expect(await say(['debug', 'GET /'])).toEqual([])
})

test('redacts a secret of the log in all that the log shows, and leaves outputs, summary and the runner alone', async () => {
  const mask = ['maskInLog', 'docs'] as const
  const written = [['setOutput', 'file', 'docs/a.md'] as const, ['writeSummary', 'docs/a.md'] as const]
  const lines = await say(mask, ...written, ['startGroup', 'docs/a.md'], ...everywhere('docs/a.md'))
  expect(lines.join('\n')).not.toContain('docs')
  expect(lines.join('\n')).not.toContain('add-mask')
  expect(fs.readFileSync(outputFile, 'utf8')).toContain('docs/a.md')
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('docs/a.md')
})

test('a summary file that the runner has not made is not made', async () => {
  fs.rmSync(summaryFile)
  await expect(say(['writeSummary', 'text'])).rejects.toThrow('ENOENT')
  expect(fs.existsSync(summaryFile)).toBe(false)
})

test('an annotation has its title', async () => {
  expect(await say(['warn', 'w'], ['notice', 'Title: a, b', 'n'], ['fail', 'Cancelled', 'one\ntwo'])).toEqual([
    '::warning title=Docs Agent::w',
    '::notice title=Title%3A a%2C b::n',
    '::error title=Cancelled::one%0Atwo',
  ])
})

test('an annotation is cut to 4000 bytes, between characters', async () => {
  const lines = await say(['warn', `a${'ü'.repeat(3_000)}`])
  expect(lines).toEqual([`::warning title=Docs Agent::a${'ü'.repeat(1_999)}`])
})

test('a key at the cut of an annotation is redacted first', async () => {
  for (let at = 3_980; at <= 4_000; at++)
    expect(await sayMasked(['warn', `${'x'.repeat(at)}${KEY}`])).toEqual([expect.stringMatching(/::x+\**$/)])
})

test('a secret is masked with the runner once, a blank one is not, and each is hidden from then on', async () => {
  const [first, second] = [
    ['mask', 'first-secret'],
    ['mask', 'sec\nret%'],
  ] as const
  const log = ['log', 'first-secret sec\nret%'] as const
  expect(await say(['mask', ''], ['mask', ' \n'], first, ['log', 'first-secret'], second, second, log)).toEqual([
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
])('the key as %j is nowhere in the log, in debug lines or in annotations', async (form) => {
  const lines = await sayMasked(...everywhere(`before ${form} after`))
  expect(lines).toEqual(Array(5).fill(expect.stringMatching(/before .*\*\*\*.* after$/)))
  expect(lines.join('\n')).not.toContain('123456')
  expect(lines.join('\n')).not.toContain(Buffer.from(KEY).toString('base64').slice(4, 16))
})

test.each(['pass##[word', 'pass\tword', 'pass\u200bword'])(
  'the secret %j, which cleaning would tear apart, is hidden before',
  async (secret) => {
    const lines = await say(['mask', secret], ['log', `before ${secret} after`])
    expect(lines.at(-1)).toBe('[        0 s] before *** after')
  },
)

test('an output goes to the file of the runner, redacted, and nothing to the log', async () => {
  expect(await sayMasked(['setOutput', 'model', `a ${KEY}\nEOF\njob-id=x`])).toEqual([])
  const text = fs.readFileSync(outputFile, 'utf8')
  const [, delimiter = '', value] = /^model<<(\S+)\r?\n([^]*)\r?\n\1\r?\n$/.exec(text) ?? []
  expect(value).toBe('a ***\nEOF\njob-id=x')
  // A stranger who knew the delimiter could end the value and set outputs of his own.
  expect(delimiter).toMatch(/[\da-f-]{36}$/)
})

test('a summary is written redacted, also where the key was escaped in it', async () => {
  await sayMasked(['writeSummary', `# Title\n\n${KEY} <code>${KEY.replace('_', '&#95;')}</code>\n`])
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('# Title\n\n*** <code>***</code>\n')
})
