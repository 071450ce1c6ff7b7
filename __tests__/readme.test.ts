import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { root } from './support/markdown-files.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'readme-tables-'))

afterAll(() => {
  rmSync(folder, { recursive: true })
})

interface Ran {
  readonly exitCode: number | null
  readonly stderr: string
}

function runTables(cwd: string, ...args: string[]): Ran {
  const script = join(root, 'scripts/docs-tables/write-tables.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })
  return { exitCode: status, stderr }
}

function writeProject(pageText: string): void {
  for (const name of ['docs', 'visitors']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'docs/visitors.md'), pageText)
  writeFileSync(
    join(folder, 'visitors/action.yml'),
    `inputs:
  # How fast. At any time.
  speed: { description: 'How fast, \`a|b\`.', required: true, default: '9' }
  # What else. It is up
  # to you.
  colour: { description: Which. }
outputs:
  time: { description: How long. }
`,
  )
}

const page = (): string => readFileSync(join(folder, 'docs/visitors.md'), 'utf8')

test('the tables of inputs and outputs say what each action.yml says', () => {
  expect(runTables(root, '--check')).toEqual({ exitCode: 0, stderr: '' })
})

test('the tables are written between their markers, in the groups of action.yml, and nothing else is touched', () => {
  writeProject('# A\n<!-- inputs: x -->\nold\n<!-- /inputs -->\nB\n<!-- outputs: x -->\n<!-- /outputs -->\nC\n')
  expect(runTables(folder)).toEqual({ exitCode: 0, stderr: '' })
  expect(page()).toBe(`# A
<!-- inputs: x -->

### How fast

At any time.

| Input   | Required | Default | Meaning           |
| ------- | -------- | ------- | ----------------- |
| \`speed\` | yes      | \`9\`     | How fast, \`a\\|b\`. |

### What else

It is up to you.

| Input    | Required | Default | Meaning |
| -------- | -------- | ------- | ------- |
| \`colour\` |          |         | Which.  |

<!-- /inputs -->
B
<!-- outputs: x -->

| Output | Meaning   |
| ------ | --------- |
| \`time\` | How long. |

<!-- /outputs -->
C
`)
})

test('a stale table is found, shown and left alone by --check', () => {
  const stale = '<!-- inputs: x -->\n| old |\n<!-- /inputs -->\n<!-- outputs: x -->\n<!-- /outputs -->\n'
  writeProject(stale)
  const { exitCode, stderr } = runTables(folder, '--check')
  expect(exitCode).toBe(1)
  expect(stderr).toContain('docs/visitors.md is not what visitors/action.yml says. Run: npm run docs')
  expect(stderr).toContain('- | old |')
  expect(stderr).toContain('+ | `time` | How long. |')
  expect(page()).toBe(stale)
})

test('a page that lost its markers is an error, not a table that is never written', () => {
  writeProject('# A\n<!-- inputs: x -->\n<!-- /inputs -->\n')
  const { exitCode, stderr } = runTables(folder)
  expect(exitCode).toBe(1)
  expect(stderr).toContain('the markers of the outputs table')
})

test('the README can be read in a few minutes', () => {
  expect(readme.split('\n').length).toBeLessThan(250)
})
