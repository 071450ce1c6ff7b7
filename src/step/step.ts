import type { GitHub } from '../github/connect-github.ts'
import type { RunFacts } from '../github/run-facts.ts'
import type { DocsServiceClient } from '../service/client.ts'
import type { Clock } from '../shared/clock.ts'
import type { Host } from '../shared/host.ts'

/** What every part of a step works with. It is made once, when the inputs are known, and never changes. */
export interface Step {
  readonly host: Host
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly random: () => number
  /** On the clock's scale, as `deadlineAt` is. */
  readonly startedAt: number
  readonly deadlineAt: number
  readonly client: DocsServiceClient
  /** What is known of the run of the workflow, its event included. */
  readonly facts: RunFacts
  /**
   * GitHub's client, loaded by the first call: a step that asks GitHub nothing does not pay for it. Undefined without a token.
   * @throws ActionError if it cannot be started
   */
  readonly github: () => Promise<GitHub | undefined>
}
