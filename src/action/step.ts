import type { GitHub } from '../github/github.ts'
import type { Context } from './context.ts'
import type { DocsServiceClient } from '../docs-service/client.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Core } from './core.ts'

/** What every part of a step works with. It is made once, when the inputs are known, and never changes. */
export interface Step {
  readonly core: Core
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
  readonly context: Context
  /**
   * GitHub's client, loaded by the first call: a step that asks GitHub nothing does not pay for it. Undefined without a token.
   * @throws ActionError if it cannot be started
   */
  readonly github: () => Promise<GitHub | undefined>
}
