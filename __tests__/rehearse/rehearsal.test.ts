import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type { StepResult, Host } from '../../src/action/step.ts'
import { readRehearsal } from '../../src/action/rehearsal.ts'
import { rehearse } from '../../src/rehearse/rehearsal.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

const ACCESS = { api: 'http://127.0.0.1/api/v3', server: 'http://127.0.0.1', key: 'docs_key', token: 'ghs_token' }

const SERVES = `
  const server = require('node:http').createServer((_, response) => response.end('x'))
  server.listen(0, '127.0.0.1', () => {
    console.log('started with ' + process.argv.slice(2).join(' ') + JSON.stringify(process.env))
    const access = { ...${JSON.stringify(ACCESS)}, service: 'http://127.0.0.1:' + server.address().port }
    process.send(access)
  })
  process.on('SIGTERM', () => console.log('does not end'))
`

/** A clock that does not advance, so that no timeout occurs. */
const STOPPED_CLOCK: Clock = {
  now: () => 0,
  wallTime: () => new Date(0),
  sleep: (_ms, end) => (end === undefined ? sleep(5) : new Promise(() => undefined)),
  yieldToEventLoop: () => sleep(0),
}

interface Steps {
  /** Runs the main step when called first, then the post step. */
  readonly step: () => Promise<StepResult>
  readonly hostCalls: readonly string[]
  readonly logs: () => readonly string[]
  /** Returns once the service of the main step has ended. */
  readonly untilEnded: () => Promise<void>
}

/** The main step and the post step of one action, which share the saved state. */
function steps(
  source: string,
  { inputs = {}, ...fields }: Partial<Host> & { inputs?: Record<string, string> } = {},
): Steps {
  const folder = createTemporaryFolder()
  const program = join(folder, 'service.cjs')
  writeFileSync(program, source)
  const runner = fakeRunner(inputs)
  const run = { GITHUB_REPOSITORY: 'me/guide', RUNNER_TRACKING_ID: 'run-1', GITHUB_TOKEN: 'secret' }
  const { signal } = new AbortController()
  const host = { runner, clock: STOPPED_CLOCK, signal, startedAt: 0, env: { RUNNER_TEMP: folder, ...run }, ...fields }
  const logNames = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.log'))
  const logs = (): string[] => logNames().map((name) => readFileSync(join(folder, name), 'utf8'))
  const untilEnded = (): Promise<void> => waitForEnd((JSON.parse(runner.savedState('service')) as { pid: number }).pid)
  return { step: () => rehearse(program, host), hostCalls: runner.calls, logs, untilEnded }
}

