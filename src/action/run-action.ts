import type { connectGitHub } from '../github/github.ts'
import { systemClock } from '../runtime/clock.ts'
import { ActionError, ERROR_TITLES, logCauses } from '../runtime/errors.ts'
import type { Redact } from '../text/redact.ts'
import { type Context, readContext, withholdsSecrets } from './context.ts'
import { type Fields, inputNames, isGiven, type RawInputs, SECRET_INPUTS } from './inputs.ts'
import { formatResult, type StepResult } from './step-result.ts'
import { openStep, type Runner, type Step, type StepInputs } from './step.ts'
import { type Core, createCore, OutputsLost } from './toolkit.ts'

const OUTPUTS_LOST_TITLE = 'The outputs could not be written'

/** Registers who tells of a step that an error has stopped, foreseen or not. The one that was registered last is asked. */
export type OnStop<LinkedText> = (tell: (error: ActionError) => LinkedText) => void

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
export function toErrorResult(error: ActionError, outputs: StepResult['outputs'] = {}): StepResult {
  return { isGreen: false, title: ERROR_TITLES[error.code], text: error.message, advice: error.hint, outputs }
}

/** Logs where a defect is, for whoever gets a report of it. */
function logDefect(error: unknown, core: Core): void {
  core.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  if (error instanceof Error) logCauses(error, core.debug)
}

/** Tells the reason in the log, and the rest to whoever knows more of the step. */
function toCrashResult(error: unknown, core: Core, tell: (error: ActionError) => StepResult): StepResult {
  core.endGroup()
  if (error instanceof OutputsLost)
    return { isGreen: false, title: OUTPUTS_LOST_TITLE, text: error.message, outputs: {} }
  logDefect(error, core)
  return tell(
    new ActionError('internal', 'A bug in the action stopped the step.', {
      hint: 'Report it, and include the log lines above this error.',
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
  let tell: (error: ActionError) => StepResult = toErrorResult
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
  const endOfCrash = (error: unknown): Promise<void> => (ending ??= leave(toCrashResult(error, core, tell)))
  // Whatever is known of a step that an error has stopped, it is red.
  const endOfError = (error: unknown): Promise<void> => {
    if (!(error instanceof ActionError)) return endOfCrash(error)
    logCauses(error, core.debug)
    return (ending ??= leave({ ...tell(error), isGreen: false }))
  }
  const onUncaught = (error: unknown): void => {
    if (ending === undefined) {
      void endOfCrash(error)
    } else {
      publish(toCrashResult(error, core, toErrorResult), core)
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

/** One action, as the runner's side sees it: what every action does at its start and end is written here, once. */
export interface Action<Inputs extends StepInputs, Report> {
  readonly fields: Fields
  /** Outputs that hold until the step has an end: what nobody wrote would read as if the step had not run. */
  readonly initialOutputs: Readonly<Record<string, string>>
  /** Left out by an action that never asks GitHub, so that it is in no bundle of that action. */
  readonly connectGitHub?: typeof connectGitHub
  /** @throws ActionError `invalid-input` that names every problem */
  readonly parse: (raw: RawInputs, workspace: string, now: Date) => Inputs
  /** Whether the step has something to do without a key. */
  readonly needsNoKey?: (raw: RawInputs) => boolean
  /** What a green end without a key means for later runs, as full sentences. */
  readonly describeMissingKey?: (raw: RawInputs, context: Context) => string | undefined
  /** What is known of a step that throws is asked of what `onStop` was given last. */
  readonly run: (inputs: Inputs, step: Step, onStop: OnStop<Report>) => Promise<Report>
  /** The report of a step that asked nothing: stopped by an error, or skipped for want of a key. */
  readonly createSkippedReport: (error: ActionError | undefined, durationMs: number) => Report
  readonly render: (report: Report, redact: Redact, wantsSummary: boolean) => StepResult
}

/** Secrets are masked before anything else is looked at, and the address gets its default from the environment. */
function readInputs(names: readonly string[], core: Core, env: NodeJS.ProcessEnv): RawInputs {
  for (const name of SECRET_INPUTS.filter((name) => names.includes(name))) {
    const secret = core.input(name)
    core.mask(secret)
    core.mask(secret.trim())
  }
  const inputs = Object.fromEntries(names.map((name) => [name, core.input(name)]))
  return isGiven(inputs, 'base-url') ? inputs : { ...inputs, 'base-url': env['DOCS_AGENT_BASE_URL'] ?? '' }
}

/**
 * Says why a step without a key ends green: right where GitHub withholds the secrets of the repository, and worth a
 * warning anywhere else, as a misspelt secret would otherwise stay green for ever.
 */
function announceSkip(core: Core, context: Context, consequence: string | undefined): void {
  if (withholdsSecrets(context))
    core.notice('Docs Agent skipped', 'This run has no access to secrets, so nothing was sent to the service.')
  else core.warn('Skipped: `api-key` is empty, although this run has access to secrets. Check the name of the secret.')
  if (consequence !== undefined) core.notice('The base of the next range moves', consequence)
}

/** Runs an action as the step's program: from the runner's inputs to its exit code. */
export function runAction<Inputs extends StepInputs, Report>(action: Action<Inputs, Report>): Promise<void> {
  return execute(async (runner, onStop) => {
    const { core, clock, startedAt, env } = runner
    for (const [name, value] of Object.entries(action.initialOutputs)) core.setOutput(name, value)
    const raw = readInputs(inputNames(action.fields), core, env)
    // Known of wrong inputs too.
    const wantsSummary = raw['summary']?.trim().toLowerCase() !== 'false'
    const createSkippedReport = (error?: ActionError): Report =>
      action.createSkippedReport(error, clock.now() - startedAt)
    const render = (report: Report): StepResult => action.render(report, core.redact, wantsSummary)
    /** In the fullest form in which it can be told. */
    const onStopOfAction: OnStop<Report> = (tellKnown) => {
      onStop((error) => {
        for (const isSummaryWanted of [wantsSummary, false]) {
          try {
            return action.render(tellKnown(error), core.redact, isSummaryWanted)
          } catch (defect) {
            logDefect(defect, core)
          }
        }
        return toErrorResult(error, action.initialOutputs)
      })
    }
    onStopOfAction(createSkippedReport)

    // Nothing else is looked at then: where secrets are withheld, other inputs may come from secrets too.
    if (!isGiven(raw, 'api-key') && raw['on-missing-key']?.trim() === 'skip' && !action.needsNoKey?.(raw)) {
      const context = readContext(env)
      announceSkip(core, context, action.describeMissingKey?.(raw, context))
      return render(createSkippedReport())
    }
    const inputs = action.parse(raw, env['GITHUB_WORKSPACE'] ?? process.cwd(), clock.wallTime())
    return render(await action.run(inputs, openStep(inputs, runner, action.connectGitHub), onStopOfAction))
  })
}
