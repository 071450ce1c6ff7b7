import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, jest, test } from '@jest/globals'
import { askService } from '../../src/rehearse/ask-service.ts'
import { startService, type StartedService } from '../../src/rehearse/start-service.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

/** Its time stands still: only the process itself decides how this ends. */
const patientClock: Clock = { now: () => 0, wallTime: () => new Date(0), sleep: () => sleep(5), turn: () => sleep(0) }

/** What every program here begins with. Its process id is the first line of its log. */
const PREAMBLE = "console.log('pid ' + process.pid)\n"

const SERVES = `
  const server = require('node:http').createServer((_, response) => {
    response.setHeader('service-instance', process.pid)
    response.end('x')
  })
  server.listen(0, '127.0.0.1', () => {
    console.log('listening http://127.0.0.1:' + server.address().port)
    console.log('  DOCS_AGENT_PROJECT_ID=docs-' + process.argv[2])
    console.log('  DOCS_AGENT_API_KEY=key')
    console.log('  GITHUB_API_URL=http://127.0.0.1:1/api/v3')
    console.log('  GITHUB_TOKEN=ghs_1')
    console.log('environment ' + JSON.stringify(process.env))
  })
`
const HANGS = 'setInterval(() => {}, 1000)'

interface Attempt {
  readonly logFile: string
  readonly starting: ReturnType<typeof startService>
}

function start(source: string, clock: Clock, signal: AbortSignal = new AbortController().signal): Attempt {
  const folder = temporaryFolder()
  const [program, logFile] = [join(folder, 'service.cjs'), join(folder, 'service.log')]
  writeFileSync(program, PREAMBLE + source)
  const env = { RUNNER_TRACKING_ID: 'run-1', ACTIONS_RUNTIME_TOKEN: 'secret' }
  return { logFile, starting: startService({ program, args: ['demo'], logFile, env }, { clock, signal }) }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function untilItEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(5)
}

function pidIn(logFile: string): number | undefined {
  const pid = /^pid (\d+)\n/.exec(readFileSync(logFile, 'utf8'))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** A process that has not said its id yet could not be looked for. */
async function untilItSaidItsId(logFile: () => string): Promise<void> {
  do await sleep(5)
  while (pidIn(logFile()) === undefined)
}

async function expectNothingRuns(logFile: string): Promise<void> {
  const pid = pidIn(logFile)
  if (pid === undefined) throw new Error('It was never started.')
  await untilItEnded(pid)
}

/** Ends the service before its folder goes: Windows does not remove what a process holds open. */
async function useService({ starting }: Attempt, use: (service: StartedService) => Promise<void>): Promise<void> {
  const service = await starting
  try {
    await use(service)
  } finally {
    process.kill(service.pid, 'SIGKILL')
    await untilItEnded(service.pid)
  }
}

test('the service answers before the step goes on, and got the tracking id and none of the tokens of the step', async () => {
  const attempt = start(SERVES, patientClock)
  await useService(attempt, async (service) => {
    expect(service).toMatchObject({ projectId: 'docs-demo', apiKey: 'key' })
    expect(await askService(service.baseUrl)).toBe(service.pid)
    while (!readFileSync(attempt.logFile, 'utf8').includes('environment')) await sleep(5)
    const log = readFileSync(attempt.logFile, 'utf8')
    expect(log).toContain(`pid ${service.pid}\n`)
    expect(log).toContain('"RUNNER_TRACKING_ID":"run-1"')
    expect(log).not.toContain('secret')
  })
})

test('a service that does not answer within a minute is ended', async () => {
  const clock = fakeClock()
  let itsId: Promise<void> | undefined
  const slow: Clock = {
    ...clock,
    sleep: async (ms, signal) => {
      await (itsId ??= untilItSaidItsId(() => attempt.logFile))
      await clock.sleep(ms, signal)
    },
  }
  const attempt = start(HANGS, slow)
  const { starting, logFile } = attempt
  await expect(starting).rejects.toMatchObject({ code: 'deadline' })
  await expectNothingRuns(logFile)
})

test('a cancelled start leaves nothing running', async () => {
  const cancel = new AbortController()
  const cancelled = new Error('cancelled')
  const clock: Clock = {
    ...patientClock,
    sleep: async (_, signal) => {
      await untilItSaidItsId(() => attempt.logFile)
      cancel.abort(cancelled)
      signal?.throwIfAborted()
    },
  }
  const attempt = start(HANGS, clock, cancel.signal)
  const { starting, logFile } = attempt
  await expect(starting).rejects.toBe(cancelled)
  await expectNothingRuns(logFile)
})
