import type { Delivery, DocsServiceClient } from '../src/docs-service/client.ts'
import type { Job } from '../src/docs-service/schemas.ts'
import type { Clock } from '../src/runtime/clock.ts'
import { agentInputs } from './agent-inputs.ts'
import { playAgent, stageClient } from './play-feature.ts'

/** Returns the job of a prompt that was accepted. @throws the error of a prompt whose delivery is unknown */
export function getAcceptedJob(delivery: Exclude<Delivery, { kind: 'retry' }>): Job {
  if (delivery.kind === 'delivery-unknown') throw delivery.error
  return delivery.job
}

/** Creates a job in a step that does not wait for it: resends the prompt as often as the client allows. */
export async function deliverPrompt(
  {
    client,
    clock,
    signal,
  }: { readonly client: DocsServiceClient; readonly clock: Clock; readonly signal: AbortSignal },
  log: (line: string) => void = () => undefined,
): Promise<Job> {
  const stage = stageClient(client, clock, signal)
  const task = { kind: 'create', prompt: 'x' } as const
  const { report, log: lines } = await playAgent(stage, () => agentInputs({ task, wait: false, githubToken: '' }))
  lines.forEach(log)
  // A step that is cancelled meanwhile has an error and the job.
  if (report.job !== undefined) return report.job
  throw report.error ?? new Error('The prompt was not accepted.')
}
