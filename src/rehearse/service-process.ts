/** Starts and stops the embedded service as a process that outlives the step. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import type { Rehearsal } from '../action/rehearsal.ts'
import type { Host } from '../action/step.ts'
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
 * @param branch of the run, so that earlier runs were on it
 */
export function serviceArguments(input: (name: string) => string, repository = '', branch = ''): string[] {
  const flags = Object.entries(INPUT_DEFAULTS).map(([name, usual]) => `--${name}=${input(name).trim() || usual}`)
  return repository === '' ? flags : [...flags, `--github-repository=${repository}`, `--github-branch=${branch}`]
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

/** A service whose port is open. */
interface StartedService {
  readonly pid: number
  /** What steps need to use the service, which it sends when it is ready. */
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
): Promise<StartedService> {
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
  const waitUntilReadyOrEnded = async (): Promise<Rehearsal | undefined> => {
    try {
      const [access] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
      return access as Rehearsal | undefined
    } catch (error) {
      throw new ActionError('unreachable', `Node.js did not start: ${(error as Error).message}.`)
    }
  }
  const message = `The service did not respond within ${START_TIMEOUT_MS / 1000} seconds.`
  const timedOut = new ActionError('deadline', message)
  try {
    const access = await withDeadline(waitUntilReadyOrEnded, { clock, signal, timeoutMs: START_TIMEOUT_MS, timedOut })
    const { pid } = child
    if (access === undefined || pid === undefined)
      throw new ActionError(
        'invalid-input',
        toInputWords(fs.readFileSync(logFile, 'utf8')) || 'The service ended before it was ready.',
        { hint: 'Correct the `with:` block of this step.' },
      )
    child.disconnect()
    child.unref()
    return { pid, access }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/**
 * Kills the service, which has nothing to save.
 * @returns whether it was still running
 */
export function killService(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    // No process has this id, or only a process of another user.
    return false
  }
}
