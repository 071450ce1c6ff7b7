import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import type { StepResult, Host } from '../action/step.ts'
import { describeMisspelledInput, findMisspelledInputs, readPassedInputs } from '../action/misspelled-inputs.ts'
import { REHEARSAL_VARIABLE } from '../action/rehearsal.ts'
import { toErrorResult } from '../action/run-action.ts'
import { ActionError } from '../runtime/errors.ts'
import { writeGh } from './gh.ts'
import { INPUT_DEFAULTS, killService, serviceArguments, startService } from './service-process.ts'

/** Main step and post step are one program. The main step always saves a state, at least `null`, which distinguishes the two. */
const SERVICE_STATE = 'service'

const MAX_LOG_LINES = 2_000

/** The last lines of a log. If there are more, the first line says how many are left out. */
export function newestLines(log: string, maxLines: number): string {
  const lines = log.trimEnd().split(/\r?\n/)
  const leftOut = lines.length - maxLines
  if (leftOut <= 0) return lines.join('\n')
  return [`(${leftOut} earlier lines are left out)`, ...lines.slice(-maxLines)].join('\n')
}

/** Best effort, because Windows may still lock a file. The runner empties `RUNNER_TEMP` after the job. */
function removeFolder(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // Best effort.
  }
}

/** The log of the service in the rehearsal's folder, which also contains `gh`. */
const getLogFile = (folder: string): string => path.join(folder, 'service.log')

/** What the main step saves for the post step. */
interface ServiceState {
  readonly pid: number
  readonly folder: string
}

/** @throws ActionError `invalid-input` */
function assertNoMisspelledInputs(env: NodeJS.ProcessEnv): void {
  const misspelled = findMisspelledInputs(readPassedInputs(env), INPUT_DEFAULTS)
  if (misspelled.length > 0)
    throw new ActionError('invalid-input', misspelled.map(describeMisspelledInput).join('\n'), {
      hint: 'Correct the `with:` block of this step.',
    })
}

async function start(program: string, host: Host): Promise<StepResult> {
  const { runner, env } = host
  const folder = path.join(env['RUNNER_TEMP'] ?? tmpdir(), `docs-agent-rehearsal-${randomUUID()}`)
  try {
    runner.saveState(SERVICE_STATE, JSON.stringify(null))
    assertNoMisspelledInputs(env)
    fs.mkdirSync(folder)
    writeGh(folder)
    const command = [program, ...serviceArguments(runner.input, env['GITHUB_REPOSITORY'], env['GITHUB_REF_NAME'])]
    const { pid, access } = await startService(command, getLogFile(folder), host)
    try {
      const state: ServiceState = { pid, folder }
      runner.saveState(SERVICE_STATE, JSON.stringify(state))
      runner.exportVariable(REHEARSAL_VARIABLE, JSON.stringify(access))
      runner.addPath(folder)
    } catch (error) {
      killService(pid)
      throw error
    }
    return {
      isGreen: true,
      title: 'The rehearsal has begun',
      text: `Until this job ends, its later steps of this action use an embedded documentation service and GitHub at ${access.service}. They start no real job and change nothing on GitHub. \`gh\` only says what it would have done.`,
      outputs: {},
    }
  } catch (error) {
    removeFolder(folder)
    if (!(error instanceof ActionError)) throw error
    return { ...toErrorResult(error), title: 'The rehearsal did not start' }
  }
}

/** Undefined if the main step started no service. */
function readState(text: string): ServiceState | undefined {
  const state = JSON.parse(text) as Partial<Record<keyof ServiceState, unknown>> | null
  const { pid, folder } = state ?? {}
  // Other numbers than the id of a process would kill a group of processes.
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined
  return typeof folder === 'string' && folder !== '' ? { pid, folder } : undefined
}

/** Removes the start message, which is meant for a terminal. */
const withoutStartText = (log: string): string => log.replace(/^listening [^]*?Requests:\r?\n/, '')

function stop(saved: string, { runner }: Host): StepResult {
  const ended = { isGreen: true, text: '', outputs: {} }
  const service = readState(saved)
  if (service === undefined) return { ...ended, title: 'There is no service to stop' }
  const wasRunning = killService(service.pid)
  const logFile = getLogFile(service.folder)
  if (fs.existsSync(logFile)) {
    runner.startGroup('Log of the embedded documentation service')
    const log =
      newestLines(withoutStartText(fs.readFileSync(logFile, 'utf8')), MAX_LOG_LINES) ||
      'The service received no requests.'
    // One call per line: a long text would be cut at its end, which contains the newest lines.
    for (const line of log.split('\n')) runner.log(line)
    runner.endGroup()
  }
  removeFolder(service.folder)
  if (wasRunning) return { ...ended, title: 'The embedded documentation service was stopped' }
  runner.warn('The embedded documentation service ended before the job.')
  return { ...ended, title: 'The service had already ended' }
}

/**
 * Starts the service in the main step and stops it in the post step.
 * @param program the path of the packaged service
 */
export async function rehearse(program: string, host: Host): Promise<StepResult> {
  const saved = host.runner.savedState(SERVICE_STATE)
  return saved === '' ? start(program, host) : stop(saved, host)
}
