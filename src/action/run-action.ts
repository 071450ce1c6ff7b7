import { ActionError } from '../runtime/errors.ts'
import type { Action } from './action.ts'
import { readContext, withholdsSecrets } from './context.ts'
import type { Core } from './core.ts'
import { execute, resultOfError, type StepResult } from './execute.ts'
import { isGiven, type RawInputs } from './parse-inputs.ts'
import { openStep, type StepInputs } from './step.ts'

/** What must not be shown, by the names of the inputs. */
const SECRETS = ['api-key', 'github-token']

/** Secrets are masked before anything else is looked at, and the address gets its default from the environment. */
function readInputs(names: readonly string[], core: Core, env: NodeJS.ProcessEnv): RawInputs {
  for (const name of SECRETS.filter((name) => names.includes(name))) {
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
function announceSkip(core: Core, env: NodeJS.ProcessEnv): void {
  if (withholdsSecrets(readContext(env)))
    core.notice('Docs Agent skipped', 'This run gets no secrets, so nothing was sent to the service.')
  else core.warn('Skipped: `api-key` is empty, although this run may have secrets. Check the name of the secret.')
}

/** Runs an action as the step's program: from the runner's inputs to its exit code. */
export function runAction<Inputs extends StepInputs, Report>(feature: Action<Inputs, Report>): Promise<void> {
  return execute(async ({ core, clock, signal, onCrash }) => {
    const startedAt = clock.now()
    const { env } = process
    for (const [name, value] of Object.entries(feature.firstOutputs)) core.setOutput(name, value)
    const raw = readInputs(feature.inputNames, core, env)
    // Known of wrong inputs too.
    const wantsSummary = raw['summary']?.trim().toLowerCase() !== 'false'

    const publish = (report: Report, inputs?: Inputs, isSummaryWanted = wantsSummary): StepResult => {
      const { conclusion, summary, notice, ...rest } = feature.render(report, inputs, core.redact)
      const { isGreen, title } = conclusion
      const result = { isGreen, title, ...rest, summary: isSummaryWanted ? summary() : undefined }
      if (notice !== undefined) core.notice(notice.title, notice.text)
      return result
    }
    const notRun = (error?: ActionError): Report => feature.notRun(error, clock.now() - startedAt)
    /** Of several forms the fullest one that the defect leaves. */
    const publishCrash = (error: ActionError, report: () => Report, inputs?: Inputs): StepResult => {
      for (const isSummaryWanted of [wantsSummary, false]) {
        try {
          return publish(report(), inputs, isSummaryWanted)
        } catch {
          // What is wrong is in the log: it is the defect itself, or another one on the way to tell of it.
        }
      }
      return resultOfError(error, feature.firstOutputs)
    }

    // Nothing else is looked at then: where secrets are withheld, other inputs may come from secrets too.
    if (!isGiven(raw, 'api-key') && raw['on-missing-key']?.trim() === 'skip') {
      announceSkip(core, env)
      return publish(notRun())
    }
    onCrash((error) => publishCrash(error, () => notRun(error)))
    try {
      const workspace = env['GITHUB_WORKSPACE'] ?? process.cwd()
      const inputs = feature.parse(raw, { workspace, now: clock.wallTime() })
      const step = openStep(inputs, { core, clock, signal, startedAt, env, connectGitHub: feature.connectGitHub })
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
