import { JobWatch } from '../src/agent/turn/watch.ts'
import { plainTarget } from '../src/agent/turn/target.ts'
import { runTurn } from '../src/agent/turn/send.ts'
import type { Delivery } from '../src/docs-service/client.ts'
import type { Job } from '../src/docs-service/schemas.ts'
import { fakeRunner } from './fake-runner.ts'
import { agentInputs, openFakeStep, type StepFields } from './fake-step.ts'

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
  const { step, record } = openFakeStep({
    ...fields,
    inputs: agentInputs({ wait: false }),
    runner: { ...fakeRunner(), log },
  })
  const end = await runTurn(
    plainTarget({ kind: 'create', prompt: 'x' }),
    new JobWatch(step, { update: record.update, writeMilestone: () => undefined }),
  )
  const { job } = record.newest
  if ('kind' in end || job === undefined) throw new Error('The prompt was not accepted.')
  return job
}
