import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import { start } from '../../scripts/start/start.ts'
import { root } from '../support/markdown-files.ts'
import { quotedMessages } from '../support/source-text.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Starting a process can take seconds on a busy machine, and writing the largest file minutes.
jest.setTimeout(300_000)

const page = readFileSync(join(root, 'docs/outcomes.md'), 'utf8')
const commands = [...page.matchAll(/^\| (.+?) +\| `(npm start.*?)` +\|$/gm)].map(
  ([, what = '', command = '']) => [command, what] as const,
)

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

test('each outcome, error and warning has one command, or the page says why there is none', () => {
  const outcomes = [...page.matchAll(/^### `([a-z-]+)`$/gm)].map(([, outcome = '']) => outcome)
  const besides = [...page.matchAll(/^“([^”]+)”/gm)].map(([, message = '']) => message)
  const told = [...outcomes, ...quotedMessages(page.slice(0, page.indexOf('## Try each'))), ...besides]
  const tried = commands.map(([, what]) => what.replace(/^[“`]|[”`]$/g, ''))
  const not = [...page.matchAll(/\b(?:No command|None) brings about “([^”]+)”/g)].map(([, message = '']) => message)
  expect([...tried, ...not].sort()).toEqual(told.sort())
})

test.concurrent.each(commands)('«%s» shows %s', async (command, what) => {
  const shown = await run(command)
  const outcome = /^`([a-z-]+)`$/.exec(what)?.[1]
  if (outcome === undefined) expect(shown).toContain(what.slice(1, -1))
  else expect(shown).toMatch(new RegExp(`^outcome +${outcome}$`, 'm'))
})
