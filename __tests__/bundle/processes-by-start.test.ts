import { expect, test } from '@jest/globals'
import { splitCommand } from '../../testing/split-command.ts'
import { startIn80Columns } from '../../testing/start-in-terminal.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'
import { FILLS_DISK, MESSAGE_FLAGS, needsProcess } from './start-flags.ts'

/** Returns the output in a terminal of 80 columns. */
async function run(command: string): Promise<string> {
  const args = ['--all', ...splitCommand(command)]
  const { stdout, stderr } = await startIn80Columns(args, createTemporaryFolder())
  return stdout + stderr
}

/** Joins the lines that a terminal would break. */
const unwrap = (text: string): string => text.replaceAll(/\s+/g, ' ')

test.concurrent.each(MESSAGE_FLAGS.filter(([flags]) => needsProcess(flags) && !flags.includes(FILLS_DISK)))(
  'the process of «npm start -- %s» shows “%s”',
  async (flags, message) => {
    expect(unwrap(await run(flags))).toContain(unwrap(message))
  },
)

test.concurrent.each(['', '--scenario fixed', '--scenario hostile'])(
  '«npm start -- %s» fits into 80 columns and ends',
  async (flags) => {
    expect(await run(flags)).toMatch(/^[✔✘] .*exit code/m)
  },
)

test('the table of an export of visitors fits into 80 columns', async () => {
  const shown = await run('--action visitors --input compare=true')
  const [, table = ''] = /^Most visited pages\n(.*)^The export$/ms.exec(shown) ?? []
  const rows = table.split('\n')
  expect(rows.length).toBeGreaterThan(20)
  // The rest of a row that is too wide would be indented.
  expect(rows.filter((row) => row.startsWith(' '))).toEqual([])
})

test('shows the log of a pull request as it was while the agent worked, and as it is at the end', async () => {
  const [, working = '', ended = ''] =
    /In the log while the agent worked([^]*)── On the pull request([^]*)$/.exec(await run('--scenario working')) ?? []
  expect(working).toMatch(/⏳ working since \d\d:\d\d UTC,\s+do\s+not\s+merge\s+yet/)
  expect(ended).toContain('1 new commit')
  expect(ended).not.toContain('⏳')
})

test('requests a review from the person who approved the change, and names its pull request', async () => {
  const shown = await run('--scenario reviewed-change')
  expect(shown).toContain('Reviewers: lisa')
  expect(shown).toContain('schedule, about #101')
})
