/**
 * Runs third-party programs against the embedded GitHub, like steps of a workflow on a pull request: with the event that
 * the embedded GitHub prints. Each program runs twice, and must update its first comment in the second run.
 *
 *   node scripts/peers/run-peers.ts <name=path of the program ...>
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { observeGitHub } from '../../__tests__/support/observe-github.ts'
import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../src/emulator/github/repository-changes.ts'
import { type RepositoryState, createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { type Expected, type Peer, PEERS } from './peers.ts'

const MAX_RUN_MS = 60_000
const START_MS = Date.UTC(2026, 0, 1)

function publish(docs: RepositoryState, branch: string, filename: string, lines: readonly string[]): void {
  const patch = [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n')
  const files = [{ filename, status: 'added', additions: lines.length, patch }] as const
  pushCommit(docs, branch, { message: `Add ${filename}`, author: MAINTAINER, files }, START_MS)
}

/** Reads a pull request in the form of `Expected`. */
function describePull(docs: RepositoryState, pull: PullState) {
  return {
    comments: pull.comments.map(({ body }) => body),
    onLines: pull.reviewComments.map(({ path, line, body }) => `${path}:${line}: ${body}`),
    labels: pull.labels,
    statuses: docs.statuses.map(({ state }) => state),
  }
}

function findProblems(expected: Expected, found: ReturnType<typeof describePull>): readonly string[] {
  const { comments, onLines = [], labels = [], statuses = [] } = expected
  const hasAll = (written: readonly string[], wanted: readonly (readonly string[])[]): boolean =>
    written.length === wanted.length &&
    wanted.every((texts, index) => texts.every((one) => written[index]?.includes(one)))
  const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join()
  const areCommentsThere = hasAll(found.comments, comments) && hasAll(found.onLines, onLines)
  if (areCommentsThere && isSame(found.labels, labels) && isSame(found.statuses, statuses)) return []
  return [`Expected: ${JSON.stringify(expected, null, 2)}`, `Found: ${JSON.stringify(found, null, 2)}`]
}

async function runProgram(path: string, { args }: Peer, cwd: string, env: Readonly<Record<string, string>>) {
  const program = spawn(process.execPath, [path, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => program.kill('SIGKILL'), MAX_RUN_MS)
  const [output, errors] = await Promise.all([text(program.stdout), text(program.stderr), once(program, 'close')])
  clearTimeout(timer)
  return { exitCode: program.exitCode, printed: `${output}\n${errors}` }
}

/** Runs a program twice. Returns how the pull request differs from the expected one. */
async function runPeer(path: string, peer: Peer): Promise<readonly string[]> {
  const { path: folder, remove } = openScratchFolder('docs-agent-peer-')
  const eventFile = join(folder, 'event.json')
  const docs = createRepositoryState({ collaborators: { [MAINTAINER]: 'maintain' } })
  publish(docs, 'main', 'docs/index.md', ['# Index'])
  publish(docs, 'guide', 'docs/guide.md', ['# Guide', 'Read on.'])
  const observed = observeGitHub({
    state: { repositories: { 'acme/docs': docs } },
    onEvent: ({ name, payload }) => {
      if (name === 'pull_request') writeFileSync(eventFile, JSON.stringify(payload))
    },
  })
  const emulator = await startEmulator({ startMs: START_MS, github: observed.options })
  const pull = openPull(docs, 7, { branch: 'guide', title: 'Add a guide', user: MAINTAINER }, START_MS)
  emulator.catchUp()
  for (const [name, content] of Object.entries(peer.files)) writeFileSync(join(folder, name), content)
  const home = join(folder, 'home')
  mkdirSync(home)
  const summary = join(folder, 'summary.md')
  writeFileSync(summary, '')
  const { apiUrl, token } = emulator.github
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: 'peer',
    GITHUB_API_URL: apiUrl,
    // The name that Danger reads.
    DANGER_GITHUB_API_BASE_URL: apiUrl,
    GITHUB_TOKEN: token,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: eventFile,
    GITHUB_REF: 'refs/pull/7/merge',
    GITHUB_SHA: pull.headSha,
    GITHUB_WORKFLOW: 'Docs',
    GITHUB_JOB: 'docs',
    GITHUB_RUN_ID: '42',
    GITHUB_STEP_SUMMARY: summary,
  }
  try {
    for (const expected of peer.expected) {
      const { exitCode, printed } = await runProgram(path, peer, folder, env)
      const problems = [
        ...(exitCode === 0 ? [] : [`It ended with ${exitCode ?? 'a signal'}.`]),
        ...findProblems(expected, describePull(docs, pull)),
        ...observed.violations,
      ]
      if (problems.length > 0) return [...problems, `Requests: ${observed.requests.join(', ')}`, printed]
    }
    return []
  } finally {
    await emulator.close()
    remove()
  }
}

for (const argument of process.argv.slice(2)) {
  const [name = '', path = ''] = argument.split('=')
  const startedAt = performance.now()
  const peer = PEERS[name]
  const problems = peer === undefined ? [`There is no ${name} in peers.ts.`] : await runPeer(path, peer)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`${problems.length === 0 ? 'ok' : 'FAILED'} (${seconds} s): ${name}`)
  for (const problem of problems) console.log(problem.replaceAll(/^/gm, '    '))
  if (problems.length > 0) process.exitCode = 1
}
