import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import { listScenarios } from '../../scripts/start/scenarios.ts'
import { start } from '../../scripts/start/start.ts'
import { OUTCOMES } from '../../src/agent/outcome.ts'
import { root } from '../support/markdown-files.ts'
import { listQuotedMessages } from '../support/source-text.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

// Starting a process can take seconds on a busy machine, and writing the largest file minutes.
jest.setTimeout(300_000)

const page = readFileSync(join(root, 'docs/outcomes.md'), 'utf8')

/** Returns the last sentence below the heading of an outcome. */
const outcomes = [...page.matchAll(/^### `([a-z-]+)`\n\n.*Try `(?:npm start)?(.*)`\.$/gm)]
/** Returns the last cell of the row of a message: flags, or why no command shows it. */
const messages = [...page.matchAll(/^\| “([^”]+)”.*\| +(?:`([^|]+)`|\w[^|]+) +\|$/gm)]

const COLUMNS = 80

/** Returns the output in a terminal of 80 columns. Only URLs may be longer, on lines of their own. */
async function run(command: string): Promise<string> {
  const flags = [...command.matchAll(/(?:[^\s"]|"[^"]*")+/g)]
  let shown = ''
  const write = (text: string): string => (shown += text)
  await start(root, {
    argv: ['node', 'start', '--all', '--speed', '20', ...flags.map(([flag]) => flag.replaceAll('"', ''))],
    env: { INIT_CWD: createTemporaryFolder() },
    stdout: { columns: COLUMNS, write },
    stderr: { columns: COLUMNS, write },
    on: () => undefined,
    exit: () => undefined,
  })
  const tooLong = shown.split('\n').filter((line) => Array.from(line).length > COLUMNS)
  expect(tooLong.filter((line) => !/^\(?https?:\S+$/.test(line))).toEqual([])
  return shown
}

/** Joins the lines that a terminal would break. */
const unwrap = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('each outcome, error and warning has one command, or the page says why there is none', () => {
  expect(outcomes.map(([, outcome]) => outcome)).toEqual([...OUTCOMES])
  expect(messages.map(([, message]) => message)).toEqual(listQuotedMessages(page))
})

test.concurrent.each(outcomes.map(([, outcome = '', flags = '']) => [flags, outcome] as const))(
  '«npm start -- %s» ends with %s',
  async (flags, outcome) => {
    expect(await run(flags)).toMatch(new RegExp(`^outcome +${outcome}$`, 'm'))
  },
)

const shown = messages.flatMap(([, message = '', flags]) => (flags === undefined ? [] : [[flags, message] as const]))

test.concurrent.each(shown)('«npm start -- %s» shows “%s”', async (flags, message) => {
  expect(unwrap(await run(flags))).toContain(unwrap(message))
})

const commands = [...outcomes.map(([, , flags = '']) => flags), ...shown.map(([flags]) => flags)].join(' ')
const listed = [...listScenarios().matchAll(/^ {2}([a-z-]+) {2,}[A-Z]/gm)].map(([, name = '']) => name)

test.concurrent.each(listed.filter((name) => !new RegExp(`[ ",]${name}(?:[ ",]|$)`).test(commands)))(
  '«npm start -- --scenario %s» fits into 80 columns and ends',
  async (name) => {
    expect(await run(`--speed 50 --scenario ${name}`)).toMatch(/^[✔✘] .*exit code/m)
  },
)

test('the tables of an export of visitors fit into 80 columns', async () => {
  const shown = await run('--action visitors --input trend=12 --input compare=pages')
  const [, tables = ''] = /^Trend\n(.*)^The export$/ms.exec(shown) ?? []
  const rows = tables.split('\n')
  expect(rows.length).toBeGreaterThan(50)
  // The rest of a row that is too wide would be indented.
  expect(rows.filter((row) => row.startsWith(' '))).toEqual([])
})

test('shows the log of a pull request as it was while the agent worked, and as it is at the end', async () => {
  const [, working = '', ended = ''] =
    /In the log while the agent worked([^]*)── On the pull request([^]*)$/.exec(await run('--scenario working')) ?? []
  expect(working).toMatch(/⏳ working since \d\d:\d\d UTC,\s+do not merge yet/)
  expect(ended).toContain('1 new commit')
  expect(ended).not.toContain('⏳')
})

test('requests a review from the person who approved the change, and names its pull request', async () => {
  const shown = await run('--scenario reviewed-change')
  expect(shown).toContain('Reviewers: lisa')
  expect(shown).toContain('push to main by mona: 1 commit [1], about #101')
})
