import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import type { Runner } from '../action/execute.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'

/**
 * The inputs, in the order of emulator/action.yml, with what each means where it is left empty, so that a workflow can pass on
 * an input of its own that was not given. Each is a flag of the service's command line too.
 */
export const INPUT_DEFAULTS = {
  scenario: 'pull-request',
  'github-scenario': 'checks-pass',
  speed: '1',
  port: '0',
} as const

/**
 * The service's command line. Values are not judged here: the service knows its scenarios and ranges, and no bundle of an
 * action contains the service.
 * @param repository of the run, `owner/name`, so that its own commits can be asked about
 */
export function serviceArguments(input: (name: string) => string, repository = ''): string[] {
  const flags = Object.entries(INPUT_DEFAULTS).map(([name, usual]) => `--${name}=${input(name).trim() || usual}`)
  return repository === '' ? flags : [...flags, `--github-repository=${repository}`]
}

const FLAG = new RegExp(`--(${Object.keys(INPUT_DEFAULTS).join('|')})(?![\\w-])`, 'g')

/** What the service says of its command line or its port, in the words of whoever wrote the workflow. */
export function toInputWords(complaint: string): string {
  return complaint
    .trim()
    .replace(/^error: /, '')
    .replace(/ See --help\.$/, '')
    .replace(FLAG, '`$1`')
}

/** What the service tells when its port is open: its process, and the outputs of emulator/action.yml. */
interface ServiceAccess {
  readonly pid: number
  readonly outputs: { readonly 'base-url': string } & Readonly<Record<string, string>>
}

/** A busy runner can take seconds to start a process. */
const LONGEST_START_MS = 60_000

/**
 * All that the service gets of the environment. It lives on after the step, so it is given none of the step's tokens. With
 * the tracking id the runner ends it where the post step never comes.
 */
const FROM_THE_ENVIRONMENT = ['RUNNER_TRACKING_ID', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']

/** The code of an error of Node, such as `ENOENT`, or its message. */
export function describeCode(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message: string }
  return code ?? message
}

/** @throws ActionError if the file cannot be made, say because `RUNNER_TEMP` is no folder */
function openLog(path: string): number {
  try {
    return fs.openSync(path, 'ax')
  } catch (error) {
    throw new ActionError('invalid-input', `The log of the service cannot be written: ${describeCode(error)}.`, {
      hint: "Check the runner's disk and the folder in `RUNNER_TEMP`.",
    })
  }
}

/**
 * Starts the embedded service in the background and returns when it is ready. It goes on when this process ends.
 * @param command the packaged service and its arguments
 * @param logFile is not there yet; the service writes its log to it
 * @throws ActionError if it does not come up, a wrong input included, or the signal aborts; nothing is left running then
 */
export async function startService(
  command: readonly string[],
  logFile: string,
  { clock, env, signal }: Pick<Runner, 'clock' | 'env' | 'signal'>,
): Promise<ServiceAccess> {
  const log = openLog(logFile)
  const child = spawn(process.execPath, command, {
    detached: true,
    windowsHide: true,
    // It writes to a file, as a pipe would end with this process. On the channel it tells once that it is ready.
    stdio: ['ignore', log, log, 'ipc'],
    env: Object.fromEntries(FROM_THE_ENVIRONMENT.map((name) => [name, env[name]])),
  })
  fs.closeSync(log)
  const untilReadyOrEnded = async (): Promise<ServiceAccess | undefined> => {
    try {
      const [access] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
      return access as ServiceAccess | undefined
    } catch (error) {
      throw new ActionError('unreachable', `Node.js did not start: ${(error as Error).message}.`)
    }
  }
  const late = `The service did not answer within ${LONGEST_START_MS / 1000} seconds.`
  const timedOut = new ActionError('deadline', late)
  try {
    const access = await withDeadline(untilReadyOrEnded, { clock, signal, timeoutMs: LONGEST_START_MS, timedOut })
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

const LONGEST_ANSWER_MS = 2_000

/** Whether it is this process that answers at the address: the service tells its id with each answer. A proxy is never asked. */
export function isRunning({ pid, baseUrl }: RunningService): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(`${baseUrl}/`, { agent: new http.Agent(), timeout: LONGEST_ANSWER_MS }, (response) => {
      response.resume()
      resolve(response.headers['service-instance'] === String(pid))
    })
    const giveUp = (): void => {
      request.destroy()
      resolve(false)
    }
    // An answer that changes the protocol ends without one of the others.
    for (const event of ['timeout', 'error', 'close']) request.on(event, giveUp)
  })
}

const LONGEST_STOP_MS = 5_000
const LOOK_AGAIN_MS = 50

/**
 * Ends the service. A process id can belong to another program once its owner has ended, and so can a port, so nothing is
 * killed unless what answers at the address says that it is this very process.
 * @param kill of the operating system; throws where there is no such process
 * @returns whether it was still there
 */
export async function stopService(
  service: RunningService,
  clock: Clock,
  kill: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => unknown = process.kill.bind(process),
): Promise<boolean> {
  if (!(await isRunning(service))) return false
  const end = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      kill(service.pid, signal)
    } catch {
      // It ended by itself a moment ago.
    }
  }
  end('SIGTERM')
  const deadlineAt = clock.now() + LONGEST_STOP_MS
  while (clock.now() < deadlineAt && (await isRunning(service))) await clock.sleep(LOOK_AGAIN_MS)
  if (await isRunning(service)) end('SIGKILL')
  return true
}
