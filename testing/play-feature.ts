import type { GitHub } from '../src/github/github.ts'
import { createClient, type DocsServiceClient } from '../src/docs-service/client.ts'
import type { Transport } from '../src/docs-service/transport.ts'
import type { Clock } from '../src/runtime/clock.ts'
import { ActionError } from '../src/runtime/errors.ts'
import { createRedactor } from '../src/text/redact.ts'
import { cleanLines } from '../src/text/untrusted.ts'
import { formatResult, type StepResult, type StepInputs } from '../src/action/step.ts'
import { inputNames } from '../src/action/inputs.ts'
import type { Action, OnStop } from '../src/action/run-action.ts'
import { virtualClock, type VirtualClock } from './virtual-clock.ts'
import { createStepClock } from './fake-clock.ts'
import { readRun, RUN_FACTS, type GivenRun } from './given-run.ts'
import { agentAction } from '../src/agent/run.ts'
import type { AgentInputs } from '../src/agent/facts.ts'
import type { Run } from '../src/agent/record.ts'
import { checkResult } from './check-result.ts'
import { fakeRunner, watchMilestones } from './fake-runner.ts'
import { describeReport, type DescribedReport } from './report.ts'
import { respondInProcess, type Respond } from './respond-in-process.ts'
import { flattenResult } from './flatten-result.ts'

/** The observable results of an action. */
export interface Played<Report> extends StepResult {
  readonly summary: string
  /** The last line of the log, or the annotation. */
  readonly line: string
  readonly report: Report
  /** All calls of the host in order, as `kind: text`. */
  readonly hostCalls: readonly string[]
  readonly log: readonly string[]
  readonly warnings: readonly string[]
  /** The jobs whose outputs were written during the run: when, in milliseconds since the start of the step, and after how many lines of the log. */
  readonly accepted: readonly { readonly id: string; readonly at: number; readonly linesBefore: number }[]
  /** The outputs that were written during the run, in order, with the milliseconds since the start of the step. */
  readonly outputWrites: readonly { readonly name: string; readonly value: string; readonly at: number }[]
}

/** The dependencies of an action: both servers, the clock and the run. */
export interface Stage {
  readonly apiKey: string
  readonly transport: Transport
  readonly github: GitHub | undefined
  readonly context: GivenRun
  readonly clock: Clock
  readonly signal?: AbortSignal
  readonly random?: () => number
  /** Replaces the client of the service. */
  readonly client?: DocsServiceClient
  /** Moves the time until the work is done. Omitted if the clock moves by itself. */
  readonly baseClock?: Pick<VirtualClock, 'passUntil'>
}

/** Creates a stage without GitHub, and with a client of the service that needs no transport. */
export const stageClient = (client: DocsServiceClient, clock: Clock, signal: AbortSignal): Stage => ({
  apiKey: 'docs_key',
  transport: () => Promise.reject(new Error('Unexpected request.')),
  github: undefined,
  context: RUN_FACTS,
  clock,
  signal,
  random: () => 0.5,
  client,
})

