import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { preload } from '../../scripts/small-runner/preload.ts'
import type { RunOptions, RunResult } from '../../scripts/small-runner/run-action.ts'
import type { Rehearsal } from '../../src/action/rehearsal.ts'
import { runPackaged } from '../../testing/bundle-run.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

const runnerTemp = createTemporaryFolder()
const IN_OWN_REPOSITORY = { GITHUB_REPOSITORY: 'me/code' }

/** All steps of a job share `RUNNER_TEMP`, so the folder outlives each run. */
const rehearse = (options: Omit<RunOptions, 'action'>): Promise<RunResult> =>
  runPackaged('emulator', { env: { RUNNER_TEMP: runnerTemp }, ...options })

const responds = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** What a workflow's secrets and variables contain. Nothing of it may be used. */
const REAL = {
  'api-key': 'docs_real_key_0123456789',
  'base-url': 'https://docs.example.com',
  'github-token': 'ghs_real0123456789',
  'project-id': 'my-docs',
}

const WARNING = { level: 'warning', message: expect.stringContaining('This is a rehearsal') as unknown }

test('after a rehearsal, steps use its service and GitHub, and the post step stops it and shows its log', async () => {
  const rehearsal = await rehearse({
    inputs: { speed: '20' },
    env: { RUNNER_TEMP: runnerTemp, ...IN_OWN_REPOSITORY },
  })
  expect(rehearsal).toMatchObject({ conclusion: 'success', annotations: [], masks: [], outputs: {} })
  expect(Object.keys(rehearsal.exported)).toEqual(['DOCS_AGENT_REHEARSAL'])
  const access = JSON.parse(rehearsal.exported['DOCS_AGENT_REHEARSAL'] ?? '{}') as Rehearsal
  const { folder } = JSON.parse(rehearsal.state['service'] ?? '{}') as { folder: string }
  expect(rehearsal.addedPaths).toEqual([folder])
  expect(await responds(access.service)).toBe(true)
  expect(existsSync(join(folder, 'gh'))).toBe(true)

  // A proxy that does not exist: a request to another machine, or through the proxy, would fail.
  const proxy = 'http://127.0.0.1:1'
  const real = { ...rehearsal.exported, ...IN_OWN_REPOSITORY, HTTPS_PROXY: proxy, HTTP_PROXY: proxy }
  const env = { ...real, ...preload(timesFaster(10)) }
  const inputs = { prompt: 'Document the --dry-run flag.', 'poll-interval-seconds': '0.1' }
  const rolling = {
    ...inputs,
    ...REAL,
    'on-open-pr': 'follow-up',
    'pr-repository': 'me/docs',
    'change-context': 'files',
  }
  const first = await runPackaged('.', { inputs: rolling, env })
  const result = JSON.parse(first.outputs['result'] ?? '{}') as { readonly rehearsal: boolean }
  expect(first).toMatchObject({ conclusion: 'success', outputs: { outcome: 'pull-request', 'job-id': 'job_000001' } })
  expect([first.annotations[0], result.rehearsal]).toEqual([expect.objectContaining(WARNING), true])
  expect(first.outputs['pr-link']).toMatch(new RegExp(`^${access.server}/me/docs/pull/\\d+$`))
  expect(first.summary).toMatch(/^## \S+ Rehearsal · .* · Docs agent · /)
  expect(first.masks).toEqual(expect.arrayContaining([REAL['api-key'], REAL['github-token']]))

  // Without a key, as in a fork. The pull request of the first step is open.
  const second = await runPackaged('.', {
    inputs: { ...rolling, 'api-key': '', 'base-url': '', 'github-token': '' },
    env,
  })
  expect(second).toMatchObject({
    conclusion: 'success',
    outputs: { 'job-id': 'job_000001', 'pr-link': first.outputs['pr-link'] },
  })

  const visitors = await runPackaged('visitors', {
    inputs: { 'project-id': 'my-docs', 'api-key': '' },
    workspace: createTemporaryFolder(),
    env,
  })
  expect(visitors).toMatchObject({ conclusion: 'success', outputs: { complete: 'true' } })
  expect(visitors.annotations).toEqual([expect.objectContaining(WARNING)])
  expect(visitors.summary).toMatch(/^## \S+ Rehearsal · .* · Docs visitors · /)

  const post = await rehearse({ stage: 'post', state: rehearsal.state })
  expect(post).toMatchObject({ conclusion: 'success', annotations: [] })
  while (await responds(access.service));
  const log = post.rawOutput
  expect(log).not.toMatch(/Ctrl-C|npm start/)
  expect(log).toMatch(/::group::Log of .*[^]*POST \/v2\/agent\/my-docs\/job -> \d+[^]*::endgroup::/)
  expect(existsSync(folder)).toBe(false)

  // Not the service's own process: in some containers, a process without a parent keeps its id after its end.
  const { pid } = spawnSync(process.execPath, ['--version'])
  const again = await rehearse({ stage: 'post', state: { service: JSON.stringify({ pid, folder }) } })
  expect(again.conclusion).toBe('success')
  expect(again.annotations).toMatchObject([{ message: expect.stringContaining('ended before the job') }])
})

test('a step on a pull request, which only the real GitHub has, works like any other', async () => {
  const runner = { RUNNER_TEMP: runnerTemp, ...IN_OWN_REPOSITORY }
  const rehearsal = await rehearse({ inputs: { speed: '20' }, env: runner })
  const mona = { login: 'mona', type: 'User' }
  const branch = (sha: string, ref: string) => ({ sha: sha.repeat(40), ref, repo: { full_name: 'me/code' } })
  const pull_request = { number: 123, user: mona, base: branch('a', 'main'), head: branch('b', 'topic') }
  const step = await runPackaged('.', {
    inputs: { ...REAL, prompt: 'Document it.', 'change-context': 'files', 'poll-interval-seconds': '0.1' },
    env: { ...rehearsal.exported, ...runner, ...preload(timesFaster(10)) },
    eventName: 'pull_request',
    event: { action: 'opened', number: 123, pull_request, repository: { full_name: 'me/code' }, sender: mona },
  })
  await rehearse({ stage: 'post', state: rehearsal.state })
  expect(step).toMatchObject({ conclusion: 'success', outputs: { outcome: 'pull-request' } })
})

test('a rehearsal on another machine is ignored with a warning', async () => {
  const url = 'https://docs.example.com'
  const rehearsal = { service: url, api: url, server: url, key: 'docs_other', token: 'ghs_other' }
  const step = await runPackaged('.', {
    inputs: { prompt: 'Fix it.', 'dry-run': 'true', 'project-id': 'my-docs', 'github-token': '' },
    env: { DOCS_AGENT_REHEARSAL: JSON.stringify(rehearsal) },
  })
  const result = JSON.parse(step.outputs['result'] ?? '{}') as { readonly rehearsal: boolean }
  expect(step).toMatchObject({ conclusion: 'success', outputs: { outcome: 'previewed' } })
  expect(step.annotations).toMatchObject([{ message: expect.stringContaining('`DOCS_AGENT_REHEARSAL` is ignored') }])
  expect(result.rehearsal).toBe(false)
})

test('invalid inputs and a port in use cause one clear error each, and the post step then does nothing', async () => {
  const first = await rehearse({ inputs: {} })
  const { service } = JSON.parse(first.exported['DOCS_AGENT_REHEARSAL'] ?? '{}') as Rehearsal
  const { port } = new URL(service)
  const [second, wrong] = await Promise.all([
    rehearse({ inputs: { port } }),
    rehearse({ inputs: { scenario: 'nice', speed: 'fast' } }),
  ])
  await rehearse({ stage: 'post', state: first.state })
  for (const [run, part] of [
    [second, 'EADDRINUSE'],
    [wrong, '`speed` must be a number from 0.001 to 10000'],
  ] as const) {
    expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, exported: {} })
    expect(run.annotations.map(({ message }) => message)).toEqual([expect.stringContaining(part)])
  }
  const post = await rehearse({ stage: 'post', state: wrong.state })
  expect(post).toMatchObject({ conclusion: 'success', annotations: [] })
  expect(post.rawOutput).toContain('There is no service to stop')
})

