import type { GitHub } from '../../src/github/connect-github.ts'
import type { RunFacts } from '../../src/github/run-facts.ts'
import { createClient } from '../../src/service/client.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { createRedactor } from '../../src/shared/redact.ts'
import type { Feature, Presentation } from '../../src/step/feature.ts'
import type { StepInputs } from '../../src/step/open-step.ts'
import { virtualClock } from '../model/virtual-clock.ts'
import { stepClockOf } from './fake-clock.ts'
import { RUN_FACTS } from './fake-github.ts'
import { fakeHost } from './fake-host.ts'
import { fakeStep } from './fake-step.ts'
import { respondInProcess, type Respond } from './respond-in-process.ts'

export interface FeaturePlay {
  /** Inputs as a workflow gives them; what is left out is empty. */
  readonly given: Readonly<Record<string, string>>
  readonly respond: Respond
  readonly workspace?: string
  readonly github?: GitHub | undefined
  readonly facts?: Partial<RunFacts>
}

export interface PlayedFeature<Report> extends Presentation {
  readonly report: Report
  /** What was said, in order, as `kind: text`. */
  readonly said: readonly string[]
}

/** Plays an action from its inputs to what it shows, with the real client; clock, runner and servers are of this process. */
export async function playFeature<Inputs extends StepInputs, Report>(
  feature: Feature<Inputs, Report>,
  { given, respond, workspace = '.', github, facts }: FeaturePlay,
): Promise<PlayedFeature<Report>> {
  const world = virtualClock()
  const clock = stepClockOf(world)
  const redact = createRedactor([given['api-key'] ?? ''])
  const host = { ...fakeHost(), redact }
  const raw = Object.fromEntries(feature.inputNames.map((name) => [name, given[name] ?? '']))

  async function play(): Promise<{ report: Report; inputs?: Inputs }> {
    try {
      const inputs = feature.parse(raw, { workspace, now: clock.wallTime() })
      const transport = respondInProcess(respond, inputs.apiKey, clock)
      const { timeoutMs } = inputs
      const step = fakeStep({ host, clock, github, timeoutMs, facts: { ...RUN_FACTS, ...facts } })
      const client = createClient({ ...step, ...host, transport, projectId: inputs.projectId })
      return { report: await feature.run(inputs, { ...step, client }), inputs }
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      return { report: feature.notRun(error, 0) }
    }
  }

  const { report, inputs } = await world.passUntil(play())
  return { ...feature.present(report, inputs, redact), report, said: host.said }
}
