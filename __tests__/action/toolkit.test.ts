import { expect, test } from '@jest/globals'
import { runAction, type RunResult } from '../../scripts/small-runner/run-action.ts'
import type { Runner } from '../../src/action/toolkit.ts'
import { createTemporaryAction } from '../../testing/temporary-action.ts'

const KEY = 'dk_0123456789abcdef'

const TOOLKIT = new URL('../../src/action/toolkit.ts', import.meta.url).href

type Call = readonly [method: Exclude<keyof Runner, 'input' | 'redact'>, ...texts: string[]]

/** Makes the calls in order, in the process of a step in debug mode, and returns all that the process writes. */
function play(calls: readonly Call[], elapsedMs = 0): Promise<RunResult> {
  const action = createTemporaryAction(`
    import(${JSON.stringify(TOOLKIT)}).then(({ createRunner }) => {
      let now = 0
      const runner = createRunner({ now: () => now })
      now = ${elapsedMs}
      for (const [method, ...texts] of ${JSON.stringify(calls)}) runner[method](...texts)
    })
  `)
  return runAction({ action, debug: true })
}

/** The same, and returns the lines of its log. */
async function listLines(calls: readonly Call[], elapsedMs?: number): Promise<string[]> {
  const { rawOutput } = await play(calls, elapsedMs)
  return rawOutput.split(/\r?\n/).slice(0, -1)
}

/** The same with a masked key, without the line that masks it. */
async function listMaskedLines(calls: readonly Call[]): Promise<string[]> {
  const [first, ...lines] = await listLines([['mask', KEY], ...calls])
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

test.concurrent('prefixes every line of the log with the elapsed time', async () => {
  const lines = await listLines([['log', 'one\ntwo\r\n\nthree']], 65_000)
  expect(lines).toEqual(['one', 'two', '', 'three'].map((text) => `[  1 min 5 s] ${text}`))
})

test.concurrent('never nests groups, ends each once, and writes titles redacted and on one line', async () => {
  const [end, title] = [['endGroup'], `Round 1 of 2: a\n::error::${KEY}`] as const
  expect(await listMaskedLines([end, ['startGroup', title], ['startGroup', 'New job'], end, end])).toEqual([
    '::group::Round 1 of 2: a ::error::***',
    '::endgroup::',
    '::group::New job',
    '::endgroup::',
  ])
})

test.concurrent('writes no untrusted text as a command', async () => {
  const texts = [
    ['::error::x', 1],
    ['  ::set-output name=outcome::pull-request', 1],
    ['a\n::error::x', 2],
    ['a\r::error::x', 2],
    ['a\u2028::stop-commands::token', 2],
    ['a ##[error]x', 1],
    ['#\u0000#[add-mask]x', 1],
    ['\u001b[2K\r::error::x', 2],
    ['\u200b::error::x', 1],
  ] as const
  const { commands, log, rawOutput } = await play(texts.flatMap(([text]) => everywhere(text)))
  expect(rawOutput).not.toContain('##[')
  expect(commands.map(({ name }) => name)).toEqual(
    texts.flatMap(([, count]) => [...Array<string>(count).fill('debug'), 'warning', 'notice', 'error']),
  )
  const lines = log.filter(({ kind }) => kind === 'text')
  expect(lines).toHaveLength(texts.reduce((sum, [, count]) => sum + count, 0))
})

test.concurrent(
  'annotations have titles, and are cut to 4000 bytes, between characters and after redaction',
  async () => {
    const long = Array.from({ length: 21 }, (_, index) => ['warn', `${'x'.repeat(3_980 + index)}${KEY}`] as const)
    const umlauts = ['warn', `a${'ü'.repeat(3_000)}`] as const
    const lines = await listMaskedLines([umlauts, ['notice', 'Title: a, b', 'n'], ['fail', 'No', 'one\ntwo'], ...long])
    expect(lines).toEqual([
      `::warning title=Docs Agent::a${'ü'.repeat(1_999)}`,
      '::notice title=Title%3A a%2C b::n',
      '::error title=No::one%0Atwo',
      ...Array<unknown>(21).fill(expect.stringMatching(/::x+\**$/)),
    ])
  },
)

test.concurrent('masks a secret once, ignores a blank one, and redacts it from then on', async () => {
  const [first, second] = [
    ['mask', 'first-secret'],
    ['mask', 'sec\nret%'],
  ] as const
  const log = ['log', 'first-secret sec\nret%'] as const
  const calls = [['mask', ''], ['mask', ' \n'], first, ['log', 'first-secret'], second, second, log] as const
  expect(await listLines(calls)).toEqual([
    '::add-mask::first-secret',
    '[        0 s] ***',
    '::add-mask::sec%0Aret%25',
    '[        0 s] *** ***',
  ])
})

test.concurrent('redacts every form of a key in the log, in debug lines and in annotations', async () => {
  const forms = [
    KEY,
    Buffer.from(`x:${KEY}`).toString('base64'),
    Array.from(KEY).join('\u0000'),
    Array.from(KEY).join('\u200b'),
    `${KEY.slice(0, 5)}\u001b[31m${KEY.slice(5)}`,
  ]
  const lines = await listMaskedLines(forms.flatMap((form) => everywhere(`before ${form} after`)))
  expect(lines).toEqual(Array(5 * forms.length).fill(expect.stringMatching(/before .*\*\*\*.* after$/)))
  expect(lines.join('\n')).not.toContain('123456')
  expect(lines.join('\n')).not.toContain(Buffer.from(KEY).toString('base64').slice(4, 16))
})

test.concurrent("writes outputs and the summary to the runner's files, redacted, and nothing to the log", async () => {
  const output = ['setOutput', 'model', `a ${KEY}\nEOF\njob-id=x`] as const
  const markdown = `# Title\n\n${KEY} <code>${KEY}</code>\n`
  const { outputs, rawFiles, rawOutput } = await play([['mask', KEY], output, ['writeSummary', markdown]])
  expect(rawOutput).toBe(`::add-mask::${KEY}\n`)
  expect(outputs).toEqual({ model: 'a ***\nEOF\njob-id=x' })
  expect(rawFiles.GITHUB_STEP_SUMMARY).toBe('# Title\n\n*** <code>***</code>\n')
  // With a known delimiter, an untrusted value could end itself and set other outputs.
  expect(rawFiles.GITHUB_OUTPUT).toMatch(/^model<<\S*[\da-f-]{36}\r?\n/)
})
