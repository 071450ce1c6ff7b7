import type { AgentInputs, Task } from '../src/agent/facts.ts'
import type { DocsServiceClient } from '../src/docs-service/client.ts'
import { ActionError } from '../src/runtime/errors.ts'
import { fakeClient, type FakeClient, type Script } from './fake-client.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'
import { agentInputs } from './fake-step.ts'
import { playAgent, type PlayedAgent, stageClient } from './play-feature.ts'

export interface PlayedScript extends PlayedAgent {
  readonly client: FakeClient
  readonly clock: FakeClock
  /** Since the start of the step, in milliseconds. */
  readonly elapsedMs: number
}

export interface ScriptedStep extends Script {
  readonly task: Task
  readonly inputs?: Partial<AgentInputs>
  /** Cancels the run at the sleep after this many sleeps. */
  readonly cancelAtSleep?: number
  /** Default: a client that returns the results of the script. */
  readonly createClient?: (clock: FakeClock) => DocsServiceClient
}

/** Plays a whole step without GitHub, whose service returns the results of a script, on a fake clock. */
export async function playScript(options: ScriptedStep): Promise<PlayedScript> {
  const { task, inputs = {}, cancelAtSleep, createClient, ...script } = options
  const controller = new AbortController()
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  const startedAt = clock.now()
  const client = fakeClient(script)
  const stage = stageClient(createClient?.(clock) ?? client, clock, controller.signal)
  const all = agentInputs({ task, githubToken: '', ...inputs })
  return { ...(await playAgent(stage, () => all)), client, clock, elapsedMs: clock.now() - startedAt }
}