test('a rehearsal whose state cannot be saved is red with one error, and redirects nothing', async () => {
  const env = { RUNNER_TEMP: runnerTemp, ...preload(`process.env.GITHUB_STATE = ${JSON.stringify(runnerTemp)}`) }
  const run = await rehearse({ inputs: {}, env })
  expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, exported: {} })
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'Internal error' }])
  expect(run.rawOutput).toContain('EISDIR')
})

const program = fileURLToPath(new URL('../../dist/emulator/index.js', import.meta.url))

test('the embedded service continues if its log is closed', async () => {
  const service = spawn(process.execPath, [program, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(service, 'exit')
  try {
    let output = ''
    for await (const chunk of service.stdout) {
      output += String(chunk)
      if (output.includes('Requests:\n')) break
    }
    service.stdout.destroy()
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
    for (let request = 1; request <= 3; request++)
      expect((await fetch(`${url}/v2/agent/docs/job/job_1`)).status).toBe(401)
  } finally {
    service.kill()
    await ended
  }
})

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly engines: { readonly node: string }
}
const START = fileURLToPath(new URL('../../dist/start/index.js', import.meta.url))

test('npm start ends without an error if its output is closed', async () => {
  const list = spawn(process.execPath, [START], { stdio: ['ignore', 'pipe', 'pipe'] })
  list.stdout.destroy()
  const output = text(list.stderr)
  expect(await once(list, 'exit')).toEqual([0, null])
  expect(await output).toBe('')
})

test.each(['18.20.8', '20.10.0'])(
  'npm start says in one sentence on Node.js %s which version it needs',
  async (version) => {
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
    const start = spawn(process.execPath, ['--import', older, START], { stdio: ['ignore', 'ignore', 'pipe'] })
    const output = text(start.stderr)
    expect(await once(start, 'exit')).toEqual([2, null])
    const [, oldest = ''] = /^>=([\d.]+)$/.exec(engines.node) ?? []
    expect(await output).toMatch(/^npm start needs Node\.js [\d.]+ or newer\. This is v[\d.]+\.\n$/)
    expect(await output).toContain(` ${oldest} or newer`)
  },
)
