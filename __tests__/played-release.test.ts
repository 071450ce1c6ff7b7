import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../testing/markdown-files.ts'
import { createTemporaryFolder } from '../testing/temporary-folder.ts'

/**
 * What only GitHub can do, or what takes too long here: the tests and the build, which CI runs; the checkout, here a clone; the
 * signature, of which only the list of files is played; the approval of the environment `release`; the release notes; publishing the
 * draft, and the rules that protect releases and tags.
 */
const NOT_PLAYED = ['npm cit', 'node scripts/build/build.ts']

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}

const VERSION = '9.8.7'
const TAG = `v${VERSION}`

/** Plays gh for one repository: its releases are files in `$STATE`, and its tags are those of the bare repository `$REMOTE`. */
const GH = `#!/usr/bin/env bash
set -e
case "$1 $2" in
  'release view') [ -f "$STATE/created" ] ;;
  'release create') echo "\${*:3}" >> "$STATE/created" ;;
  'release upload')
    for file in "\${@:4}"; do
      [ "$file" = --clobber ] || cp "$file" "$STATE/assets/"
    done ;;
  api*)
    for word in "$@"; do
      case "$word" in
        ref=*) ref=\${word#ref=} ;;
        sha=*) sha=\${word#sha=} ;;
        */git/refs/*) ref=refs/\${word#*/git/refs/} ;;
      esac
    done
    case "$*" in
      *releases*) [ ! -f "$STATE/published" ] || cat "$STATE/published" ;;
      */commits/*) git --git-dir "$REMOTE" rev-parse "$TAG^{commit}" ;;
      *matching-refs*) git --git-dir "$REMOTE" for-each-ref --format='%(refname)' refs/tags ;;
      *) git --git-dir "$REMOTE" update-ref "$ref" "$sha" ;;
    esac ;;
esac
`

