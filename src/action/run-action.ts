import { ActionError } from '../runtime/errors.ts'
import { announceSkip } from './announce-skip.ts'
import type { Action } from './action.ts'
import { openStep, type StepInputs } from './open-step.ts'
import { execute, resultOfError, type StepResult } from './execute.ts'
import { isSkipped, readInputs, wantsSummary } from './read-inputs.ts'

/** Runs an action as the step's program: from the runner's inputs to its exit code. */
export function runAction<Inputs extends StepInputs, Report>(feature: Action<Inputs, Report>): Promise<void> {
  return execute(async ({ core, clock, signal, onCrash }) => {
    const startedAt = clock.now()
    const { env } = process
    for (const [name, value] of Object.entries(feature.firstOutputs)) core.setOutput(name, value)
    const raw = readInputs(feature.inputNames, core, env)

    const publish = (report: Report, inputs?: Inputs, isSummaryWanted = wantsSummary(raw)): StepResult => {
      const { conclusion, summary, notice, ...rest } = feature.render(report, inputs, core.redact)
      const { isGreen, title } = conclusion
      const result = { isGreen, title, ...rest, summary: isSummaryWanted ? summary() : undefined }
      if (notice !== undefined) core.notice(notice.title, notice.text)
      return result
    }
    const notRun = (error?: ActionError): Report => feature.notRun(error, clock.now() - startedAt)
    /** Of several forms the fullest one that the defect leaves. */
    const publishCrash = (error: ActionError, report: () => Report, inputs?: Inputs): StepResult => {
      for (const isSummaryWanted of [wantsSummary(raw), false]) {
        try {
          return publish(report(), inputs, isSummaryWanted)
        } catch {
          // What is wrong is in the log: it is the defect itself, or another one on the way to tell of it.
        }
      }
      return resultOfError(error, feature.firstOutputs)
    }

    if (isSkipped(raw)) {
      announceSkip(core, env)
      return publish(notRun())
    }
    onCrash((error) => publishCrash(error, () => notRun(error)))
    try {
      const workspace = env['GITHUB_WORKSPACE'] ?? process.cwd()
      const inputs = feature.parse(raw, { workspace, now: clock.wallTime() })
      const step = openStep(inputs, { core, clock, signal, startedAt, env, loadGitHub: feature.loadGitHub })
      const report = await feature.run(inputs, step, (tellKnown) => {
        onCrash((error) => publishCrash(error, () => tellKnown(error), inputs))
      })
      return publish(report, inputs)
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      return publish(notRun(error))
    }
  })
}
