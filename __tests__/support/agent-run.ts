import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import type { Task } from '../../src/agent/inputs/task.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runAgent } from '../../src/agent/run.ts'
import type { GitHub } from '../../src/github/github.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { fakeClient, type FakeClient, type Script } from './fake-client.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'
import { RUN_FACTS, type GivenRun } from './fake-github.ts'
import { fakeHost } from './fake-host.ts'
import { agentInputs, fakeStep } from './fake-step.ts'

export interface AgentRun {
  readonly report: Report
  readonly client: FakeClient
  readonly clock: FakeClock
  /** Since the step began, in milliseconds. */
  readonly elapsedMs: number
  readonly log: readonly string[]
  readonly warnings: readonly string[]
  /** When the job was handed to the next step: how often was slept and how much was said before. */
  readonly accepted: readonly { readonly sleepsBefore: number; readonly linesBefore: number }[]
}

export interface AgentRunOptions extends Script {
  readonly task: Task
  readonly inputs?: Partial<AgentInputs>
  readonly github?: GitHub
  readonly facts?: Partial<GivenRun>
  /** Cancels the run when it goes to sleep after this many sleeps. */
  readonly cancelAtSleep?: number
  /** Cancels the run in the moment in which the service takes the prompt. */
  readonly cancelWhenAccepted?: boolean
}

/** Runs the step against a scripted client, a GitHub if there is one, and a clock that moves only when someone sleeps. */
export async function runScripted(options: AgentRunOptions): Promise<AgentRun> {
  const { task, inputs = {}, github, facts, cancelAtSleep, cancelWhenAccepted = false, ...script } = options
  const controller = new AbortController()
  const cancel = (): void => {
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) cancel()
    },
  })
  const startedAt = clock.now()
  const client = fakeClient(script)
  const log: string[] = []
  const warnings: string[] = []
  const accepted: { sleepsBefore: number; linesBefore: number }[] = []
  const host = {
    ...fakeHost(),
    log: (line: string) => log.push(line),
    warn: (line: string) => warnings.push(line),
    setOutput: (_name: string, value: string) => {
      if (value !== 'submitted') return
      accepted.push({ sleepsBefore: clock.sleeps.length, linesBefore: log.length })
      if (cancelWhenAccepted) cancel()
    },
  }
  const all = agentInputs({ task, githubToken: github === undefined ? '' : 'ghs_token', ...inputs })
  const report = await runAgent(
    all,
    fakeStep({
      core: host,
      clock,
      client,
      github,
      signal: controller.signal,
      timeoutMs: all.timeoutMs,
      context: { ...RUN_FACTS, ...facts },
    }),
  )
  return { report, client, clock, elapsedMs: clock.now() - startedAt, log, warnings, accepted }
}