const folder = createTemporaryFolder()
const [source, remote, work] = ['source', 'remote.git', 'work'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]
const [state, temp, programs] = ['state', 'temp', 'programs'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

const env = {
  ...process.env,
  // Without node_modules, npm scripts run the Node.js of the path.
  PATH: [programs, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com', GIT_COMMITTER_NAME: 'Ann' },
  ...{ GIT_COMMITTER_EMAIL: 'ann@example.com', STATE: state, REMOTE: remote, RUNNER_TEMP: temp },
  ...{ TAG, GITHUB_REF_NAME: TAG, GH_REPO: 'acme/docs-agent-action', BUNDLE: join(temp, 'bundle.json') },
}
const run = (cwd: string, program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const git = (cwd: string, ...args: readonly string[]): string => run(cwd, 'git', ...args).trim()
const runScript = (script: string): string => run(work, 'bash', '-e', '-c', script)

const readWorkflow = (name: string): Workflow =>
  parse(readFileSync(join(work, '.github/workflows', name), 'utf8')) as Workflow

/** Runs the steps of a job from its file. @returns the scripts */
function play(workflow: string, job: string): readonly string[] {
  return (readWorkflow(workflow).jobs[job]?.steps ?? []).flatMap(({ run: script, uses = '', with: given = {} }) => {
    if (uses.startsWith('actions/attest@')) {
      const list = (given['subject-checksums'] ?? '').replace('${{ runner.temp }}', temp)
      writeFileSync(env.BUNDLE, JSON.stringify(readFileSync(list, 'utf8').trim().split('\n')))
    }
    if (script === undefined) return []
    if (!NOT_PLAYED.includes(script)) runScript(script)
    return [script]
  })
}

/** A repository with the files of this one. */
function createSource(): void {
  for (const path of [source, join(state, 'assets'), temp, programs]) mkdirSync(path, { recursive: true })
  writeFileSync(join(programs, 'gh'), GH)
  chmodSync(join(programs, 'gh'), 0o755)
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of files
    .trim()
    .split('\n')
    .filter((name) => existsSync(join(root, name))))
    cpSync(join(root, file), join(source, file))
  git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', remote)
  git(source, 'init', '--quiet', '--initial-branch', 'main')
  git(source, 'add', '--all')
  git(source, 'commit', '--quiet', '--message', 'Before the release')
  git(source, 'remote', 'add', 'origin', remote)
}

// The steps are written for GitHub's Ubuntu image.
const testOnLinux = process.platform === 'linux' ? test : test.skip

testOnLinux('a release makes a draft with what runners download, and v1 moves when it is published', () => {
  createSource()
  // As CONTRIBUTING says.
  run(source, process.execPath, 'scripts/release/prepare.ts', VERSION, '--owner', 'acme')
  git(source, 'commit', '--quiet', '--all', '--message', `Release ${VERSION}`)
  git(source, 'tag', TAG)
  git(source, 'push', '--quiet', 'origin', 'main', TAG)

  git(folder, 'clone', '--quiet', '--branch', TAG, remote, work)
  const checks = play('release.yml', 'check')
  expect(checks).toEqual(expect.arrayContaining(NOT_PLAYED))
  expect(checks.length).toBeGreaterThan(NOT_PLAYED.length)

  git(work, 'clean', '--quiet', '-dffx')
  play('release.yml', 'draft')
  expect(readFileSync(join(state, 'created'), 'utf8')).toBe(
    `${TAG} --draft --verify-tag --generate-notes --title ${TAG}\n`,
  )
  const assets = join(state, 'assets')
  expect(readdirSync(assets).sort()).toEqual(['docs-agent-action.intoto.jsonl', 'docs-agent-action.spdx.json'])

  const archive = join(folder, 'archive')
  mkdirSync(archive)
  runScript(`git --git-dir '${remote}' archive ${TAG} | tar -x -C '${archive}'`)
  const downloaded = run(archive, 'bash', '-c', "find . -type f -printf '%P\\n' | LC_ALL=C sort | xargs sha256sum")
  const attested = JSON.parse(readFileSync(join(assets, 'docs-agent-action.intoto.jsonl'), 'utf8')) as string[]
  expect(attested).toEqual(downloaded.trim().split('\n'))
  const names = attested.map((line) => line.replace(/^[0-9a-f]{64} {2}/, ''))
  expect(names).toEqual(expect.arrayContaining(['action.yml', 'dist/agent/index.js']))
  expect(names.filter((name) => /^(?:src|scripts|testing|__tests__|dist\/start)\//.test(name))).toEqual([])

  const sbom = JSON.parse(readFileSync(join(assets, 'docs-agent-action.spdx.json'), 'utf8')) as {
    readonly creationInfo: { readonly created: string }
    readonly packages: readonly { readonly name: string; readonly versionInfo: string }[]
  }
  expect(sbom.packages[0]).toMatchObject({ name: 'docs-agent-action', versionInfo: VERSION })
  expect(sbom.packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['undici', 'zod']))
  expect(Date.parse(sbom.creationInfo.created)).toBeGreaterThan(Date.UTC(2026))

  // A second run keeps the draft.
  git(work, 'clean', '--quiet', '-dffx')
  runScript(`rm -r '${temp}/archive'`)
  play('release.yml', 'draft')
  expect(readFileSync(join(state, 'created'), 'utf8').trim().split('\n')).toHaveLength(1)

  const commit = git(source, 'rev-parse', 'HEAD')
  const listTags = (): string =>
    git(folder, '--git-dir', remote, 'for-each-ref', '--format=%(refname:short) %(objectname)')
  writeFileSync(join(state, 'published'), 'v1.2.3\n')
  play('major-tag.yml', 'move')
  expect(listTags()).not.toContain('v9 ')
  // Publishing the draft.
  writeFileSync(join(state, 'published'), `${TAG}\n`)
  for (let count = 0; count < 2; count++) play('major-tag.yml', 'move')
  expect(listTags().split('\n').sort()).toEqual([`main ${commit}`, `v9 ${commit}`, `${TAG} ${commit}`].sort())
})
