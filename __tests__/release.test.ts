import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../testing/markdown-files.ts'
import { createTemporaryFolder } from '../testing/temporary-folder.ts'

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly name?: string; readonly run?: string }[] }>
  >
}

function readScript(workflow: string, name: string): string {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows', workflow), 'utf8')) as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  return steps.find((step) => step.name === name)?.run ?? ''
}

/**
 * Runs the script of a step as the runner does.
 * @param gh the body of a program that plays gh, in Bash
 * @returns the calls of gh
 */
function runScript(script: string, gh: string, env: Readonly<Record<string, string>>) {
  const path = createTemporaryFolder()
  const calls = join(path, 'calls')
  writeFileSync(calls, '')
  writeFileSync(join(path, 'gh'), `#!/usr/bin/env bash\necho "$*" >> '${calls}'\n${gh}\n`)
  chmodSync(join(path, 'gh'), 0o755)
  const output = execFileSync('bash', ['-e', '-c', script], {
    cwd: path,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${path}:${process.env['PATH'] ?? ''}`, ...env },
  })
  return { output, calls: readFileSync(calls, 'utf8').trim().split('\n') }
}

const TAG = 'v1.10.0'

/** Bash, as on the Ubuntu image that runs these steps. */
const describeWithBash = process.platform === 'win32' ? describe.skip : describe

describeWithBash('the major tag', () => {
  const script = readScript('major-tag.yml', 'Move the major tag')
  const gh = (releases: readonly string[], { hasTag = true, isRefused = false } = {}): string => `
case "$*" in
  *releases*) printf '%s\\n' ${releases.join(' ')} ;;
  *commits*) echo abc ;;
  *matching-refs*) printf '%s\\n' refs/tags/v10 ${hasTag ? 'refs/tags/v1' : ''} ;;
  *PATCH*) exit ${isRefused ? 1 : 0} ;;
esac`
  const move = (releases: readonly string[], github?: Parameters<typeof gh>[1]) =>
    runScript(script, gh(releases, github), { TAG, GH_REPO: 'acme/action' })
  const listChanges = (calls: readonly string[]): readonly string[] =>
    calls.filter((call) => call.includes('/git/refs'))

  test('moves to the newest release of its version', () => {
    const { calls } = move(['v2.0.0', 'v1.9.0', TAG])
    expect(listChanges(calls)).toEqual([
      'api --method PATCH repos/acme/action/git/refs/tags/v1 -f sha=abc -F force=true',
    ])
  })

  test('is created by the first release', () => {
    const { calls } = move([TAG], { hasTag: false })
    expect(listChanges(calls)).toEqual(['api repos/acme/action/git/refs -f ref=refs/tags/v1 -f sha=abc'])
  })

  test('is not created again if GitHub refuses to move it', () => {
    expect(() => move([TAG], { isRefused: true })).toThrow('Command failed')
  })

  test.each([[['v1.11.0', TAG]], [['v2.0.0']], [[]]])('stays if the newest releases are %j', (releases) => {
    const { calls, output } = move(releases)
    expect(listChanges(calls)).toEqual([])
    expect(output).toContain('::notice::v1 stays')
  })

  test('fails if GitHub does not list the releases', () => {
    expect(() => runScript(script, 'exit 1', { TAG, GH_REPO: 'acme/action' })).toThrow('Command failed')
  })
})
