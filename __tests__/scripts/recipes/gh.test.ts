import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { NODE_24 } from '../../../scripts/small-runner/node-24.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
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
  const docs = createRepositoryState({ labels: ['docs'], issues: { 8: createIssueState() } })
  const change = { message: 'Begin', author: 'mona', files: [{ filename: 'docs/index.md' }] }
  pushCommit(docs, 'main', change, 0)
  const { sha } = pushCommit(docs, 'guide', { ...change, message: 'Guide' }, 0)
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: 'ann', labels: ['docs'] }, 0)
  const emulator = await startEmulator({ github: { state: { repositories: { 'acme/docs': docs } } } })
  running.push(emulator)
  const folder = createTemporaryFolder()
  const env = {
    ARTIFACTS_FOLDER: folder,
    GH_TOKEN: emulator.github.token,
    GITHUB_API_URL: emulator.github.apiUrl,
    GITHUB_REPOSITORY: 'acme/docs',
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

test('changes, comments on and reviews a pull request, and creates an issue', async () => {
  const { docs, gh, link } = await start()
  await gh('pr', 'edit', link, '--add-label', 'ready')
  await gh('pr', 'comment', '7', '--repo', 'acme/docs', '--body', 'Well done.')
  await gh('pr', 'review', link, '--approve')
  expect(docs.pulls[7]).toMatchObject({
    labels: ['docs', 'ready'],
    comments: [{ body: 'Well done.' }],
    reviews: [{ state: 'APPROVED' }],
  })
  const [url] = await gh('issue', 'create', '--title', 'A page is missing', '--body', 'Which?')
  expect([url, docs.issues[101]?.title]).toEqual([
    expect.stringMatching(/\/acme\/docs\/issues\/101\n$/),
    'A page is missing',
  ])
})

test('reads pull requests as JSON', async () => {
  const { sha, gh, link } = await start()
  const read = async (...args: string[]): Promise<unknown> => JSON.parse((await gh(...args))[0])
  expect(await read('pr', 'view', link, '--json', 'state,headRefOid')).toEqual({ state: 'OPEN', headRefOid: sha })
  expect(await read('pr', 'list', '--label', 'docs', '--json', 'number')).toEqual([{ number: 7 }])
  expect(await read('pr', 'list', '--label', 'other', '--json', 'number')).toEqual([])
  expect(await read('api', 'repos/acme/docs/issues/7/comments', '-f', 'body=a=b')).toMatchObject({ body: 'a=b' })
})

test.each([
  [['pr', 'checks', '7'], 'gh: The command “pr checks” is not played.'],
  [['pr', 'merge', '7', '--squash', '--auto'], expect.stringContaining("gh: Unknown option '--auto'")],
  [['pr', 'merge', 'none', '--squash'], 'gh: There is no pull request “none”.'],
])('fails for %j', async (args, problem) => {
  const { gh } = await start()
  expect(await gh(...args)).toEqual(['', problem])
})
