import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { openScratchFolder } from '../scripts/small-runner/scratch-folder.ts'
import { root } from './support/markdown-files.ts'

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
 * Runs the script of a step as the runner does, in a folder with the files of npm.
 * @param gh the body of a program that plays gh, in Bash
 * @returns the calls of gh, and the names of the files that the script made
 */
function runScript(script: string, gh: string, env: Readonly<Record<string, string>>) {
  const { path, remove } = openScratchFolder('release-step-')
  try {
    cpSync(join(root, 'dist/sbom.spdx.json'), join(path, 'dist/sbom.spdx.json'))
    const before = [...readdirSync(path), 'gh', 'calls', 'script']
    writeFileSync(join(path, 'gh'), `#!/usr/bin/env bash\necho "$*" >> '${join(path, 'calls')}'\n${gh}\n`)
    chmodSync(join(path, 'gh'), 0o755)
    writeFileSync(join(path, 'bundle.json'), '{}')
    writeFileSync(join(path, 'script'), script)
    const output = execFileSync('bash', ['-e', 'script'], {
      cwd: path,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${path}:${process.env['PATH'] ?? ''}`, BUNDLE: 'bundle.json', ...env },
    })
    const calls = existsSync(join(path, 'calls')) ? readFileSync(join(path, 'calls'), 'utf8').trim().split('\n') : []
    const read = (file: string): unknown => JSON.parse(readFileSync(join(path, file), 'utf8'))
    const made = readdirSync(path).filter((file) => file.startsWith('docs-agent-action.') && !before.includes(file))
    return { output, calls, made: Object.fromEntries(made.map((file) => [file, read(file)])) }
  } finally {
    remove()
  }
}

const ASSETS = ['docs-agent-action.intoto.jsonl', 'docs-agent-action.spdx.json']
const TAG = 'v1.10.0'

/** Bash, as on the Ubuntu image that runs these steps. */
const describeWithBash = process.platform === 'win32' ? describe.skip : describe

describeWithBash('the draft of a release', () => {
  const script = readScript('release.yml', 'Prepare the draft')

  test('has the attestation and a list of the packages in dist/', () => {
    const { calls, made } = runScript(script, '[ "$2" != view ]', { TAG })
    expect(calls).toEqual([
      `release view ${TAG}`,
      `release create ${TAG} --draft --verify-tag --generate-notes --title ${TAG}`,
      `release upload ${TAG} --clobber ${ASSETS.join(' ')}`,
    ])
    expect(Object.keys(made)).toEqual(ASSETS)
    const { packages } = made['docs-agent-action.spdx.json'] as {
      readonly packages: readonly { readonly name: string }[]
    }
    const names = packages.map(({ name }) => name)
    expect(names).toContain('undici')
    expect(names).not.toContain('jest')
  })

  test('is not made again by a second run', () => {
    const { calls } = runScript(script, '', { TAG })
    expect(calls.filter((call) => call.startsWith('release create'))).toEqual([])
    expect(calls).toContainEqual(expect.stringMatching(/^release upload/))
  })
})

describeWithBash('the major tag', () => {
  const script = readScript('major-tag.yml', 'Move the major tag')
  const gh = (releases: readonly string[], hasTag = true): string => `
case "$*" in
  *releases*) printf '%s\\n' ${releases.join(' ')} ;;
  *commits*) echo abc ;;
  *PATCH*) exit ${hasTag ? 0 : 1} ;;
esac`
  const move = (releases: readonly string[], hasTag?: boolean) =>
    runScript(script, gh(releases, hasTag), { TAG, GH_REPO: 'acme/action' })
  const listChanges = (calls: readonly string[]): readonly string[] =>
    calls.filter((call) => call.includes('/git/refs'))

  test('moves to the newest release of its version', () => {
    const { calls } = move(['v2.0.0', 'v1.9.0', TAG])
    expect(listChanges(calls)).toEqual([
      'api --method PATCH repos/acme/action/git/refs/tags/v1 -f sha=abc -F force=true',
    ])
  })

  test('is created by the first release', () => {
    const { calls } = move([TAG], false)
    expect(listChanges(calls)).toHaveLength(2)
    expect(calls.at(-1)).toBe('api repos/acme/action/git/refs -f ref=refs/tags/v1 -f sha=abc')
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