async function waitForEnd(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(0)
  while (isRunning(pid)) await sleep(5)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The values of the calls of one kind. */
const listCalls = (hostCalls: readonly string[], kind: string): readonly string[] =>
  hostCalls.filter((line) => line.startsWith(`${kind}: `)).map((line) => line.slice(kind.length + 2))

test('starts the service in the main step and redirects later steps to it, and stops it in the post step', async () => {
  const { step, hostCalls, logs, untilEnded } = steps(SERVES, { inputs: { 'github-scenario': 'checks-fail' } })
  expect(await step()).toMatchObject({ isGreen: true, outputs: {} })
  const [variable = ''] = listCalls(hostCalls, 'env')
  const rehearsal = readRehearsal({ DOCS_AGENT_REHEARSAL: variable.replace(/^DOCS_AGENT_REHEARSAL \| /, '') })
  expect(rehearsal).toEqual({ ...ACCESS, service: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  expect(logs()).toHaveLength(1)

  expect(await step()).toMatchObject({ isGreen: true, title: 'The embedded documentation service was stopped' })
  const log = hostCalls.find((line) => line.startsWith('log: started with')) ?? ''
  expect(log).toContain('--github-scenario=checks-fail')
  expect(log).toContain('--github-repository=me/guide')
  // The service outlives the step, so it receives the tracking id but no token.
  expect(log).toContain('"RUNNER_TRACKING_ID":"run-1"')
  expect(log).not.toContain('secret')
  expect(hostCalls.join()).not.toContain('mask')
  expect(logs()).toEqual([])
  expect(listCalls(hostCalls, 'warn')).toEqual([])
  await untilEnded()
})

test('warns in the post step if the service ended before the job, and shows its log', async () => {
  const { step, hostCalls, logs, untilEnded } = steps(`${SERVES}; process.on('disconnect', process.exit)`)
  await step()
  await untilEnded()
  expect(await step()).toMatchObject({ isGreen: true, title: 'The service had already ended' })
  expect(listCalls(hostCalls, 'log')).toEqual([expect.stringMatching(/^started with /)])
  expect(listCalls(hostCalls, 'warn')).toEqual([expect.stringContaining('ended before the job')])
  expect(logs()).toEqual([])
})

test('reports in the post step that the service received no requests', async () => {
  const { step, hostCalls } = steps(SERVES.replace(/console\.log.*/, "console.log('listening x\\n\\nRequests:')"))
  await step()
  await step()
  expect(hostCalls).toContain('log: The service received no requests.')
})

test('shows the end of a long log in the post step', async () => {
  const requests = "for (let index = 1; index <= 50_000; index++) console.log('request ' + index + 'x'.repeat(40))"
  const { step, hostCalls } = steps(SERVES.replace(/console\.log.*/, requests))
  await step()
  await step()
  const lines = hostCalls.filter((line) => line.startsWith('log: request '))
  expect(lines.at(-1)).toBe(`log: request 50000${'x'.repeat(40)}`)
  expect(lines).toHaveLength(2_000)
})

test('stops a service whose state cannot be saved', async () => {
  const host = fakeRunner({})
  let saved = 0
  let pid = 0
  const saveState = (name: string, value: string): void => {
    if (++saved === 1) {
      host.saveState(name, value)
      return
    }
    ;({ pid } = JSON.parse(value) as { pid: number })
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  const { step } = steps(SERVES, { runner: { ...host, saveState } })
  await expect(step()).rejects.toThrow('no space left')
  await waitForEnd(pid)
})

test('stops the service if later steps cannot be redirected', async () => {
  const exportVariable = (): never => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  const host = fakeRunner({})
  const { step, logs } = steps(SERVES, { runner: { ...host, exportVariable } })
  await expect(step()).rejects.toThrow('no space left')
  await waitForEnd((JSON.parse(host.savedState('service')) as { pid: number }).pid)
  expect(logs()).toEqual([])
})

test.each([null, 7, [], {}, ...[0, -1, 1.5, '1'].map((pid) => ({ pid, folder: 'x' })), { pid: 1, folder: '' }])(
  'stops no service for the saved state %j',
  async (saved) => {
    const runner = { ...fakeRunner(), savedState: () => JSON.stringify(saved) }
    expect(await steps('', { runner }).step()).toMatchObject({ isGreen: true, title: 'There is no service to stop' })
  },
)

describe('a start that fails', () => {
  test.each([
    [
      'with a complaint',
      "console.error('error: --github-scenario must be nicer.')",
      '`github-scenario` must be nicer.',
    ],
    ['without a word', '', 'The service ended before it was ready.'],
  ])('fails and leaves no log if the service ends %s', async (_how, source, text) => {
    const { step, logs } = steps(source)
    expect(await step()).toMatchObject({
      isGreen: false,
      title: 'The rehearsal did not start',
      text,
      advice: 'Correct the `with:` block of this step.',
      outputs: {},
    })
    expect(logs()).toEqual([])
    expect(await step()).toMatchObject({ isGreen: true, title: 'There is no service to stop' })
  })

  /** Starts a program that hangs, and waits for its end after the start has failed. */
  async function startHanging(clock: Clock, signal = new AbortController().signal): Promise<StepResult> {
    let pid = 0
    const slow: Clock['sleep'] = async (ms, end) => {
      // Without its process id there is nothing to look for.
      for (; pid === 0; pid = Number(logs().join())) await sleep(5)
      await clock.sleep(ms, end)
    }
    const hangs = 'console.log(process.pid); setInterval(() => {}, 1000)'
    const { step, logs } = steps(hangs, { clock: { ...clock, sleep: slow }, signal })
    try {
      return await step()
    } finally {
      await waitForEnd(pid)
    }
  }

  test('kills a service that does not respond within a minute', async () => {
    const text = 'The service did not respond within 60 seconds.'
    expect(await startHanging(fakeClock())).toMatchObject({ isGreen: false, text })
  })

  test('leaves no process running after a cancelled start', async () => {
    const run = new AbortController()
    const cancelled = new Error('cancelled')
    const onSleep = (): void => {
      run.abort(cancelled)
    }
    await expect(startHanging(fakeClock({ onSleep }), run.signal)).rejects.toBe(cancelled)
  })
})

/** Starts a service, and prints its process id and the files that are open then. Only Linux lists these. */
const STARTS = `
  import { existsSync, readdirSync, readlinkSync } from 'node:fs'
  const [, source, program, log] = process.argv
  const { startService } = await import(source + 'rehearse/service-process.ts')
  const { systemClock } = await import(source + 'runtime/clock.ts')
  const { signal } = new AbortController()
  const { pid } = await startService([program], log, { clock: systemClock, env: process.env, signal })
  const folder = '/proc/self/fd/'
  const open = existsSync(folder) ? readdirSync(folder).filter((name) => existsSync(folder + name)) : []
  console.log(JSON.stringify({ pid, files: open.map((name) => readlinkSync(folder + name)) }))
`

test('ends while the started service runs, and does not keep its log open', () => {
  const folder = createTemporaryFolder()
  const [program, log] = [join(folder, 'service.cjs'), join(folder, 'service.log')]
  writeFileSync(program, SERVES)
  const source = new URL('../../src/', import.meta.url).href
  const args = ['--no-warnings', '--input-type=module', '--eval', STARTS, source, program, log]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 })
  const { pid, files } = JSON.parse(stdout) as { readonly pid: number; readonly files: readonly string[] }
  process.kill(pid, 'SIGKILL')
  expect(status).toBe(0)
  expect(files).not.toContain(log)
})
