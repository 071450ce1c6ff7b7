import type { connectGitHub } from '../github/github.ts'
import { systemClock } from '../runtime/clock.ts'
import { ActionError, ERROR_TITLES, logCauses } from '../runtime/errors.ts'
import type { Redact } from '../text/redact.ts'
import {
  readContext,
  explainMissingKey,
  formatResult,
  type StepResult,
  openStep,
  type Host,
  type Step,
  type StepInputs,
} from './step.ts'
import { type Fields, inputNames, isGiven, MIN_SECRET_CHARS, type RawInputs, SECRET_INPUTS } from './inputs.ts'
import { readPassedInputs } from './misspelled-inputs.ts'
import { enterRehearsal, rehearseInputs, type Rehearsal } from './rehearsal.ts'
import { type Runner, createRunner, OutputsLost } from './toolkit.ts'

const OUTPUTS_ERROR_TITLE = 'The outputs could not be written'

/** Registers how to report a step that an error stops, expected or not. The last registered function is called. */
export type OnStop<Result> = (report: (error: ActionError) => Result) => void

/**
 * Writes a result to the log, the outputs and the summary.
 * @returns whether the step is green; it is red if the outputs could not be written, because later steps depend on them
 */
function publish(result: StepResult, runner: Runner): boolean {
  const { isGreen, title, outputs, notice, summary } = result
  runner.endGroup()
  if (notice !== undefined) runner.notice(notice.title, notice.text)
  let outputsError: string | undefined
  try {
    for (const [name, value] of Object.entries(outputs)) runner.setOutput(name, value)
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    outputsError = error.message
  }
  try {
    if (summary !== undefined) runner.writeSummary(summary)
  } catch {
    runner.warn('The job summary could not be written.')
  }
  // The runner also shows the annotation in the log.
  if (outputsError !== undefined) runner.fail(OUTPUTS_ERROR_TITLE, formatResult(result, outputsError, title))
  else if (isGreen) runner.log(formatResult(result, title))
  else runner.fail(title, formatResult(result))
  return isGreen && outputsError === undefined
}

/** Returns the result of a step that an error stopped, for errors that nothing else reports. */
export function toErrorResult(error: ActionError): StepResult {
  return { isGreen: false, title: ERROR_TITLES[error.code], text: error.message, advice: error.hint, outputs: {} }
}

/** Logs the stack of an unexpected error, for bug reports. */
function logDefect(error: unknown, runner: Runner): void {
  runner.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  if (error instanceof Error) logCauses(error, runner.debug)
}

/** Logs an unexpected error and reports it as `internal`. */
function toCrashResult(error: unknown, runner: Runner, report: (error: ActionError) => StepResult): StepResult {
  runner.endGroup()
  if (error instanceof OutputsLost)
    return { isGreen: false, title: OUTPUTS_ERROR_TITLE, text: error.message, outputs: {} }
  logDefect(error, runner)
  return report(
    new ActionError('internal', 'A bug in the action stopped the step.', {
      hint: 'Report it, and include the log lines above this error.',
    }),
  )
}

/**
 * Returns a signal that aborts when the run is cancelled. The runner sends SIGINT, SIGTERM 7.5 s later, and kills the
 * process 2.5 s after that. So the first signal starts an orderly end, and a second signal exits immediately. A closed
 * terminal sends SIGHUP.
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
 * Runs `perform` as the step's process and publishes its result. The exit code is 1 until a green result has been
 * published: Node exits with 0 when the event loop is empty, which the runner would report as success.
 */
export async function execute(perform: (host: Host, onStop: OnStop<StepResult>) => Promise<StepResult>): Promise<void> {
  process.exitCode = 1
  const clock = systemClock
  const runner = createRunner(clock)
  let report: (error: ActionError) => StepResult = toErrorResult
  let exiting: Promise<void> | undefined

  async function publishAndExit(result: StepResult): Promise<void> {
    if (publish(result, runner)) process.exitCode = 0
    // Standard output may be a pipe, which is written asynchronously, so wait until it is flushed.
    await new Promise((resolve) => process.stdout.write('', resolve))
    // An open socket would keep the event loop running.
    process.exit()
  }
  // Only the first result counts.
  const finish = (result: StepResult): Promise<void> => (exiting ??= publishAndExit(result))
  const finishAfterCrash = (error: unknown): Promise<void> =>
    (exiting ??= publishAndExit(toCrashResult(error, runner, report)))
  const finishAfterError = (error: unknown): Promise<void> => {
    if (!(error instanceof ActionError)) return finishAfterCrash(error)
    logCauses(error, runner.debug)
    return (exiting ??= publishAndExit(report(error)))
  }
  const onUncaught = (error: unknown): void => {
    if (exiting === undefined) {
      void finishAfterCrash(error)
    } else {
      publish(toCrashResult(error, runner, toErrorResult), runner)
      process.exit(1)
    }
  }
  // Also when a second signal or an empty event loop ends the process.
  process.on('exit', runner.endGroup)
  // A closed log (EPIPE) does not stop the step: outputs and summary are files.
  process.stdout.on('error', () => undefined)
  process.on('uncaughtException', onUncaught)
  const host = { runner, clock, signal: cancelOnSignals(), startedAt: clock.now(), env: process.env }
  await perform(host, (given) => (report = given)).then(finish, finishAfterError)
}

