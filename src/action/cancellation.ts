import { ActionError } from '../runtime/errors.ts'

/**
 * Turns the runner's wish to stop into an abort signal. It sends SIGINT, 7.5 s later SIGTERM, and 2.5 s after that it kills,
 * so the first signal starts an orderly end and a second one means now. A terminal that is closed sends SIGHUP.
 */
export function cancelOnSignals(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit()
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  return controller.signal
}
