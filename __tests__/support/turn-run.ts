import type { AgentInputs, Task } from '../../src/agent/inputs.ts'
import type { Target } from '../../src/agent/plan.ts'
import { JobWatch } from '../../src/agent/turn/job-watch.ts'
import { decideTurn } from '../../src/agent/turn/decide-turn.ts'
import { announceStart, previewTurn, runTurn } from '../../src/agent/turn/run-turn.ts'
import type { GitHub } from '../../src/github/github.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { fakeClient, type FakeClient, type Script } from './fake-client.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'
import { RUN_FACTS, type GivenRun } from './fake-github.ts'
import { fakeHost } from './fake-host.ts'
import { agentInputs, fakeStep } from './fake-step.ts'
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
  /**
   * Whether `reads` contains each terminal state before the message only once, although it is read until it is stable.
   */
  readonly namesEndsOnce?: boolean
}

/** Runs a turn with a scripted client, an optional GitHub, and a fake clock. */
export async function playTurn(options: TurnRunOptions): Promise<TurnRun> {
  const {
    task,
    target = { kind: task.kind === 'create' ? 'new-job' : 'job' },
    inputs = {},
    github,
    facts,
    cancelAtSleep,
    namesEndsOnce = true,
    ...script
  } = options
  const controller = new AbortController()
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  const startedAt = clock.now()
  const client = fakeClient({ ...(task.kind === 'follow-up' && namesEndsOnce ? { standsBy: clock } : {}), ...script })
  const log: string[] = []
  const warnings: string[] = []
  const accepted: { sleepsBefore: number; linesBefore: number }[] = []
  let last = ''
  const host = {
    ...fakeHost(),
    log: (line: string) => log.push(line),
    warn: (line: string) => warnings.push(line),
    setOutput: (name: string) => {
      // A milestone writes the outcome before the status.
      const isHandedOn = name === 'outcome' && last === 'status'
      last = name
      if (!isHandedOn) return
      accepted.push({ sleepsBefore: clock.sleeps.length, linesBefore: log.length })
    },
  }
  const all = agentInputs({ task, githubToken: github === undefined ? '' : 'ghs_token', ...inputs })
  const step = fakeStep({
    inputs: all,
    core: host,
    clock,
    client,
    github,
    signal: controller.signal,
    timeoutMs: all.timeoutMs,
    context: { ...RUN_FACTS, ...facts },
  })
  const { journal } = step
  try {
    journal.begin({ task })
    const watch = new JobWatch(step)
    announceStart({ task, target }, step)
    const decision = await decideTurn({ task, target }, watch)
    const shown = decision.kind === 'preview' ? previewTurn({ task, target }, step) : decision
    const end = shown.kind === 'send' ? await runTurn(shown.start, target, watch) : shown
    if (end.kind === 'stop') throw end.error
    if (end.kind !== 'replan') journal.updateTurn(end)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.stop(error)
  }
  return {
    report: describeReport(journal.report()),
    client,
    clock,
    elapsedMs: clock.now() - startedAt,
    log,
    warnings,
    accepted,
  }
}
