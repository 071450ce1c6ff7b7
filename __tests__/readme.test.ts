import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { HELP } from '../scripts/start/options.ts'
import { isGreen } from '../src/agent/report/conclusion.ts'
import { FAIL_ON, type FailOn } from '../src/agent/inputs/fail-on.ts'
import { OUTCOMES, type Outcome } from '../src/agent/report/report.ts'
import { GITHUB_SCENARIO_NAMES } from '../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../src/emulator/scenarios.ts'
import { root, sectionBelow, tableBelow } from './support/markdown-files.ts'
import { reportOf } from './support/report.ts'
import { quotedMessages, sourceText } from './support/source-text.ts'

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

function writeProject(readmeText: string): void {
  writeFileSync(join(folder, 'README.md'), readmeText)
  writeFileSync(
    join(folder, 'action.yml'),
    `inputs:
  speed: { description: 'How fast, \`a|b\`.', required: true, default: '9' }
outputs:
  time: { description: How long. }
`,
  )
}

test('the tables of inputs and outputs say what action.yml says', () => {
  expect(runTables(root, '--check')).toEqual({ exitCode: 0, stderr: '' })
})

test('the tables are written between their markers, and nothing else is touched', () => {
  writeProject('# A\n<!-- inputs: x -->\nold\n<!-- /inputs -->\nB\n<!-- outputs: x -->\n<!-- /outputs -->\nC\n')
  expect(runTables(folder)).toEqual({ exitCode: 0, stderr: '' })
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(`# A
<!-- inputs: x -->

| Input   | Required | Default | Meaning           |
| ------- | -------- | ------- | ----------------- |
| \`speed\` | yes      | \`9\`     | How fast, \`a\\|b\`. |

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
  expect(stderr).toContain('Run: npm run docs')
  expect(stderr).toContain('- | old |')
  expect(stderr).toContain('+ | `time` | How long. |')
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(stale)
})

test('a README that lost its markers is an error, not a table that is never written', () => {
  writeProject('# A\n<!-- inputs: x -->\n<!-- /inputs -->\n')
  const { exitCode, stderr } = runTables(folder)
  expect(exitCode).toBe(1)
  expect(stderr).toContain('the markers of the outputs table')
})

test('the table of outcomes says of every outcome when it is red and when it is green', () => {
  const colour = (outcome: Outcome, ...failOn: FailOn[]): string =>
    isGreen(reportOf({ outcome }), new Set(failOn)) ? 'green' : 'red'
  const expected = OUTCOMES.map((outcome) => ({
    outcome: `\`${outcome}\``,
    byDefault: colour(outcome, 'failed', 'archived', 'timeout'),
    canChange: colour(outcome) !== colour(outcome, ...FAIL_ON),
  }))
  const told = tableBelow(readme, 'What an outcome means').map(([outcome, , step = '']) => ({
    outcome,
    byDefault: /^\w+/.exec(step)?.[0],
    canChange: step.includes('`fail-on`'),
  }))
  expect(told).toEqual(expected)
})

test('every message in the troubleshooting table is one that the code writes', () => {
  const source = sourceText()
  const messages = quotedMessages(sectionBelow(readme, 'Troubleshooting'))
  expect(messages.length).toBeGreaterThan(10)
  expect(messages.filter((message) => !source.includes(message))).toEqual([])
})

test('the section on trying it offline names only flags and scenarios that there are', () => {
  const section = sectionBelow(readme, 'Try it offline')
  const flags = [...section.matchAll(/ (--[a-z][a-z-]*)/g)]
    .map(([, flag = '']) => flag)
    .filter((flag) => flag !== '--help')
  expect(flags).toContain('--scenario')
  expect(flags.filter((flag) => !HELP.includes(`  ${flag} `))).toEqual([])

  const scenarios = [...section.matchAll(/--scenario ([a-z,-]+)/g)].flatMap(([, names = '']) => names.split(','))
  expect(scenarios.length).toBeGreaterThan(2)
  const known: readonly string[] = [...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES]
  expect(scenarios.filter((name) => !known.includes(name))).toEqual([])
})
