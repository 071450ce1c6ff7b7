import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Environment } from '../runtime/environment.ts'
import { askService } from './ask-service.ts'
import { readServiceAccess, type ServiceAccess } from './service-access.ts'
import { toInputWords } from './service-arguments.ts'

const LOOK_AGAIN_MS = 50
/** A busy runner can take seconds to start a process. */
const LONGEST_START_MS = 60_000

/**
 * All that the service gets of the environment. It lives on after the step, so it is given none of the step's tokens. With
 * the tracking id the runner ends it where the post step never comes.
 */
const FROM_THE_ENVIRONMENT = ['RUNNER_TRACKING_ID', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']

export interface StartOptions {
  /** The packaged service. */
  readonly program: string
  readonly args: readonly string[]
  /** A file that is not there yet. The service writes its log to it. */
  readonly logFile: string
  readonly env: Environment
}

interface StartPorts {
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface StartedService extends ServiceAccess {
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

async function untilItAnswers(
  child: ChildProcess,
  logFile: string,
  { clock, signal }: StartPorts,
): Promise<StartedService> {
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
export async function startService(options: StartOptions, ports: StartPorts): Promise<StartedService> {
  const child = spawnDetached(options)
  try {
    const service = await untilItAnswers(child, options.logFile, ports)
    child.unref()
    return service
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}
