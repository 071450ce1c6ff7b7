import { agentAction } from '../../src/agent/agent-action.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { PUSH, RUN_FACTS, type GivenRun } from '../support/fake-github.ts'
import { stepClockOf } from '../support/fake-clock.ts'
import { agentInputs } from '../support/fake-step.ts'
import { playOn, type Played } from '../support/play-feature.ts'
import { createGitHubModel, type GitHubModel } from './github-model.ts'
import { SERVER_URL } from './job-life.ts'
import { KEY } from './planted-key.ts'
import type { Schedule } from './schedule.ts'
import { createServiceModel, JOB_ID, PROJECT_ID, type ServiceModel } from './service-model.ts'
import { virtualClock } from './virtual-clock.ts'

/** All that a run showed to the outside, and all that the models know about it. Times are from the step's beginning. */
export interface Trace extends Played<Report> {
  readonly schedule: Schedule
  readonly service: ServiceModel
  readonly github: GitHubModel | undefined
  readonly endedAt: number
}

const PROMPT_CUT_BYTES = 32 * 1024

/** The inputs as a workflow has them, so that the real defaults and rules hold. */
export function inputsOf(schedule: Schedule, projectId: string): ReturnType<typeof agentInputs> {
  const { task, promptHoldsKey, wait, timeoutMs, pollIntervalMs, failOn, asks, github } = schedule
  const given = {
    prompt:
      task === 'attach' ? '' : promptHoldsKey ? `${'p'.repeat(PROMPT_CUT_BYTES - 20)}${KEY} and so on` : 'Fix it.',
    'job-id': task === 'create' ? '' : JOB_ID,
    'project-id': projectId,
    'api-key': KEY,
    wait: String(wait),
    'fail-on': failOn.join() || 'none',
    'github-token': github === undefined ? '' : 'ghs_token',
    'change-context': asks.changeContext,
    paths: asks.paths ? 'docs/**' : '',
    label: asks.label ? 'docs-agent' : '',
    'wait-for-checks': String(asks.checks),
    'fix-rounds': String(asks.checks ? asks.fixRounds : 0),
    'allowed-paths': asks.scope ? 'docs/**' : '',
  }
  return agentInputs({ timeoutMs, pollIntervalMs }, given)
}

export const factsOf = ({ asks }: Schedule): GivenRun => ({
  ...RUN_FACTS,
  serverUrl: SERVER_URL,
  ...(asks.isPush ? { eventName: 'push', payload: PUSH } : {}),
})

/** Runs the real step against the models; only sockets, timers and the runner are not real. */
export async function runSchedule(schedule: Schedule): Promise<Trace> {
  const clock = virtualClock(schedule.wallJump)
  const service = createServiceModel(schedule, clock)
  const controller = new AbortController()
  const { signal } = controller
  if (schedule.cancelAtMs !== undefined) {
    clock.at(schedule.cancelAtMs, () => {
      controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    })
  }
  const stepClock = stepClockOf(clock)
  const github = schedule.github && createGitHubModel(schedule, schedule.github, service.life, stepClock, signal)
  const stage = {
    ...{ apiKey: KEY, transport: service.transport },
    github: github?.github,
    context: factsOf(schedule),
    clock: stepClock,
    signal,
    random: () => schedule.random,
    eventTime: () => clock.now(),
    world: clock,
  }
  const played = await playOn(stage, agentAction, () => inputsOf(schedule, PROJECT_ID))
  return { ...played, schedule, service, github, endedAt: clock.now() }
}
