import { ActionError } from '../shared/errors.ts'
import { isSkipped, wantsSummary } from '../shared/parse-inputs.ts'
import { announceSkip } from '../step/announce-skip.ts'
import type { Feature } from '../step/feature.ts'
import { openStep, type StepInputs } from '../step/open-step.ts'
import { execute, resultOfError, type StepResult } from './execute.ts'
import { readInputs } from './step-inputs.ts'

/** Runs an action as the step's program: from the runner's inputs to its exit code. */
export function runFeature<Inputs extends StepInputs, Report>(feature: Feature<Inputs, Report>): Promise<void> {
  return execute(async ({ host, clock, signal, onCrash }) => {
    const startedAt = clock.now()
    const { env } = process
    for (const [name, value] of Object.entries(feature.firstOutputs)) host.setOutput(name, value)
    const raw = readInputs(feature.inputNames, host, env)

    const publish = (report: Report, inputs?: Inputs, isSummaryWanted = wantsSummary(raw)): StepResult => {
      const { conclusion, summary, notice, ...rest } = feature.present(report, inputs, host.redact)
      const { isGreen, title } = conclusion
      const result = { isGreen, title, ...rest, summary: isSummaryWanted ? summary() : undefined }
      if (notice !== undefined) host.notice(notice.title, notice.text)
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
      announceSkip(host, env)
      return publish(notRun())
    }
    onCrash((error) => publishCrash(error, () => notRun(error)))
    try {
      const workspace = env['GITHUB_WORKSPACE'] ?? process.cwd()
      const inputs = feature.parse(raw, { workspace, now: clock.wallTime() })
      const step = openStep(inputs, { host, clock, signal, startedAt, env, loadGitHub: feature.loadGitHub })
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
