import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { writeGh } from '../../src/rehearse/gh.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

const folder = createTemporaryFolder()
writeGh(folder)

/** Runs a script as a step of a later action does, with the rehearsal's folder first in `PATH`. */
function runInShell(script: string, env: NodeJS.ProcessEnv = {}) {
  const PATH = `${folder}${delimiter}${process.env['PATH'] ?? ''}`
  const shell = process.platform === 'win32' ? 'bash' : 'sh'
  return spawnSync(shell, ['-e', '-c', script], { encoding: 'utf8', env: { ...process.env, ...env, PATH } })
}

test('says what it would have run, writes nothing to standard output, and ends with 0', () => {
  const { status, stdout, stderr } = runInShell('gh pr merge --squash "$PR_LINK"', { PR_LINK: 'http://127.0.0.1/1' })
  expect([status, stdout]).toEqual([0, ''])
  expect(stderr).toBe('Rehearsal: without it, this would run: gh pr merge --squash http://127.0.0.1/1\n')
})

test('turns no argument into a workflow command', () => {
  const BODY = 'fine\n::error::no\r\n##[error]no\u001b[31m %s \\n $(echo x) ####[group]'
  const { status, stderr } = runInShell('gh pr comment 1 --body "$BODY"', { BODY })
  expect(status).toBe(0)
  expect(stderr.split('\n')).toHaveLength(2)
  expect(stderr).not.toMatch(/##\[|\u001b|\r/)
  expect(stderr).toContain('fine ::error::no')
  expect(stderr).toContain('%s \\n $(echo x)')
})

test('on Windows, `gh.cmd` ends with 0 and shows no argument that can contain text by strangers', () => {
  const lines = readFileSync(join(folder, 'gh.cmd'), 'utf8').split('\r\n')
  expect(lines).toContain('exit /b 0')
  expect(lines.join()).not.toMatch(/%\*|%[3-9]/)
})
