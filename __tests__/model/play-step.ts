import { agentAction } from '../../src/agent/agent-action.ts'
import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runAgentStep } from '../../src/agent/step.ts'
import type { GitHub } from '../../src/github/connect-github.ts'
import type { RunFacts } from '../../src/github/run-facts.ts'
import { createClient } from '../../src/service/client.ts'
import type { Transport } from '../../src/service/transport.ts'
import type { Clock } from '../../src/shared/clock.ts'
import { createRedactor } from '../../src/shared/redact.ts'
import { safeLines } from '../../src/shared/safe-text.ts'
import type { Presentation } from '../../src/step/feature.ts'
import { fakeHost } from '../support/fake-host.ts'
import { KEY } from './planted-key.ts'

/** All that a step showed to the outside. */
export interface Played extends Presentation {
  readonly report: Report
  readonly log: readonly string[]
  readonly warnings: readonly string[]
  /** Jobs that were handed on, and when. */
  readonly accepted: readonly { readonly id: string; readonly at: number }[]
}

export interface Stage {
  readonly transport: Transport
  readonly github: GitHub | undefined
  readonly facts: RunFacts
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly random: number
  /** What the time of an event is, for the trace. */
  readonly eventTime: () => number
  /** Lets time pass until the work is done. */
  readonly passUntil: <T>(work: Promise<T>) => Promise<T>
}

const redact = createRedactor([KEY])

/** What the host does with every line. */
const shownLines = (text: string): string[] => safeLines(text, redact, 4_000)

/** Runs the real step with the real client; what is behind the two servers, the clock and the runner are the stage's. */
export async function playStep(inputs: AgentInputs, stage: Stage): Promise<Played> {
  const { transport, github, facts, clock, signal, random, eventTime, passUntil } = stage
  const { projectId, timeoutMs } = inputs
  const log: string[] = []
  const warnings: string[] = []
  const accepted: { id: string; at: number }[] = []
  const given = new Map<string, string>()
  const host = {
    ...fakeHost(),
    redact,
    log: (line: string) => log.push(...shownLines(line)),
    warn: (line: string) => warnings.push(...shownLines(line)),
    setOutput(name: string, value: string) {
      given.set(name, value)
      if (name === 'outcome') accepted.push({ id: given.get('job-id') ?? '', at: eventTime() })
    },
  }
  const startedAt = clock.now()
  const ports = { clock, signal, random: () => random, deadlineAt: startedAt + timeoutMs }
  const client = createClient({ ...ports, transport, projectId, redact, log: host.log })
  const step = { ...ports, host, startedAt, client, facts, github: () => Promise.resolve(github) }
  const report = await passUntil(runAgentStep(inputs, step))
  const { outputs, summary, text, ...shown } = agentAction.present(report, inputs, redact)
  // The host redacts whatever goes out.
  const redacted = Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, redact(value)]))
  return { ...shown, outputs: redacted, summary: redact(summary), text: redact(text), report, log, warnings, accepted }
}
