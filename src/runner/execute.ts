import { systemClock, type Clock } from '../shared/clock.ts'
import { OutputsLost, type Host } from '../shared/host.ts'
import { joinSentences } from '../shared/sentences.ts'
import { cancelOnSignals } from './cancellation.ts'
import { createHost } from './host.ts'

const OUTPUTS_LOST_TITLE = 'The outputs could not be written'

export interface Runner {
  readonly host: Host
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
}

export interface StepResult {
  readonly isGreen: boolean
  readonly title: string
  readonly text: string
  readonly outputs: Readonly<Record<string, string>>
  /** Markdown; undefined if none is wanted. */
  readonly summary: string | undefined
}

/** @returns why they could not be written, undefined if they were */
function writeOutputs(outputs: StepResult['outputs'], host: Host): string | undefined {
  try {
    for (const [name, value] of Object.entries(outputs)) host.setOutput(name, value)
    return undefined
  } catch (error) {
    if (error instanceof OutputsLost) return error.message
    throw error
  }
}

/** @returns whether the step is green: one whose outputs are lost has not told the next step what it needs to know */
async function publish({ isGreen, title, text, outputs, summary }: StepResult, host: Host): Promise<boolean> {
  const lost = writeOutputs(outputs, host)
  if (summary !== undefined) {
    await host.writeSummary(summary).catch(() => {
      host.warn('The job summary could not be written.')
    })
  }
  // The runner shows the annotation in the log as well.
  if (lost !== undefined) host.fail(OUTPUTS_LOST_TITLE, joinSentences([lost, title, text]))
  else if (isGreen) host.log(joinSentences([title, text]))
  else host.fail(title, text)
  return isGreen && lost === undefined
}

function crash(error: unknown, host: Host): void {
  if (error instanceof OutputsLost) {
    host.fail(OUTPUTS_LOST_TITLE, error.message)
    return
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  host.log(detail)
  host.fail(
    'Internal error',
    'The step stopped because of a defect in the action itself. Please report it with the lines above.',
  )
}

/**
 * Runs a use case as the step's program. This is the one place where a result becomes an exit code: 1 until a green result
 * was published, since Node exits 0 when nothing is left to do, and the runner would call that success.
 */
export async function execute(perform: (ports: Runner) => Promise<StepResult>): Promise<void> {
  process.exitCode = 1
  const clock = systemClock
  const host = createHost(clock)
  const signal = cancelOnSignals()
  const dieOf = (error: unknown): void => {
    crash(error, host)
    process.exit(1)
  }
  process.on('uncaughtException', dieOf)
  process.on('unhandledRejection', dieOf)
  try {
    const result = await perform({ host, clock, signal })
    if (await publish(result, host)) process.exitCode = 0
  } catch (error) {
    crash(error, host)
  }
  await flush(process.stdout)
  // Not left to the event loop: a socket that does not close would hold it.
  process.exit()
}

/** Standard output may be a pipe that is written in the background; leaving early would cut it. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve()
    })
  })
}
