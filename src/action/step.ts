import { createClient, type DocsServiceClient } from '../docs-service/client.ts'
import { createTransport } from '../docs-service/transport.ts'
import type { connectGitHub, GitHub } from '../github/github.ts'
import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Deadline, TimeBudget } from '../runtime/time-budget.ts'
import { redactAll } from '../text/redact.ts'
import { atGitHub, readContext, type Context } from './context.ts'
import type { Core } from './toolkit.ts'
import type { Parsed, SERVICE_FIELDS } from './inputs.ts'

/** What a step has before its inputs are known. */
export interface Runner {
  readonly core: Core
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** On the clock's scale. */
  readonly startedAt: number
  readonly env: NodeJS.ProcessEnv
}

/** What every part of a step works with. It is made once, when the inputs are known, and never changes. */
export interface Step extends Omit<Runner, 'env'> {
  /** From 0 to 1. */
  readonly random: () => number
  /** On the clock's scale. */
  readonly deadlineAt: number
  readonly client: DocsServiceClient
  /** What is known of the run of the workflow, its event included. */
  readonly context: Context
  /** Undefined without a token. */
  readonly github: GitHub | undefined
}

/** What the inputs of every action say of the two servers. */
export interface StepInputs extends Parsed<typeof SERVICE_FIELDS> {
  readonly timeoutMs: number
  /** Undefined if it was not given, or by an action that has no use for it. */
  readonly jobId?: string | undefined
  /** Empty, or left out by an action that has no use for it: nothing is asked of GitHub. */
  readonly githubToken?: string
  /** Undefined: that of the run. */
  readonly githubApiUrl?: string | undefined
}

/** @throws ActionError `proxy` if the proxy's address is none */
export function openStep(inputs: StepInputs, { env, ...runner }: Runner, connectToGitHub?: typeof connectGitHub): Step {
  const { githubToken: token = '', githubApiUrl, timeoutMs, projectId, jobId } = inputs
  const { core } = runner
  const given = atGitHub(readContext(env), githubApiUrl)
  const step = { ...runner, random: Math.random, deadlineAt: runner.startedAt + timeoutMs }
  const dependencies = { ...step, ...core, env }
  // It masks what is secret of the proxies, so it is made before anything is redacted.
  const transport = createTransport({ ...inputs, ...dependencies })
  // Texts of the event are cut and escaped later, when a secret in them could no longer be found.
  const context = { ...given, event: redactAll(given.event, core.redact) }
  return {
    ...step,
    context,
    client: createClient({ ...dependencies, projectId, jobId, transport }),
    github: token === '' ? undefined : connectToGitHub?.({ ...dependencies, token, apiUrl: context.apiUrl }),
  }
}

/** The step for what has to end before it does. */
export function endingAt<S extends Step>(step: S, deadlineAt: number): S {
  return { ...step, deadlineAt, github: step.github?.until(deadlineAt) }
}

/** The step for what has a time budget of its own, with a deadline that moves with it. */
export function within<S extends Step>(step: S, budget: TimeBudget): S {
  const { github } = step
  return {
    ...step,
    get deadlineAt() {
      return budget.at
    },
    github: github?.until(budget),
  }
}

/**
 * GitHub for some questions, which a GitHub that hangs must not let take the time of the step.
 * @param time what they may take in all, in milliseconds, or their deadline, such as a budget; by default all of the step's time
 * @param graceMs how far past the step's deadline they may go
 * @throws ActionError if there is no token
 */
export function openGitHub({ clock, deadlineAt, github }: Step, time?: number | Deadline, graceMs = 0): GitHub {
  if (github === undefined) throw new ActionError('unauthorized', 'there is no `github-token`.')
  if (time === undefined) return github
  return github.until(typeof time === 'number' ? Math.min(clock.now() + time, deadlineAt + graceMs) : time)
}
