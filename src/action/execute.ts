import { systemClock } from '../runtime/clock.ts'
import { ActionError, ERROR_TITLES, listCauses } from '../runtime/errors.ts'
import { formatResult, type StepResult } from './conclusion.ts'
import { createCore, OutputsLost, type Core } from './core.ts'
import type { Runner } from './step.ts'

const OUTPUTS_LOST_TITLE = 'The outputs could not be written'

/** Registers who tells of a step that an error has stopped, foreseen or not. The one that was registered last is asked. */
export type OnStop<Told> = (tell: (error: ActionError) => Told) => void

/** @returns whether the step is green: one whose outputs are lost has not told the next step what it needs to know */
function publish(result: StepResult, core: Core): boolean {
  const { isGreen, title, outputs, notice, summary } = result
  core.endGroup()
  if (notice !== undefined) core.notice(notice.title, notice.text)
  let lost: string | undefined
  try {
    for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value)
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    lost = error.message
  }
  try {
    if (summary !== undefined) core.writeSummary(summary)
  } catch {
    core.warn('The job summary could not be written.')
  }
  // The runner shows the annotation in the log as well.
  if (lost !== undefined) core.fail(OUTPUTS_LOST_TITLE, formatResult(result, lost, title))
  else if (isGreen) core.log(formatResult(result, title))
  else core.fail(title, formatResult(result))
  return isGreen && lost === undefined
}

/** What can be said of any step that an error has stopped. */
export function resultOfError(error: ActionError, outputs: StepResult['outputs'] = {}): StepResult {
  return { isGreen: false, title: ERROR_TITLES[error.code], text: error.message, advice: error.hint, outputs }
}

/** Logs where a defect is, for whoever gets a report of it. */
export function logDefect(error: unknown, core: Core): void {
  core.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

/** Tells the reason in the log, and the rest to whoever knows more of the step. */
function resultOfCrash(error: unknown, core: Core, tell: (error: ActionError) => StepResult): StepResult {
  core.endGroup()
  if (error instanceof OutputsLost)
    return { isGreen: false, title: OUTPUTS_LOST_TITLE, text: error.message, outputs: {} }
  logDefect(error, core)
  return tell(
    new ActionError('internal', 'A defect in the action itself stopped the step.', {
      hint: 'Report it, with the lines of the log above this error.',
    }),
  )
}

/**
 * Turns the runner's wish to stop into an abort signal. It sends SIGINT, 7.5 s later SIGTERM, and 2.5 s after that it kills,
 * so the first signal starts an orderly end and a second one means now. A terminal that is closed sends SIGHUP.
 */
function cancelOnSignals(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit()
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  return controller.signal
}

/**
 * Runs a use case as the step's program. This is the one place where a result becomes an exit code: 1 until a green result
 * was published, since Node exits 0 when nothing is left to do, and the runner would call that success.
 */
export async function execute(
  perform: (runner: Runner, onStop: OnStop<StepResult>) => Promise<StepResult>,
): Promise<void> {
  process.exitCode = 1
  const clock = systemClock
  const core = createCore(clock)
  let tell: (error: ActionError) => StepResult = resultOfError
  let ending: Promise<void> | undefined

  async function leave(result: StepResult): Promise<void> {
    if (publish(result, core)) process.exitCode = 0
    // It may be a pipe that is written in the background; leaving early would cut it.
    await new Promise((resolve) => process.stdout.write('', resolve))
    // Not left to the event loop: a socket that does not close would hold it.
    process.exit()
  }
  // Of several ends the first is the step's.
  const end = (result: StepResult): Promise<void> => (ending ??= leave(result))
  const endOfCrash = (error: unknown): Promise<void> => (ending ??= leave(resultOfCrash(error, core, tell)))
  // Whatever is known of a step that an error has stopped, it is red.
  const endOfError = (error: unknown): Promise<void> => {
    if (!(error instanceof ActionError)) return endOfCrash(error)
    for (const cause of listCauses(error)) core.debug(`Caused by ${cause}`)
    return (ending ??= leave({ ...tell(error), isGreen: false }))
  }
  const onUncaught = (error: unknown): void => {
    if (ending === undefined) {
      void endOfCrash(error)
    } else {
      publish(resultOfCrash(error, core, resultOfError), core)
      process.exit(1)
    }
  }
  // Also where a second signal, or nothing left to do, ends the process.
  process.on('exit', core.endGroup)
  // A reader of the log that goes away (EPIPE) does not stop the step: outputs and summary are files.
  process.stdout.on('error', () => undefined)
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  const runner = { core, clock, signal: cancelOnSignals(), startedAt: clock.now(), env: process.env }
  await perform(runner, (given) => (tell = given)).then(end, endOfError)
}
