import { JobWatch } from '../../src/agent/turn/job-watch.ts'
import { createJob } from '../../src/agent/turn/run-turn.ts'
import type { Delivery } from '../../src/docs-service/client.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import { fakeHost } from './fake-host.ts'
import { fakeStep, type StepFields } from './fake-step.ts'

/** The job of a prompt that was accepted. @throws the error of a prompt whose delivery is unknown */
export function getAcceptedJob(delivery: Exclude<Delivery, { kind: 'retry' }>): Job {
  if (delivery.kind === 'delivery-unknown') throw delivery.error
  return delivery.job
}

/** Creates a job as a turn does: resends the prompt as often as the client allows. */
export async function deliverPrompt(
  fields: Pick<StepFields, 'client' | 'clock' | 'signal'>,
  log: (line: string) => void = () => undefined,
): Promise<Job> {
  const step = fakeStep({ ...fields, core: { ...fakeHost(), log } })
  return getAcceptedJob(await createJob('x', new JobWatch(step)))
}
