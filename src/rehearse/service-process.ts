/** Starts and stops the embedded service as a process that outlives the step. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import type { Rehearsal } from '../action/rehearsal.ts'
import type { Host } from '../action/step.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'

/**
 * The inputs in the order of emulator/action.yml, with their defaults. An empty input means its default, so that a workflow can
 * pass on its own optional input. Each is a flag of the service's command line too.
 */
export const INPUT_DEFAULTS = {
  scenario: 'pull-request',
  'github-scenario': 'checks-pass',
  speed: '1',
  port: '0',
  changed: '',
} as const

/**
 * The service's command line. The service validates the values, because the bundle of this action does not contain the
 * scenarios.
 * @param repository `owner/name` of the run, so that the embedded GitHub knows its commits
 */
export function serviceArguments(input: (name: string) => string, repository = ''): string[] {
  const flags = Object.entries(INPUT_DEFAULTS).map(([name, usual]) => `--${name}=${input(name).trim() || usual}`)
  return repository === '' ? flags : [...flags, `--github-repository=${repository}`]
}

const FLAG = new RegExp(`--(${Object.keys(INPUT_DEFAULTS).join('|')})(?![\\w-])`, 'g')

/** Replaces the names of flags in an error message by the names of inputs. */
export function toInputWords(message: string): string {
  return message
    .trim()
    .replace(/^error: /, '')
    .replace(/ See --help\.$/, '')
    .replace(FLAG, '`$1`')
}

/** The message that the service sends when its port is open: its process id, and what steps need to use it. */
interface ServiceAccess {
  readonly pid: number
  readonly access: Rehearsal
}

/** A busy runner may need several seconds to start a process. */
const START_TIMEOUT_MS = 60_000

/**
 * The environment of the service. It outlives the step, so it receives none of the step's tokens. The tracking id lets the
 * runner kill it if the post step never runs.
 */
const PASSED_VARIABLES = ['RUNNER_TRACKING_ID', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']

/**
 * Starts the embedded service in the background and returns when it is ready. The service outlives this process.
 * @param command the packaged service and its arguments
 * @param logFile must not exist; the service writes its log to it
 * @throws ActionError if the service does not start, for example because of an invalid input, or if the signal aborts. The
 *   process is killed then.
 */
export async function startService(
  command: readonly string[],
  logFile: string,
  { clock, env, signal }: Pick<Host, 'clock' | 'env' | 'signal'>,
): Promise<ServiceAccess> {
  const log = fs.openSync(logFile, 'ax')
  const child = spawn(process.execPath, command, {
    detached: true,
    windowsHide: true,
    // The log is a file, because a pipe would end with this process. The IPC channel transmits the only message: the
    // service is ready.
    stdio: ['ignore', log, log, 'ipc'],
    env: Object.fromEntries(PASSED_VARIABLES.map((name) => [name, env[name]])),
  })
  fs.closeSync(log)
  const waitUntilReadyOrEnded = async (): Promise<ServiceAccess | undefined> => {
    try {
      const [access] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
      return access as ServiceAccess | undefined
    } catch (error) {
      throw new ActionError('unreachable', `Node.js did not start: ${(error as Error).message}.`)
    }
  }
  const message = `The service did not respond within ${START_TIMEOUT_MS / 1000} seconds.`
  const timedOut = new ActionError('deadline', message)
  try {
    const access = await withDeadline(waitUntilReadyOrEnded, { clock, signal, timeoutMs: START_TIMEOUT_MS, timedOut })
    if (access === undefined)
      throw new ActionError(
        'invalid-input',
        toInputWords(fs.readFileSync(logFile, 'utf8')) || 'The service ended before it was ready.',
        { hint: 'Correct the `with:` block of this step.' },
      )
    child.disconnect()
    child.unref()
    return access
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

export interface RunningService {
  readonly pid: number
  readonly baseUrl: string
}

const RESPONSE_TIMEOUT_MS = 2_000

/** Whether this process responds at the URL: every response names the process id. Proxies are bypassed. */
export function isRunning({ pid, baseUrl }: RunningService, timeoutMs = RESPONSE_TIMEOUT_MS): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(`${baseUrl}/`, { agent: new http.Agent(), timeout: timeoutMs }, (response) => {
      response.resume()
      resolve(response.headers['service-instance'] === String(pid))
    })
    const giveUp = (): void => {
      request.destroy()
      resolve(false)
    }
    // A response that upgrades the protocol emits only `close`.
    for (const event of ['timeout', 'error', 'close']) request.on(event, giveUp)
  })
}

const STOP_TIMEOUT_MS = 5_000
const STOP_POLL_MS = 50

/**
 * Stops the service. Process ids and ports are reused after a process has ended, so nothing is killed unless the response at
 * the URL names this process id.
 * @param kill throws if there is no such process
 * @returns whether the service was still running
 */
export async function stopService(
  service: RunningService,
  clock: Clock,
  kill: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => unknown = process.kill.bind(process),
): Promise<boolean> {
  if (!(await isRunning(service))) return false
  const sendSignal = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      kill(service.pid, signal)
    } catch {
      // The process has just ended by itself.
    }
  }
  sendSignal('SIGTERM')
  const deadlineAt = clock.now() + STOP_TIMEOUT_MS
  while (clock.now() < deadlineAt && (await isRunning(service))) await clock.sleep(STOP_POLL_MS)
  if (await isRunning(service)) sendSignal('SIGKILL')
  return true
}
