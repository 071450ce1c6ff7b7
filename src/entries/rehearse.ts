import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import * as core from '@actions/core'
import { execute, type Runner, type StepResult } from '../runner/execute.ts'
import { ActionError } from '../shared/errors.ts'
import { joinSentences } from '../shared/sentences.ts'
import { newestLines } from '../rehearse/newest-lines.ts'
import { INPUT_NAMES, serviceArguments, type RehearsalInput } from '../rehearse/service-arguments.ts'
import { withoutStartText } from '../rehearse/service-access.ts'
import { parseServiceState, type ServiceState } from '../rehearse/service-state.ts'
import { startService } from '../rehearse/start-service.ts'
import { stopService } from '../rehearse/stop-service.ts'

/** This file is the main step and the post step; what the first one saves tells the second one which it is. */
const STAGE_STATE = 'stage'
const SERVICE_STATE = 'service'

const LONGEST_LOG_LINES = 2_000

const PROGRAM = path.join(import.meta.dirname, '../emulator/index.js')

/** A file that Windows still holds is not worth a red step: the runner empties the folder after the job. */
function removeLog(file: string): void {
  try {
    fs.rmSync(file, { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // See above.
  }
}

async function start({ host, clock, signal }: Runner): Promise<StepResult> {
  core.saveState(STAGE_STATE, 'post')
  const raw = Object.fromEntries(INPUT_NAMES.map((name) => [name, host.input(name)])) as Record<RehearsalInput, string>
  const folder = process.env['RUNNER_TEMP'] ?? tmpdir()
  const logFile = path.join(folder, `docs-agent-rehearsal-${randomUUID()}.log`)
  try {
    const options = { program: PROGRAM, args: serviceArguments(raw), logFile, env: process.env }
    const { pid, baseUrl, projectId, apiKey } = await startService(options, { clock, signal })
    core.saveState(SERVICE_STATE, JSON.stringify({ pid, baseUrl, logFile } satisfies ServiceState))
    return {
      isGreen: true,
      title: 'The embedded documentation service is ready',
      text: `It listens on ${baseUrl} until this job ends. Nothing that is asked of it costs credits.`,
      // Not masked: the key is public, and the runner drops a job's output that contains a masked value.
      outputs: { 'base-url': baseUrl, 'api-key': apiKey, 'project-id': projectId },
      summary: undefined,
    }
  } catch (error) {
    removeLog(logFile)
    if (!(error instanceof ActionError)) throw error
    const text = joinSentences([error.message, error.hint])
    return { isGreen: false, title: 'The rehearsal did not start', text, outputs: {}, summary: undefined }
  }
}

async function stop({ host, clock }: Runner): Promise<StepResult> {
  const ended = { isGreen: true, text: '', outputs: {}, summary: undefined }
  const service = parseServiceState(core.getState(SERVICE_STATE))
  if (service === undefined) return { ...ended, title: 'There is no service to stop' }
  const ending = await stopService(service, { clock, kill: process.kill.bind(process) })
  if (fs.existsSync(service.logFile)) {
    core.startGroup('Log of the embedded documentation service')
    const log = withoutStartText(fs.readFileSync(service.logFile, 'utf8'))
    host.log(newestLines(log, LONGEST_LOG_LINES) || 'It was asked nothing.')
    core.endGroup()
    removeLog(service.logFile)
  }
  if (ending === 'stopped') return { ...ended, title: 'The embedded documentation service was stopped' }
  host.warn('The embedded documentation service was not there any more: it ended before the job did.')
  return { ...ended, title: 'There was no service left to stop' }
}

await execute((ports) => (core.getState(STAGE_STATE) === '' ? start(ports) : stop(ports)))
