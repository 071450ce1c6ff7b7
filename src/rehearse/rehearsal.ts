import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import type { StepResult, Runner } from '../action/step.ts'
import { toErrorResult } from '../action/run-action.ts'
import { ActionError } from '../runtime/errors.ts'
import { parseUrl } from '../runtime/url.ts'
import { describeCode, serviceArguments, startService, stopService, type RunningService } from './service-process.ts'

/** Main step and post step are one program. The main step always saves a state, at least `null`, which distinguishes the two. */
const SERVICE_STATE = 'service'

const MAX_LOG_LINES = 2_000
const MAX_LOG_BYTES = 1_048_576

/** The last lines of a log. If there are more, the first line says how many are left out. */
export function newestLines(log: string, maxLines: number): string {
  const lines = log.trimEnd().split(/\r?\n/)
  const leftOut = lines.length - maxLines
  if (leftOut <= 0) return lines.join('\n')
  return [`(${leftOut} earlier lines are left out)`, ...lines.slice(-maxLines)].join('\n')
}

/** Reads the last bytes of a file, without an incomplete first line. */
function readEnd(path: string): string {
  const file = fs.openSync(path, 'r')
  try {
    const { size } = fs.fstatSync(file)
    const length = Math.min(size, MAX_LOG_BYTES)
    const bytes = Buffer.alloc(length)
    fs.readSync(file, bytes, 0, length, size - length)
    const text = bytes.toString()
    return length < size ? text.slice(text.indexOf('\n') + 1) : text
  } finally {
    fs.closeSync(file)
  }
}

/** The file of the service's certificate, next to its log. */
const getCertificate = (logFile: string): string => logFile.replace(/\.log$/, '.pem')

/** Best effort, because Windows may still lock a file. The runner empties the folder after the job. */
function removeFiles(logFile: string): void {
  for (const file of [logFile, getCertificate(logFile)])
    try {
      fs.rmSync(file, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // Best effort.
    }
}

/** What the main step saves for the post step. */
interface ServiceState extends RunningService {
  readonly logFile: string
}

/** @throws ActionError `invalid-input` if the runner's file cannot be written */
function saveService({ core }: Runner, state: ServiceState | null): void {
  try {
    core.saveState(SERVICE_STATE, JSON.stringify(state))
  } catch (error) {
    throw new ActionError('invalid-input', `The runner's state cannot be written: ${describeCode(error)}.`, {
      hint: "Check the runner's disk and `GITHUB_STATE`.",
    })
  }
}

async function start(program: string, runner: Runner): Promise<StepResult> {
  const { core, env } = runner
  const logFile = path.join(env['RUNNER_TEMP'] ?? tmpdir(), `docs-agent-rehearsal-${randomUUID()}.log`)
  try {
    saveService(runner, null)
    const command = [program, ...serviceArguments(core.input, getCertificate(logFile), env['GITHUB_REPOSITORY'])]
    const { pid, outputs } = await startService(command, logFile, runner)
    const baseUrl = outputs['base-url']
    try {
      saveService(runner, { pid, baseUrl, logFile })
    } catch (error) {
      // Without the state the post step could not stop the service.
      await stopService({ pid, baseUrl }, runner.clock)
      throw error
    }
    return {
      isGreen: true,
      title: 'The embedded documentation service is ready',
      text: `It listens on ${baseUrl} until this job ends, together with an embedded GitHub. Requests to it cost no credits.`,
      // Not masked: key and token are public, and the runner drops a job's output that contains a masked value.
      outputs,
    }
  } catch (error) {
    removeFiles(logFile)
    if (!(error instanceof ActionError)) throw error
    return { ...toErrorResult(error), title: 'The rehearsal did not start' }
  }
}

/** Undefined if the main step started no service. */
function readState(text: string): ServiceState | undefined {
  const state = JSON.parse(text) as Partial<Record<keyof ServiceState, unknown>> | null
  const { pid, baseUrl, logFile } = state ?? {}
  const isBaseUrl = typeof baseUrl === 'string' && parseUrl(baseUrl)?.protocol === 'http:'
  if (!isBaseUrl || typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined
  return typeof logFile === 'string' && logFile !== '' ? { pid, baseUrl, logFile } : undefined
}

/** Removes the start message, which is meant for a terminal. */
const withoutStartText = (log: string): string => log.replace(/^listening [^]*?Requests:\r?\n/, '')

async function stop(saved: string, { core, clock }: Runner): Promise<StepResult> {
  const ended = { isGreen: true, text: '', outputs: {} }
  const service = readState(saved)
  if (service === undefined) return { ...ended, title: 'There is no service to stop' }
  const wasRunning = await stopService(service, clock)
  if (fs.existsSync(service.logFile)) {
    core.startGroup('Log of the embedded documentation service')
    const log =
      newestLines(withoutStartText(readEnd(service.logFile)), MAX_LOG_LINES) || 'The service received no requests.'
    // One call per line: a long text would be cut at its end, which contains the newest lines.
    for (const line of log.split('\n')) core.log(line)
    core.endGroup()
  }
  removeFiles(service.logFile)
  if (wasRunning) return { ...ended, title: 'The embedded documentation service was stopped' }
  core.warn('The embedded documentation service ended before the job.')
  return { ...ended, title: 'The service had already ended' }
}

/**
 * Starts the service in the main step and stops it in the post step.
 * @param program the path of the packaged service
 */
export function rehearse(program: string, runner: Runner): Promise<StepResult> {
  const saved = runner.core.savedState(SERVICE_STATE)
  return saved === '' ? start(program, runner) : stop(saved, runner)
}
