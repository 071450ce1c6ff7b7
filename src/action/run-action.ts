import type { connectGitHub } from '../github/github.ts'
import type { ActionError } from '../runtime/errors.ts'
import type { Redact } from '../text/redact.ts'
import type { StepResult } from './conclusion.ts'
import { readContext, withholdsSecrets, type Context } from './context.ts'
import type { Core } from './core.ts'
import { execute, logDefect, resultOfError, type OnStop } from './execute.ts'
import { inputNames, type Fields, SECRET_INPUTS } from './input-table.ts'
import { isGiven, type RawInputs } from './parse-inputs.ts'
import { openStep, type Step, type StepInputs } from './step.ts'

/** One action, as the runner's side sees it: what every action does at its start and end is written here, once. */
export interface Action<Inputs extends StepInputs, Report> {
  readonly fields: Fields
  /** Outputs that hold until the step has an end: what nobody wrote would read as if the step had not run. */
  readonly firstOutputs: Readonly<Record<string, string>>
  /** Left out by an action that never asks GitHub, so that it is in no bundle of that action. */
  readonly connectGitHub?: typeof connectGitHub
  /** @throws ActionError `invalid-input` that names every problem */
  readonly parse: (raw: RawInputs, workspace: string, now: Date) => Inputs
  /** What a green end without a key means for later runs, as full sentences. */
  readonly describeMissingKey?: (raw: RawInputs, context: Context) => string | undefined
  /** What is known of a step that throws is asked of what `onStop` was given last. */
  readonly run: (inputs: Inputs, step: Step, onStop: OnStop<Report>) => Promise<Report>
  /** The report of a step that asked nothing: stopped by an error, or skipped for want of a key. */
  readonly notRun: (error: ActionError | undefined, durationMs: number) => Report
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
    core.notice('Docs Agent skipped', 'This run gets no secrets, so nothing was sent to the service.')
  else core.warn('Skipped: `api-key` is empty, although this run may have secrets. Check the name of the secret.')
  if (consequence !== undefined) core.notice('The base of the next range moves', consequence)
}

/** Runs an action as the step's program: from the runner's inputs to its exit code. */
export function runAction<Inputs extends StepInputs, Report>(action: Action<Inputs, Report>): Promise<void> {
  return execute(async (runner, onStop) => {
    const { core, clock, startedAt, env } = runner
    for (const [name, value] of Object.entries(action.firstOutputs)) core.setOutput(name, value)
    const raw = readInputs(inputNames(action.fields), core, env)
    // Known of wrong inputs too.
    const wantsSummary = raw['summary']?.trim().toLowerCase() !== 'false'
    const notRun = (error?: ActionError): Report => action.notRun(error, clock.now() - startedAt)
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
        return resultOfError(error, action.firstOutputs)
      })
    }
    onStopOfAction(notRun)

    // Nothing else is looked at then: where secrets are withheld, other inputs may come from secrets too.
    if (!isGiven(raw, 'api-key') && raw['on-missing-key']?.trim() === 'skip') {
      const context = readContext(env)
      announceSkip(core, context, action.describeMissingKey?.(raw, context))
      return render(notRun())
    }
    const inputs = action.parse(raw, env['GITHUB_WORKSPACE'] ?? process.cwd(), clock.wallTime())
    return render(await action.run(inputs, openStep(inputs, runner, action.connectGitHub), onStopOfAction))
  })
}
