import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { createCertificate } from '../../../src/emulator/http/self-signed-certificate.ts'
import { type Emulator, startEmulator } from '../../../src/emulator/server.ts'
import { playFollowUp } from '../../support/play-step.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { checkRun } from '../../support/github-state.ts'
import { listCodeBlocks, root } from '../../support/markdown-files.ts'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'
import type { Json } from './drive-github.ts'

/** Go reads SSL_CERT_FILE on Linux only. */
function hasGh(): boolean {
  if (process.platform !== 'linux') return false
  try {
    execFileSync('gh', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const testWithGh = hasGh() ? test : test.skip
const START = Date.UTC(2026, 0, 1)

const running: Emulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

/** Creates a repository with pull request 7 and one check, which runs for the first minute. */
function createRepositoryWithPull(fields: Partial<RepositoryState> = {}): RepositoryState {
  const docs = createRepositoryState({ labels: ['question'], collaborators: { [MAINTAINER]: 'maintain' }, ...fields })
  const file = (filename: string) => [{ filename, status: 'added', patch: '@@ -0,0 +1 @@\n+A line' } as const]
  pushCommit(docs, 'main', { message: 'Begin', author: MAINTAINER, files: file('docs/index.md') }, START)
  pushCommit(docs, 'guide', { message: 'Guide', author: MAINTAINER, files: file('docs/guide.md') }, START)
  const { headSha } = openPull(docs, 7, { branch: 'guide', title: 'Guide', user: MAINTAINER }, START - 60_000)
  docs.checkRuns.push(checkRun({ name: 'build', headSha, createdAtMs: START, completedAtMs: START + 60_000 }))
  return docs
}

interface CommandResult {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

async function startWithGh(fields?: Partial<RepositoryState>) {
  const clock = fakeClock()
  const certificate = createCertificate()
  const docs = createRepositoryWithPull(fields)
  const emulator = await startEmulator({
    clock,
    certificate,
    github: { state: { repositories: { 'acme/docs': docs } } },
  })
  running.push(emulator)
  const folder = createTemporaryFolder()
  // Some commands read the current branch.
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  const certificateFile = join(folder, 'cert.pem')
  writeFileSync(certificateFile, certificate.cert)
  const { host = '', token } = emulator.github
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GH_CONFIG_DIR: folder,
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_HOST: host,
    GH_ENTERPRISE_TOKEN: token,
    GH_REPO: 'acme/docs',
    SSL_CERT_FILE: certificateFile,
  }
  /** Runs gh in an empty repository, without a terminal. */
  const gh = (...args: readonly string[]): Promise<CommandResult> =>
    new Promise((resolve) => {
      execFile('gh', args, { cwd: folder, env }, (error, output, errors) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code), output, errors })
      })
    })
  /** Runs gh, expects success, and returns its output. */
  const read = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, output, errors } = await gh(...args)
    expect([args, exitCode, errors]).toEqual([args, 0, ''])
    return output.trimEnd()
  }
  return { clock, docs, gh, read }
}