/** Returns a signal that aborts at a time, like a cancelled run. Infinite: never. */
export function cancelledAt(baseClock: Pick<VirtualClock, 'at'>, timeMs = Infinity): AbortSignal {
  const controller = new AbortController()
  const cancel = (): void => {
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  if (timeMs !== Infinity) baseClock.at(timeMs, cancel)
  return controller.signal
}

/**
 * Runs an action with the real client, and returns its observable results.
 * @param onStop receives what reports the step if it is stopped
 */
export async function playOn<Inputs extends StepInputs, Report>(
  stage: Stage,
  feature: Action<Inputs, Report>,
  parse: () => Inputs,
  onStop: OnStop<Report> = () => undefined,
): Promise<Played<Report>> {
  const { apiKey, transport, github, context, clock, signal = new AbortController().signal } = stage
  const { random = () => 0.5 } = stage
  const startedAt = clock.now()
  const redact = createRedactor([apiKey])
  const accepted: { id: string; at: number; linesBefore: number }[] = []
  const outputWrites: { name: string; value: string; at: number }[] = []
  const given = new Map<string, string>()
  const bare = fakeRunner()
  const noteOutput = watchMilestones(() => {
    const linesBefore = bare.lines('log').length
    accepted.push({ id: given.get('job-id') ?? '', at: clock.now() - startedAt, linesBefore })
  })
  /** Cleans and redacts each line, as the real runner does. */
  const inLines = (say: (line: string) => void) => (text: string) => {
    for (const line of cleanLines(text, 4_000, redact)) say(line)
  }
  const host = {
    ...bare,
    redact,
    log: inLines(bare.log),
    logQuote: (text: string) => {
      bare.logQuote(redact(text))
    },
    warn: inLines(bare.warn),
    setOutput(name: string, value: string) {
      given.set(name, value)
      outputWrites.push({ name, value, at: clock.now() - startedAt })
      noteOutput(name)
    },
  }

  async function play(): Promise<Report> {
    try {
      const inputs = parse()
      const { timeoutMs, projectId, jobId } = inputs
      const deadlineAt = startedAt + timeoutMs
      // Tests set the payload; the event is parsed from it.
      const step = { runner: host, clock, signal, random, startedAt, deadlineAt, github, context: readRun(context) }
      const client = stage.client ?? createClient({ ...step, ...host, transport, projectId, jobId })
      return await feature.run(inputs, { ...step, client }, onStop)
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      return feature.createSkippedReport(error, 0)
    }
  }

  const report = await (stage.baseClock?.passUntil(play()) ?? play())
  const result = feature.render(report, redact)
  checkResult(result.outputs)
  return {
    ...result,
    report,
    accepted,
    outputWrites,
    hostCalls: bare.calls,
    log: bare.lines('log'),
    warnings: bare.lines('warn'),
    // The real runner redacts all outputs.
    outputs: flattenResult(
      Object.fromEntries(Object.entries(result.outputs).map(([name, value]) => [name, redact(value)])),
    ),
    summary: redact(result.summary ?? ''),
    line: redact(formatResult(result)),
  }
}

/** An agent's step, with all that follows from its report. */
export type PlayedAgent = Played<DescribedReport>

/** Plays the agent action. */
export async function playAgent(stage: Stage, parse: () => AgentInputs, onStop?: OnStop<Run>): Promise<PlayedAgent> {
  const played = await playOn(stage, agentAction, parse, onStop)
  return { ...played, report: describeReport(played.report) }
}

export interface FeaturePlay {
  /** Inputs as in a workflow. Omitted inputs are empty. */
  readonly given: Readonly<Record<string, string>>
  readonly respond: Respond
  readonly workspace?: string
  readonly facts?: Partial<GivenRun>
  /** When the run is cancelled, in milliseconds from its start. Default: never. */
  readonly cancelAtMs?: number
  /** Aborts when the run is cancelled, in place of a time. */
  readonly signal?: AbortSignal
}

/** Runs an action from its inputs on, with a virtual clock and with all servers in this process. */
export function playFeature<Inputs extends StepInputs, Report>(
  feature: Action<Inputs, Report>,
  { given, respond, workspace = '.', facts, cancelAtMs, signal: cancelled }: FeaturePlay,
): Promise<Played<Report>> {
  const baseClock = virtualClock()
  const clock = createStepClock(baseClock)
  const apiKey = given['api-key'] ?? ''
  const transport = respondInProcess(respond, apiKey, clock)
  const raw = Object.fromEntries(inputNames(feature.fields).map((name) => [name, given[name] ?? '']))
  const signal = cancelled ?? cancelledAt(baseClock, cancelAtMs)
  const stage = { apiKey, transport, github: undefined, context: { ...RUN_FACTS, ...facts }, clock, baseClock, signal }
  return playOn(stage, feature, () => feature.parse(raw, workspace, clock.wallTime()))
}
