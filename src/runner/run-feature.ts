import { ActionError } from '../shared/errors.ts'
import { isSkipped, wantsSummary } from '../shared/parse-inputs.ts'
import { announceSkip } from '../step/announce-skip.ts'
import type { Feature } from '../step/feature.ts'
import { openStep, type StepInputs } from '../step/open-step.ts'
import { execute, type StepResult } from './execute.ts'
import { readInputs } from './step-inputs.ts'

/** Runs an action as the step's program: from the runner's inputs to its exit code. */
export function runFeature<Inputs extends StepInputs, Report>(feature: Feature<Inputs, Report>): Promise<void> {
  return execute(async ({ host, clock, signal }) => {
    const startedAt = clock.now()
    const { env } = process
    for (const [name, value] of Object.entries(feature.firstOutputs)) host.setOutput(name, value)
    const raw = readInputs(feature.inputNames, host, env)

    const publish = (report: Report, inputs?: Inputs): StepResult => {
      const { conclusion, summary, notice, ...rest } = feature.present(report, inputs, host.redact)
      if (notice !== undefined) host.notice(notice.title, notice.text)
      const { isGreen, title } = conclusion
      return { isGreen, title, ...rest, summary: wantsSummary(raw) ? summary() : undefined }
    }
    const notRun = (error?: ActionError): StepResult => publish(feature.notRun(error, clock.now() - startedAt))

    if (isSkipped(raw)) {
      announceSkip(host, env)
      return notRun()
    }
    try {
      const workspace = env['GITHUB_WORKSPACE'] ?? process.cwd()
      const inputs = feature.parse(raw, { workspace, now: clock.wallTime() })
      const step = openStep(inputs, { host, clock, signal, startedAt, env, loadGitHub: feature.loadGitHub })
      return publish(await feature.run(inputs, step), inputs)
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      return notRun(error)
    }
  })
}
