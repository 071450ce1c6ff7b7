import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { OpenReport } from '../report/open-report.ts'
import { JobHistory } from './job-history.ts'
import { createPoller, type PollJob } from './poll-job.ts'

/** The jobs of a step as they are seen: what was read, and the one way to read on. It serves all of the step's tasks. */
export interface JobWatch {
  readonly known: OpenReport
  readonly history: JobHistory
  readonly poll: PollJob
}

export function openJobWatch({ pollIntervalMs }: AgentInputs, step: Step, known: OpenReport): JobWatch {
  const history = new JobHistory(step, known)
  return { known, history, poll: createPoller(pollIntervalMs, step, history) }
}
