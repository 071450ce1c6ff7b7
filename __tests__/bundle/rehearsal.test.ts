import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { preload } from '../../scripts/small-runner/preload.ts'
import type { RunOptions, RunResult } from '../../scripts/small-runner/run-action.ts'
import { isRunning, type RunningService } from '../../src/rehearse/service-process.ts'
import { runPackaged } from '../support/bundle-run.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const runnerTemp = createTemporaryFolder()

/** All steps of a job share `RUNNER_TEMP`, so the folder outlives each run. */
const rehearse = (options: Omit<RunOptions, 'action'>): Promise<RunResult> =>
  runPackaged('emulator', { env: { RUNNER_TEMP: runnerTemp }, ...options })

test('a rehearsal starts the service, an agent step runs against it, and the post step stops it and shows its log', async () => {
  const rehearsal = await rehearse({ inputs: { scenario: 'no-changes', speed: '1000' } })
  expect(rehearsal).toMatchObject({ conclusion: 'success', annotations: [], masks: [] })
  const { 'base-url': baseUrl = '', 'project-id': projectId = '', 'api-key': apiKey = '' } = rehearsal.outputs
  const { 'github-host': host, 'github-certificate': certificate = '', ...others } = rehearsal.outputs
  expect(Object.keys(others).sort()).toEqual(['api-key', 'base-url', 'github-api-url', 'github-token', 'project-id'])
  expect(host).toMatch(/^127\.0\.0\.1:\d+$/)
  expect(readFileSync(certificate, 'utf8')).toContain('BEGIN CERTIFICATE')
  const { logFile, ...service } = JSON.parse(rehearsal.state['service'] ?? '{}') as RunningService & { logFile: string }
  expect(service.baseUrl).toBe(baseUrl)
  expect(await isRunning(service)).toBe(true)

  const access = { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey }
  const inputs = { prompt: 'Document the --dry-run flag.', 'poll-interval-seconds': '0.1', ...access }
  const agent = await runPackaged('.', { inputs })
  expect(agent).toMatchObject({ conclusion: 'success', outputs: { outcome: 'no-changes', 'job-id': 'job_000001' } })

  const post = await rehearse({ stage: 'post', state: rehearsal.state })
  expect(post).toMatchObject({ conclusion: 'success', annotations: [] })
  expect(await isRunning(service)).toBe(false)
  const log = post.rawOutput
  expect(log).not.toMatch(/Ctrl-C|npm start/)
  expect(log).toMatch(/::group::Log of .*[^]*POST \/v2\/agent\/docs-demo\/job -> \d+[^]*::endgroup::/)
  expect([existsSync(logFile), existsSync(certificate)]).toEqual([false, false])

  const again = await rehearse({ stage: 'post', state: rehearsal.state })
  expect(again.conclusion).toBe('success')
  expect(again.annotations).toMatchObject([{ message: expect.stringContaining('ended before the job') }])
})

test('invalid inputs and a port in use cause one clear error each, and the post step then does nothing', async () => {
  const first = await rehearse({ inputs: {} })
  const port = new URL(first.outputs['base-url'] ?? '').port
  const [second, wrong] = await Promise.all([
    rehearse({ inputs: { port } }),
    rehearse({ inputs: { scenario: 'nice', speed: 'fast' } }),
  ])
  await rehearse({ stage: 'post', state: first.state })
  for (const [run, part] of [
    [second, 'EADDRINUSE'],
    [wrong, '`speed` must be a number from 0.001 to 10000'],
  ] as const) {
    expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: {} })
    expect(run.annotations.map(({ message }) => message)).toEqual([expect.stringContaining(part)])
  }
  const post = await rehearse({ stage: 'post', state: wrong.state })
  expect(post).toMatchObject({ conclusion: 'success', annotations: [] })
  expect(post.rawOutput).toContain('There is no service to stop')
})

test('a rehearsal whose state cannot be saved is red with one error and no stack trace', async () => {
  const env = { RUNNER_TEMP: runnerTemp, ...preload(`process.env.GITHUB_STATE = ${JSON.stringify(runnerTemp)}`) }
  const run = await rehearse({ inputs: {}, env })
  expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: {} })
  expect(run.annotations.map(({ message }) => message)).toEqual([expect.stringContaining('`GITHUB_STATE`')])
  expect(run.rawOutput).not.toMatch(/^ +at /m)
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