testWithGh('gh shows pull requests, their checks, comments and labels', async () => {
  const { clock, docs, gh, read } = await startWithGh()
  expect(await read('pr', 'list')).toMatch(/^7\tGuide\tguide\tOPEN/)
  expect(await read('pr', 'list', '--state', 'merged')).toBe('')
  expect(await gh('pr', 'checks', '7')).toMatchObject({ output: expect.stringMatching(/^build\tpending/) })
  clock.advance(61_000)
  expect(await read('pr', 'checks', '7')).toMatch(/^build\tpass/)

  expect(await read('pr', 'comment', '7', '--body', 'Thank you')).toMatch(/\/acme\/docs\/pull\/7#issuecomment-\d+$/)
  await read('pr', 'edit', '7', '--add-label', 'question', '--title', 'The guide')
  const { title, labels, comments, files }: Json = JSON.parse(
    await read('pr', 'view', '7', '--json', 'title,labels,comments,files,mergeable,statusCheckRollup,reviews,commits'),
  )
  expect([title, labels[0].name, comments[0].body, files[0].path]).toEqual([
    'The guide',
    'question',
    'Thank you',
    'docs/guide.md',
  ])
  expect(docs.pulls[7]?.labels).toEqual(['question'])
  expect(await read('pr', 'diff', '7')).toContain('+++ b/docs/guide.md\n@@ -0,0 +1 @@\n+A line')
  expect(await read('pr', 'view', '7')).toMatch(/title:\tThe guide\nstate:\tOPEN/)
  expect(await read('api', 'repos/acme/docs/pulls/7', '--jq', '.title')).toBe('The guide')
  expect(await read('api', 'graphql', '-f', 'query={ viewer { login } }', '--jq', '.data.viewer.login')).toBe(
    'github-actions[bot]',
  )
})

testWithGh('gh merges only the expected head commit', async () => {
  const { docs, gh, read } = await startWithGh()
  const headSha = docs.pulls[7]?.headSha ?? ''
  const merge = (sha: string) => ['pr', 'merge', '7', '--squash', '--match-head-commit', sha]
  expect(await gh(...merge('0'.repeat(40)))).toMatchObject({ exitCode: 1 })
  expect(docs.pulls[7]?.state).toBe('open')
  await read(...merge(headSha))
  expect(docs.commits.find(({ sha }) => sha === docs.pulls[7]?.merge?.sha)?.message).toMatch(/^Guide \(#7\)/)
  expect(await read('pr', 'list')).toBe('')
})

testWithGh('gh pr merge --auto leaves the merge to GitHub until the required checks have passed', async () => {
  const protections = { main: { requiredChecks: ['build'], requiredApprovals: 0 } }
  const { clock, docs, gh, read } = await startWithGh({ protections })
  expect((await gh('pr', 'merge', '7', '--squash')).errors).toContain('is not mergeable')
  await read('pr', 'merge', '7', '--auto', '--squash')
  expect(docs.pulls[7]).toMatchObject({ state: 'open', autoMerge: { method: 'squash' } })
  clock.advance(61_000)
  expect(await read('pr', 'view', '7', '--json', 'state', '--jq', '.state')).toBe('MERGED')
})

testWithGh('gh creates, lists, changes and closes issues', async () => {
  const { docs, gh, read } = await startWithGh({ collaborators: { [MAINTAINER]: 'maintain' } })
  const created = await read(
    'issue',
    'create',
    '--title',
    'A page is missing',
    '--body',
    'Ask @mona.',
    '--label',
    'question',
  )
  expect(created).toMatch(/\/acme\/docs\/issues\/101$/)
  await read('issue', 'comment', '101', '--body', 'Which one?')
  await read('issue', 'edit', '101', '--title', 'The guide is missing')
  expect(await read('issue', 'list')).toMatch(/^101\tOPEN\tThe guide is missing\tquestion\t/)
  expect(await read('issue', 'list', '--label', 'other')).toBe('')
  expect(await read('issue', 'list', '--mention', MAINTAINER)).toContain('The guide is missing')
  expect(await read('issue', 'list', '--assignee', MAINTAINER)).toBe('')
  expect(await read('issue', 'view', '101', '--comments')).toContain('Which one?')
  expect(await read('issue', 'status')).toMatch(/Issues opened by you\n\s+101\tOPEN\t/)
  expect(await gh('issue', 'close', '101')).toMatchObject({ exitCode: 0 })
  expect([docs.issues[101]?.state, await read('issue', 'list')]).toEqual(['closed', ''])
})

testWithGh('gh lists labels, and creates and deletes them', async () => {
  const { docs, read } = await startWithGh()
  await read('label', 'create', 'guide', '--color', '0e8a16', '--description', 'About the guide')
  expect(await read('label', 'list')).toBe('question\t\t#ededed\nguide\tAbout the guide\t#0e8a16')
  expect(await read('label', 'list', '--search', 'about')).toMatch(/^guide\t/)
  await read('label', 'delete', 'guide', '--yes')
  expect(docs.labels).toEqual(['question'])
})

testWithGh('gh shows which pull requests concern the token’s user', async () => {
  const { docs, read } = await startWithGh()
  expect(await read('pr', 'status')).toContain('You have no pull requests to review')
  const atMs = docs.pulls[7]?.createdAtMs ?? 0
  const event = { id: 1, event: 'review_requested', actor: MAINTAINER, name: 'github-actions[bot]', atMs } as const
  docs.pulls[7]?.reviewEvents.push(event)
  expect(await read('pr', 'status')).toMatch(/Requesting a code review from you\n\s+#7\s+Guide/)
})

testWithGh('gh counts the turns of a month with the command of the docs', async () => {
  const [shell = ''] = listCodeBlocks(readFileSync(`${root}docs/limit-costs.md`, 'utf8'), 'shell')
  const [, flags = '', jq = ''] = /^gh (pr list .*) --jq '([^']*)'$/s.exec(shell.trim()) ?? []
  const first = await playFollowUp({}, { turns: [{}, {}, { ending: 'no-changes' }] })
  const second = await playFollowUp({}, { after: first })
  const { docs, read } = await startWithGh()
  const { 7: pull } = docs.pulls
  pull?.labels.push('docs-agent')
  pull?.comments.push(...(second.docs.pulls[1]?.comments ?? []))
  expect(pull?.comments.map(({ body }) => body)).toMatchObject([
    expect.stringMatching(/1 new commit(.*\n)+.*nothing to change/),
  ])
  expect(JSON.parse(await read(...flags.split(' '), '--jq', jq))).toEqual({ turns: 2, changed: 1 })
})

testWithGh('gh starts workflows, and lists and shows their runs', async () => {
  const { docs, read } = await startWithGh()
  expect(await read('workflow', 'list')).toBe('ci.yml\tactive\t1\ndocs.yml\tactive\t2')
  await read('workflow', 'run', 'docs.yml', '--ref', 'main')
  expect(await read('run', 'list')).toMatch(/^queued\t\tdocs\.yml\tdocs\.yml\tmain\tworkflow_dispatch\t/)
  const { id = 0, headSha = '' } = docs.workflowRuns[0] ?? {}
  const times = { createdAtMs: START, startedAtMs: START, completedAtMs: START }
  docs.checkRuns.push(checkRun({ id: 5, name: 'pages', headSha, runId: id, ...times }))
  expect(await read('run', 'view', String(id))).toContain('✓ pages in 0s (ID 5)')
  expect(await read('run', 'list', '--workflow', 'ci.yml')).toBe('')
})

testWithGh('gh reports an unsupported query', async () => {
  const { gh } = await startWithGh()
  const { exitCode, errors } = await gh('release', 'list')
  expect(exitCode).toBe(1)
  expect(errors).toContain('The embedded GitHub does not play the GraphQL query RepositoryReleaseList: ')
})
