import type { AgentInputs, Task } from '../../src/agent/inputs/inputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runAgent } from '../../src/agent/job/run.ts'
import type { Job } from '../../src/service/schemas.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { fakeClient, type FakeClient, type Script } from './fake-client.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'

export const CREATE: Task = { kind: 'create', prompt: 'Fix the guide.' }
export const FOLLOW_UP: Task = { kind: 'follow-up', prompt: 'And the index.', jobId: 'job_1' }
export const ATTACH: Task = { kind: 'attach', jobId: 'job_1' }

export interface AgentRun {
  readonly report: Report
  readonly client: FakeClient
  readonly clock: FakeClock
  readonly log: readonly string[]
  readonly warnings: readonly string[]
  /** The jobs that were handed to the next step, with how often was slept and how much was said before. */
  readonly accepted: readonly { readonly job: Job; readonly sleepsBefore: number; readonly linesBefore: number }[]
}

export interface AgentRunOptions extends Script {
  readonly task: Task
  readonly inputs?: Partial<AgentInputs>
  /** Cancels the run when it goes to sleep after this many sleeps. */
  readonly cancelAtSleep?: number
  /** Cancels the run in the moment in which the service takes the prompt. */
  readonly cancelWhenAccepted?: boolean
}

/** Runs the use case against a scripted client and a clock that moves only when someone sleeps. */
export async function runScripted(options: AgentRunOptions): Promise<AgentRun> {
  const { task, inputs = {}, cancelAtSleep, cancelWhenAccepted = false, ...script } = options
  const controller = new AbortController()
  const cancel = (): void => {
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) cancel()
    },
  })
  const client = fakeClient(script)
  const log: string[] = []
  const warnings: string[] = []
  const accepted: { job: Job; sleepsBefore: number; linesBefore: number }[] = []
  const report = await runAgent(
    {
      task,
      projectId: 'docs-demo',
      apiKey: 'docs_key',
      baseUrl: 'https://docs.example.com',
      wait: true,
      timeoutMs: 3_600_000,
      pollIntervalMs: undefined,
      failOn: new Set(),
      summary: true,
      ...inputs,
    },
    {
      client,
      clock,
      signal: controller.signal,
      random: () => 0.5,
      startedAt: clock.now(),
      log: (line) => log.push(line),
      warn: (line) => warnings.push(line),
      onJobAccepted: (job) => {
        accepted.push({ job, sleepsBefore: clock.sleeps.length, linesBefore: log.length })
        if (cancelWhenAccepted) cancel()
      },
    },
  )
  return { report, client, clock, log, warnings, accepted }
}
