import { systemClock, type Clock } from '../runtime/clock.ts'
import { ActionError, ERROR_TITLES } from '../runtime/errors.ts'
import { createCore, OutputsLost, type Core } from './core.ts'
import { joinSentences } from '../text/sentences.ts'

const OUTPUTS_LOST_TITLE = 'The outputs could not be written'

export interface Runner {
  readonly core: Core
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** Takes what tells of a step that a defect has stopped. */
  readonly onCrash: (describe: (error: ActionError) => StepResult) => void
}

export interface StepResult {
  readonly isGreen: boolean
  readonly title: string
  readonly text: string
  readonly outputs: Readonly<Record<string, string>>
  /** Markdown; undefined if none is wanted. */
  readonly summary: string | undefined
}

/** @returns whether the step is green: one whose outputs are lost has not told the next step what it needs to know */
async function publish({ isGreen, title, text, outputs, summary }: StepResult, core: Core): Promise<boolean> {
  core.endGroup()
  let lost: string | undefined
  try {
    for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value)
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    lost = error.message
  }
  if (summary !== undefined) {
    await core.writeSummary(summary).catch(() => {
      core.warn('The job summary could not be written.')
    })
  }
  // The runner shows the annotation in the log as well.
  if (lost !== undefined) core.fail(OUTPUTS_LOST_TITLE, joinSentences([lost, title, text]))
  else if (isGreen) core.log(joinSentences([title, text]))
  else core.fail(title, text)
  return isGreen && lost === undefined
}

/** Tells the reason in the log, and the rest to whoever knows more of the step. */
function resultOfCrash(error: unknown, core: Core, describe: (error: ActionError) => StepResult): StepResult {
  core.endGroup()
  if (error instanceof OutputsLost)
    return { isGreen: false, title: OUTPUTS_LOST_TITLE, text: error.message, outputs: {}, summary: undefined }
  core.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return describe(
    new ActionError('internal', 'A defect in the action itself stopped the step.', {
      hint: 'Report it, with the lines of the log above this error.',
    }),
  )
}

/** What can be said of any step that an error has stopped. */
export function resultOfError(error: ActionError, outputs: StepResult['outputs'] = {}): StepResult {
  const text = joinSentences([error.message, error.hint])
  return { isGreen: false, title: ERROR_TITLES[error.code], text, outputs, summary: undefined }
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
export async function execute(perform: (ports: Runner) => Promise<StepResult>): Promise<void> {
  process.exitCode = 1
  const clock = systemClock
  const core = createCore(clock)
  const signal = cancelOnSignals()
  let describe: (error: ActionError) => StepResult = resultOfError
  let ending: Promise<boolean> | undefined

  const onCrash = (given: typeof describe): void => {
    describe = given
  }
  /** Of several ends the first is the step's. */
  const end = (result: () => StepResult): Promise<boolean> => (ending ??= publish(result(), core))
  const leave = async (isGreen: Promise<boolean>): Promise<void> => {
    if (await isGreen) process.exitCode = 0
    // It may be a pipe that is written in the background; leaving early would cut it.
    await new Promise((resolve) => process.stdout.write('', resolve))
    // Not left to the event loop: a socket that does not close would hold it.
    process.exit()
  }
  const dieOf = (error: unknown): void => {
    const isOver = ending !== undefined
    const isGreen = end(() => resultOfCrash(error, core, describe))
    if (isOver) {
      void publish(resultOfCrash(error, core, resultOfError), core)
      process.exit(1)
    }
    void leave(isGreen)
  }
  // Also where a second signal, or nothing left to do, ends the process.
  process.on('exit', core.endGroup)
  process.on('uncaughtException', dieOf)
  process.on('unhandledRejection', dieOf)
  try {
    const result = await perform({ core, clock, signal, onCrash })
    await leave(end(() => result))
  } catch (error) {
    await leave(end(() => resultOfCrash(error, core, describe)))
  }
}
