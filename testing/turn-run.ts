import type { AgentInputs, Task } from '../src/agent/facts.ts'
import { JobWatch } from '../src/agent/turn/watch.ts'
import { createJobFollowUp } from '../src/agent/follow-up.ts'
import { plainTarget, type Target } from '../src/agent/turn/target.ts'
import { writeEarlyOutputs } from '../src/agent/output/outputs.ts'
import { runTurn } from '../src/agent/turn/send.ts'
import type { DocsServiceClient } from '../src/docs-service/client.ts'
import type { GitHub } from '../src/github/github.ts'
import { ActionError } from '../src/runtime/errors.ts'
import { fakeClient, type FakeClient, type Script } from './fake-client.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'
import { RUN_FACTS, type GivenRun } from './fake-github.ts'
import { fakeRunner, watchMilestones } from './fake-runner.ts'
import { agentInputs, openFakeStep } from './fake-step.ts'
import { describeReport, type DescribedReport } from './report.ts'

export interface TurnRun {
  readonly report: DescribedReport
  readonly client: FakeClient
  readonly clock: FakeClock
  /** Since the start of the step, in milliseconds. */
  readonly elapsedMs: number
  readonly log: readonly string[]
  readonly warnings: readonly string[]
  /** When outputs were written during the run: the numbers of sleeps and of log lines before. */
  readonly accepted: readonly { readonly sleepsBefore: number; readonly linesBefore: number }[]
}

export interface TurnRunOptions extends Script {
  readonly task: Task
  readonly inputs?: Partial<AgentInputs>
  readonly github?: GitHub
  readonly facts?: Partial<GivenRun>
  /** Default: the target of the task. */
  readonly target?: Target
  /** Cancels the run at the sleep after this many sleeps. */
  readonly cancelAtSleep?: number
  /** Default: a client that returns the results of the script. */
  readonly createClient?: (clock: FakeClock) => DocsServiceClient
}

/** Runs a turn with a scripted client, an optional GitHub, and a fake clock. */
export async function playTurn(options: TurnRunOptions): Promise<TurnRun> {
  const { task, target: given, inputs = {}, github, facts, cancelAtSleep, createClient, ...script } = options
  const controller = new AbortController()
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  const startedAt = clock.now()
  const client = fakeClient(script)
  const accepted: { sleepsBefore: number; linesBefore: number }[] = []
  const bare = fakeRunner()
  const setOutput = watchMilestones(() => {
    accepted.push({ sleepsBefore: clock.sleeps.length, linesBefore: bare.lines('log').length })
  })
  const all = agentInputs({ task, githubToken: github === undefined ? '' : 'ghs_token', ...inputs })
  const { step, record } = openFakeStep({
    inputs: all,
    runner: { ...bare, setOutput },
    clock,
    client: createClient?.(clock) ?? client,
    github,
    signal: controller.signal,
    timeoutMs: all.timeoutMs,
    context: { ...RUN_FACTS, ...facts },
  })
  try {
    record.begin({ task })
    const target = given ?? (task.kind === 'follow-up' ? createJobFollowUp(task, step) : plainTarget(task))
    const watch = new JobWatch(step, {
      update: record.update,
      writeMilestone: () => {
        writeEarlyOutputs(record.read('running'), step.runner)
      },
    })
    record.update(await runTurn(target, watch))
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    record.fail(error)
  }
  return {
    report: describeReport(record.read()),
    client,
    clock,
    elapsedMs: clock.now() - startedAt,
    log: bare.lines('log'),
    warnings: bare.lines('warn'),
    accepted,
  }
}
