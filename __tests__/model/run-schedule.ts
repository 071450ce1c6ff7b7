import { RUN_FACTS } from '../../testing/given-run.ts'
import { createStepClock } from '../../testing/fake-clock.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { cancelledAt, playAgent, type PlayedAgent } from '../../testing/play-feature.ts'
import { KEY } from './planted-key.ts'
import type { Schedule } from './schedule.ts'
import { createServiceModel, JOB_ID, PROJECT_ID, type ServiceModel } from './service-model.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'

/** What a step showed, and the model's records of it. Times are in milliseconds from the step's start. */
export interface Trace extends PlayedAgent {
  readonly schedule: Schedule
  readonly service: Omit<ServiceModel, 'transport'>
  readonly endedAt: number
}

/** Parses the inputs as in a workflow, so that the real defaults and rules apply. */
function createInputs(schedule: Schedule): ReturnType<typeof agentInputs> {
  const { task, wait, timeoutMs, pollIntervalMs, failOn } = schedule
  const given = {
    prompt: task === 'attach' ? '' : 'Fix it.',
    'job-id': task === 'create' ? '' : JOB_ID,
    'project-id': PROJECT_ID,
    'api-key': KEY,
    wait: String(wait),
    'fail-on': failOn.join() || 'none',
  }
  return agentInputs({ timeoutMs, pollIntervalMs }, given)
}

/** Runs the real step against the model. Only sockets, timers and the runner are fakes. */
export async function runSchedule(schedule: Schedule): Promise<Trace> {
  const clock = virtualClock({ wallJump: schedule.wallJump })
  const { transport, ...service } = createServiceModel(schedule, clock)
  const stage = {
    apiKey: KEY,
    transport,
    github: undefined,
    context: RUN_FACTS,
    clock: createStepClock(clock),
    signal: cancelledAt(clock, schedule.cancelAtMs),
    random: () => schedule.random,
    baseClock: clock,
  }
  const played = await playAgent(stage, () => createInputs(schedule))
  return { ...played, schedule, service, endedAt: clock.now() }
}
