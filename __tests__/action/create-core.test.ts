import * as fs from 'node:fs'
import { beforeEach, expect, test } from '@jest/globals'
import { createCore } from '../../src/action/create-core.ts'
import type { Core } from '../../src/action/core.ts'
import { captureStdout } from '../support/capture-stdout.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { stepProcess } from '../support/step-process.ts'

const KEY = 'dk_0123456789abcdef'

const { outputFile, summaryFile } = stepProcess()

beforeEach(() => {
  process.env['RUNNER_DEBUG'] = '1'
})

/** What a host writes to standard output, as lines. */
const say = (work: (core: Core) => unknown): Promise<string[]> => captureStdout(() => work(createCore(fakeClock())))

/** The same, after the key was masked and without the line that masks it. */
const sayMasked = async (work: (core: Core) => unknown): Promise<string[]> => {
  const lines = await say((host) => {
    host.mask(KEY)
    return work(host)
  })
  expect(lines.shift()).toBe(`::add-mask::${KEY}`)
  return lines
}

/** One text in every way in which a step can say it. */
const sayEverywhere = (text: string) => (core: Core) => {
  core.log(text)
  core.debug(text)
  core.warn(text)
  core.notice(text, text)
  core.fail(text, text)
}

const HOSTILE = [
  '::error::x',
  '  ::set-output name=outcome::pull-request',
  'a\n::error::x',
  'a\r::error::x',
  'a\u2028::stop-commands::token',
  'a ##[error]x',
  '#\u0000#[add-mask]x',
  '\u001b[2K\r::error::x',
  '\u200b::error::x',
]

test('every line of the log begins with the time since the start', async () => {
  const clock = fakeClock()
  const host = createCore(clock)
  clock.advance(65_000)

  const lines = await captureStdout(() => {
    host.log('one\ntwo\r\n\nthree')
  })
  expect(lines).toEqual(['one', 'two', '', 'three'].map((text) => `[  1 min 5 s] ${text}`))
})

test('groups never nest, end once, and have one line without secrets for a title', async () => {
  expect(
    await sayMasked((host) => {
      host.endGroup()
      host.startGroup(`Round 1 of 2: a\n::error::${KEY}`)
      host.startGroup('New job')
      host.endGroup()
      host.endGroup()
    }),
  ).toEqual(['::group::Round 1 of 2: a ::error::***', '::endgroup::', '::group::New job', '::endgroup::'])
})

test.each(HOSTILE)('%j is a text in the log, in debug lines and in annotations, and no command', async (text) => {
  const count = (
    await say((host) => {
      host.log(text)
    })
  ).length
  const lines = await say(sayEverywhere(text))

  expect(lines.filter((line) => line.includes('##['))).toEqual([])
  expect(count).toBeGreaterThan(0)
  expect(lines.map((line) => line.replace(/^(\[|::\w+(?:::\[)?).*$/, '$1'))).toEqual([
    ...Array<string>(count).fill('['),
    ...Array<string>(count).fill('::debug::['),
    ...['::warning', '::notice', '::error'],
  ])
})

test('debug lines are said only where the run is in debug mode', async () => {
  delete process.env['RUNNER_DEBUG']
  const lines = await say((host) => {
    host.debug('GET /')
  })
  expect(lines).toEqual([])
})

test('an annotation has its title', async () => {
  expect(
    await say((host) => {
      host.warn('w')
      host.notice('Title: a, b', 'n')
      host.fail('Cancelled', 'one\ntwo')
    }),
  ).toEqual([
    '::warning title=Docs Agent::w',
    '::notice title=Title%3A a%2C b::n',
    '::error title=Cancelled::one%0Atwo',
  ])
})

test('an annotation is cut to 4000 bytes, between characters', async () => {
  const [line = ''] = await say((host) => {
    host.warn(`a${'ü'.repeat(3_000)}`)
  })

  expect(line).toBe(`::warning title=Docs Agent::a${'ü'.repeat(1_999)}`)
})

test('a key at the cut of an annotation is redacted first', async () => {
  for (let at = 3_980; at <= 4_000; at++) {
    const [line = ''] = await sayMasked((host) => {
      host.warn(`${'x'.repeat(at)}${KEY}`)
    })
    expect(line).toMatch(/::x+\**$/)
  }
})

test('a secret is masked with the runner once, a blank one is not, and each is hidden from then on', async () => {
  const lines = await say((host) => {
    host.mask('')
    host.mask(' \n')
    host.mask('first-secret')
    host.log('first-secret')
    host.mask('sec\nret%')
    host.mask('sec\nret%')
    host.log('first-secret sec\nret%')
  })
  const [before, after] = ['[        0 s] ***', '[        0 s] *** ***']
  expect(lines).toEqual(['::add-mask::first-secret', before, '::add-mask::sec%0Aret%25', after])
})

test.each([
  KEY,
  Buffer.from(`x:${KEY}`).toString('base64'),
  Array.from(KEY).join('\u0000'),
  Array.from(KEY).join('\u200b'),
  `${KEY.slice(0, 5)}\u001b[31m${KEY.slice(5)}`,
])('the key as %j is nowhere in the log, in debug lines or in annotations', async (form) => {
  const lines = await sayMasked(sayEverywhere(`before ${form} after`))

  expect(lines).toHaveLength(5)
  for (const line of lines) expect(line).toMatch(/before .*\*\*\*.* after$/)
  expect(lines.join('\n')).not.toContain('123456')
  expect(lines.join('\n')).not.toContain(Buffer.from(KEY).toString('base64').slice(4, 16))
})

test.each(['pass##[word', 'pass\tword', 'pass\u200bword'])(
  'the secret %j, which cleaning would tear apart, is hidden before',
  async (secret) => {
    const lines = await say((host) => {
      host.mask(secret)
      host.log(`before ${secret} after`)
    })

    expect(lines.at(-1)).toBe('[        0 s] before *** after')
  },
)

test('an output goes to the file of the runner, redacted, and nothing to the log', async () => {
  expect(
    await sayMasked((host) => {
      host.setOutput('model', `a ${KEY}\nEOF\njob-id=x`)
    }),
  ).toEqual([])

  const text = fs.readFileSync(outputFile, 'utf8')
  const [, delimiter = '', value] = /^model<<(\S+)\r?\n([^]*)\r?\n\1\r?\n$/.exec(text) ?? []
  expect(value).toBe('a ***\nEOF\njob-id=x')
  // A stranger who knew the delimiter could end the value and set outputs of his own.
  expect(delimiter).toMatch(/[\da-f-]{36}$/)
})

test('a summary is written redacted, also where the key was escaped in it', async () => {
  await sayMasked((host) => host.writeSummary(`# Title\n\n${KEY} <code>${KEY.replace('_', '&#95;')}</code>\n`))

  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('# Title\n\n*** <code>***</code>\n')
})
