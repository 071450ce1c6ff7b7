import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { NODE_24 } from '../../../scripts/small-runner/node-24.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type Emulator, startEmulator } from '../../../src/emulator/server.ts'
import { root } from '../../support/markdown-files.ts'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'

const running: Emulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

/** Starts an embedded GitHub with pull request 7, and returns its state and a function that calls `gh`. */
async function start() {
  const docs = createRepositoryState()
  const change = { message: 'Begin', author: 'mona', files: [{ filename: 'docs/index.md' }] }
  pushCommit(docs, 'main', change, 0)
  const { sha } = pushCommit(docs, 'guide', { ...change, message: 'Guide' }, 0)
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: 'ann' }, 0)
  const emulator = await startEmulator({ github: { state: { repositories: { 'acme/docs': docs } } } })
  running.push(emulator)
  const folder = createTemporaryFolder()
  const env = {
    ARTIFACTS_FOLDER: folder,
    GH_TOKEN: emulator.github.token,
    GITHUB_API_URL: emulator.github.apiUrl,
  }
  const gh = async (...args: string[]): Promise<readonly [printed: string, problem: string]> => {
    const child = spawn(NODE_24, [join(root, 'scripts/recipes/stand-ins/gh.ts'), ...args], { env })
    const [printed, problem] = await Promise.all([text(child.stdout), text(child.stderr)])
    return [printed, problem.trim()]
  }
  const readLog = () => readFileSync(join(folder, 'gh.log'), 'utf8').trimEnd().split('\n')
  return { docs, sha, gh, readLog, link: `${emulator.url}/acme/docs/pull/7` }
}

test('merges a pull request only at the given head, and logs the commands', async () => {
  const { docs, sha, gh, readLog, link } = await start()
  const [, problem] = await gh('pr', 'merge', link, '--squash', '--match-head-commit', 'f'.repeat(40))
  expect(problem).toBe('gh: Head branch was modified. Review and try the merge again. (HTTP 409)')
  expect(await gh('pr', 'merge', link, '--squash', '--match-head-commit', sha)).toEqual(['', ''])
  expect(docs.pulls[7]?.merge).toBeDefined()
  expect(readLog().map((line) => line.split(' ', 2).join(' '))).toEqual(['pr merge', 'pr merge'])
})

test('updates a branch that is behind, and leaves one that is up to date', async () => {
  const { docs, sha, gh, link } = await start()
  expect(await gh('pr', 'update-branch', link)).toEqual(['', ''])
  expect(docs.pulls[7]?.headSha).toBe(sha)
  pushCommit(docs, 'main', { message: 'Go on', author: 'mona', files: [] }, 0)
  expect(await gh('pr', 'update-branch', link)).toEqual(['', ''])
  expect(docs.pulls[7]?.headSha).not.toBe(sha)
})

test('comments on a pull request', async () => {
  const { docs, gh } = await start()
  expect(await gh('api', 'repos/acme/docs/issues/7/comments', '-f', 'body=a=b\nc', '--silent')).toEqual(['', ''])
  expect(docs.pulls[7]?.comments).toMatchObject([{ body: 'a=b\nc' }])
})

test.each([
  [['pr', 'checks', '7'], 'gh: The command “pr checks” is not played.'],
  [['pr', 'merge', '7', '--squash', '--auto'], expect.stringContaining("gh: Unknown option '--auto'")],
  [['pr', 'merge', '7', '--squash'], 'gh: There is no pull request “7”.'],
])('fails for %j', async (args, problem) => {
  const { gh } = await start()
  expect(await gh(...args)).toEqual(['', problem])
})
