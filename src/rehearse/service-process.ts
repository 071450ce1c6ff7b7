import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import { readServiceAccess, toInputWords, type ServiceAccess } from './service-words.ts'

const LOOK_AGAIN_MS = 50
const LONGEST_ANSWER_MS = 2_000

/**
 * Who answers at an address of this machine: the process id that the embedded service tells with each answer, `stranger`
 * where the answer has none, and `nobody` where there is no answer. A proxy is never asked.
 */
export function askService(baseUrl: string): Promise<number | 'stranger' | 'nobody'> {
  return new Promise((resolve) => {
    const request = http.get(`${baseUrl}/`, { agent: new http.Agent(), timeout: LONGEST_ANSWER_MS }, (response) => {
      response.resume()
      const instance = response.headers['service-instance']
      resolve(typeof instance === 'string' && /^\d+$/.test(instance) ? Number(instance) : 'stranger')
    })
    request.on('timeout', () => {
      request.destroy()
    })
    request.on('error', () => {
      resolve('nobody')
    })
    request.on('close', () => {
      resolve('nobody')
    })
  })
}

/** A busy runner can take seconds to start a process. */
const LONGEST_START_MS = 60_000

/**
 * All that the service gets of the environment. It lives on after the step, so it is given none of the step's tokens. With
 * the tracking id the runner ends it where the post step never comes.
 */
const FROM_THE_ENVIRONMENT = ['RUNNER_TRACKING_ID', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']

interface StartOptions {
  readonly program: string
  readonly args: readonly string[]
  /** A file that is not there yet. The service writes its log to it. */
  readonly logFile: string
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface StartedService extends ServiceAccess {
  readonly pid: number
}

/** A process that outlives this one: it has files for its streams, as a pipe would end with this process. */
function spawnDetached({ program, args, logFile, env }: StartOptions): ChildProcess {
  const log = fs.openSync(logFile, 'ax')
  try {
    return spawn(process.execPath, [program, ...args], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
      env: Object.fromEntries(FROM_THE_ENVIRONMENT.map((name) => [name, env[name]])),
    })
  } finally {
    fs.closeSync(log)
  }
}

async function untilItAnswers(child: ChildProcess, { logFile, clock, signal }: StartOptions): Promise<StartedService> {
  let startError: Error | undefined
  child.once('error', (error) => (startError = error))
  const deadlineAt = clock.now() + LONGEST_START_MS
  for (;;) {
    // In this order: a service that ended has written all that it will ever write.
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    const log = fs.readFileSync(logFile, 'utf8')
    if (startError !== undefined) throw new ActionError('unreachable', `Node.js did not start: ${startError.message}.`)
    if (hasEnded) {
      throw new ActionError('invalid-input', toInputWords(log) || 'The service ended before it was ready.', {
        hint: 'Correct the `with:` block of this step.',
      })
    }
    const access = readServiceAccess(log)
    if (access !== undefined && child.pid !== undefined && (await askService(access.baseUrl)) === child.pid) {
      return { ...access, pid: child.pid }
    }
    if (clock.now() >= deadlineAt) {
      throw new ActionError('deadline', `The service did not answer within ${LONGEST_START_MS / 1000} seconds.`)
    }
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}

/**
 * Starts the embedded service in the background and returns once it answers. It goes on when this process ends.
 * @throws ActionError if it does not come up, a wrong input included, or the signal aborts; nothing is left running then
 */
export async function startService(options: StartOptions): Promise<StartedService> {
  const child = spawnDetached(options)
  try {
    const service = await untilItAnswers(child, options)
    child.unref()
    return service
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

const LONGEST_STOP_MS = 5_000

/** What the post step has to know of the service that the main step started. */
const serviceStateSchema = z.object({
  pid: z.int().check(z.positive()),
  baseUrl: z.url({ protocol: /^http$/ }),
  logFile: z.string().check(z.minLength(1)),
})

export type ServiceState = Readonly<z.infer<typeof serviceStateSchema>>

/** Reads what the main step saved, or undefined if it saved nothing because the service never ran. */
export function parseServiceState(text: string): ServiceState | undefined {
  return text === '' ? undefined : serviceStateSchema.safeParse(JSON.parse(text)).data
}

interface StopPorts {
  readonly clock: Clock
  /** Of the operating system. Throws where there is no such process. */
  readonly kill: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => unknown
}

/**
 * Ends the service. A process id can belong to another program once its owner has ended, and so can a port, so nothing is
 * killed unless what answers at the address says that it is this very process.
 */
export async function stopService(
  { pid, baseUrl }: Pick<ServiceState, 'pid' | 'baseUrl'>,
  { clock, kill }: StopPorts,
): Promise<'stopped' | 'was-gone'> {
  if ((await askService(baseUrl)) !== pid) return 'was-gone'
  const end = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      kill(pid, signal)
    } catch {
      // It ended by itself a moment ago.
    }
  }
  end('SIGTERM')
  const deadlineAt = clock.now() + LONGEST_STOP_MS
  while ((await askService(baseUrl)) === pid) {
    if (clock.now() >= deadlineAt) {
      end('SIGKILL')
      break
    }
    await clock.sleep(LOOK_AGAIN_MS)
  }
  return 'stopped'
}
