import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import { start } from '../../scripts/start/start.ts'
import { root, tableBelow } from '../support/markdown-files.ts'
import { quotedMessages } from '../support/source-text.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

const page = readFileSync(join(root, 'docs/outcomes.md'), 'utf8')
const commands = tableBelow(page, 'Try each').map(([what = '', command = '']) => [command.slice(1, -1), what] as const)

/** What no command on one machine brings about. The tests of the parts that say it do. */
const NOT_TRIED = [
  'is outside the workspace',
  "is inside git's own folder",
  'its certificate is not trusted',
  'the proxy refused',
  'The address of the proxy',
  'does not speak TLS',
  'an answer that makes no sense',
  'asks for payment',
  'finds the request too large',
  'rejected the request',
  'limits the rate of requests',
  "which is after this step's deadline",
  'The job summary could not be written',
]

/** All that the terminal shows. */
async function run(command: string): Promise<string> {
  const flags = [...command.replace(/^npm start( --)?/, '').matchAll(/(?:[^\s"]|"[^"]*")+/g)]
  let shown = ''
  await start(root, {
    argv: ['node', 'start', '--speed', '20', ...flags.map(([flag]) => flag.replaceAll('"', ''))],
    env: { INIT_CWD: temporaryFolder() },
    stdout: { write: (text) => (shown += text) },
    stderr: { write: (text) => (shown += text) },
    on: () => undefined,
    exit: () => undefined,
  })
  return shown
}

test('each outcome, error and warning has a command, or needs another network or disk', () => {
  const messages = quotedMessages(page.slice(0, page.indexOf("## Errors of the visitors' export")))
  const outcomes = [...page.matchAll(/^### `([a-z-]+)`$/gm)].map(([, outcome = '']) => outcome)
  const tried = commands.map(([, what]) => what.replace(/^[“`]|[”`]$/g, ''))
  expect([...tried, ...NOT_TRIED].sort()).toEqual([...outcomes, ...messages].sort())
})

test.concurrent.each(commands)('«%s» shows %s', async (command, what) => {
  const shown = await run(command)
  const outcome = /^`([a-z-]+)`$/.exec(what)?.[1]
  if (outcome === undefined) expect(shown).toContain(what.slice(1, -1))
  else expect(shown).toMatch(new RegExp(`^outcome +${outcome}$`, 'm'))
})