/** One action. `runAction` does what all actions have in common at their start and end. */
export interface Action<Inputs extends StepInputs, Report> {
  readonly fields: Fields
  /** Written first and replaced at the end. Without them, a step that is killed would look as if it had not run. */
  readonly initialOutputs: Readonly<Record<string, string>>
  /** Omitted by actions that send GitHub no requests, which keeps the client out of their bundles. */
  readonly connectGitHub?: typeof connectGitHub
  /** @throws ActionError `invalid-input` that lists all problems */
  readonly parse: (raw: RawInputs, workspace: string, now: Date) => Inputs
  /** Whether the step can run without an API key. */
  readonly needsNoKey?: (raw: RawInputs) => boolean
  /** If it throws, the function that was last passed to `onStop` creates the report. */
  readonly run: (inputs: Inputs, step: Step, onStop: OnStop<Report>) => Promise<Report>
  /**
   * Creates the report of a step that sent no requests: an error stopped it, or it was skipped because it has no key.
   */
  readonly createSkippedReport: (error: ActionError | undefined, durationMs: number, isRehearsal?: boolean) => Report
  readonly render: (report: Report, redact: Redact) => StepResult
}

/**
 * Reads the raw inputs. Masks secrets first. A rehearsal replaces the inputs that name the servers. Otherwise, the default of
 * `base-url` comes from the environment.
 */
function readInputs(
  fields: Fields,
  runner: Runner,
  env: NodeJS.ProcessEnv,
  rehearsal: Rehearsal | undefined,
): RawInputs {
  for (const name of SECRET_INPUTS.filter((name) => inputNames(fields).includes(name))) {
    const secret = runner.input(name)
    if (secret.trim().length < MIN_SECRET_CHARS) continue
    runner.mask(secret)
    runner.mask(secret.trim())
  }
  const own = Object.fromEntries(inputNames(fields).map((name): [string, string] => [name, runner.input(name)]))
  const inputs = { ...readPassedInputs(env), ...own }
  if (rehearsal !== undefined) return rehearseInputs(inputs, rehearsal)
  return isGiven(inputs, 'base-url') ? inputs : { ...inputs, 'base-url': env['DOCS_AGENT_BASE_URL'] ?? '' }
}

/** Runs an action as the step's process, from the runner's inputs to the exit code. */
export function runAction<Inputs extends StepInputs, Report>(action: Action<Inputs, Report>): Promise<void> {
  return execute(async (host, onStop) => {
    const { runner, clock, startedAt, env } = host
    for (const [name, value] of Object.entries(action.initialOutputs)) runner.setOutput(name, value)
    const rehearsal = enterRehearsal(runner, env)
    const raw = readInputs(action.fields, runner, env, rehearsal)
    const createSkippedReport = (error?: ActionError): Report =>
      action.createSkippedReport(error, clock.now() - startedAt, rehearsal !== undefined)
    const render = (report: Report): StepResult => action.render(report, runner.redact)
    const onActionStop: OnStop<Report> = (report) => {
      onStop((error) => {
        try {
          // A step that an error stopped is never green.
          return { ...render(report(error)), isGreen: false }
        } catch (defect) {
          logDefect(defect, runner)
          // Without outputs, so that those that were written early remain.
          return toErrorResult(error)
        }
      })
    }
    onActionStop(createSkippedReport)

    const hasKey = isGiven(raw, 'api-key') || action.needsNoKey?.(raw) === true
    const reason = hasKey ? undefined : explainMissingKey(readContext(env), raw)
    if (reason !== undefined) {
      // The other inputs are not validated: they may come from secrets and variables too.
      runner.notice('Docs Agent skipped', `${reason} Nothing was sent to the service.`)
      return render(createSkippedReport())
    }
    const inputs = action.parse(raw, env['GITHUB_WORKSPACE'] ?? process.cwd(), clock.wallTime())
    return render(await action.run(inputs, openStep(inputs, host, action.connectGitHub), onActionStop))
  })
}
