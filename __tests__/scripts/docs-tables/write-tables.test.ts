import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SCRIPT = fileURLToPath(new URL('../../../scripts/docs-tables/write-tables.mjs', import.meta.url))
const EMPTY = '<!-- inputs: x -->\n<!-- /inputs -->\n<!-- outputs: x -->\n<!-- /outputs -->\n'

function projectOfTwoActions(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'docs'))
  mkdirSync(join(folder, 'visitors'))
  const metadata = (input: string): string =>
    `inputs: { ${input}: { description: What. } }\noutputs: { o: { description: O. } }\n`
  writeFileSync(join(folder, 'action.yml'), metadata('prompt'))
  writeFileSync(join(folder, 'README.md'), EMPTY)
  writeFileSync(join(folder, 'visitors/action.yml'), metadata('days'))
  writeFileSync(join(folder, 'docs/visitors.md'), EMPTY)
  return folder
}

function run(folder: string, ...args: string[]): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: 'utf8' })
}

test('each document gets the tables of its own action', () => {
  const folder = projectOfTwoActions()
  expect(run(folder).status).toBe(0)
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('| `prompt` |')
  expect(readFileSync(join(folder, 'docs/visitors.md'), 'utf8')).toContain('| `days` |')
  expect(run(folder, '--check').status).toBe(0)
})

test('a stale table in any of the documents is found, and the document named', () => {
  const folder = projectOfTwoActions()
  run(folder)
  writeFileSync(join(folder, 'docs/visitors.md'), EMPTY)
  const { status, stderr } = run(folder, '--check')
  expect(status).toBe(1)
  expect(stderr).toContain('docs/visitors.md is not what visitors/action.yml says. Run: npm run docs')
  expect(readFileSync(join(folder, 'docs/visitors.md'), 'utf8')).toBe(EMPTY)
})
