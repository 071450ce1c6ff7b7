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

/** What a step has before its inputs are parsed. */
export interface Runner {
  readonly core: Core
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** A timestamp of `clock.now()`. */
  readonly startedAt: number
  readonly env: NodeJS.ProcessEnv
}

/** The dependencies of all parts of a step. Created once, from the parsed inputs. */
export interface Step extends Omit<Runner, 'env'> {
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  /** A timestamp of `clock.now()`. */
  readonly deadlineAt: number
  readonly client: DocsServiceClient
  /** The workflow run, including its event. */
  readonly context: Context
  /** Undefined without a token. */
  readonly github: GitHub | undefined
}

/** The inputs that configure the clients of the service and of GitHub. */
export interface StepInputs extends Parsed<typeof SERVICE_FIELDS> {
  readonly timeoutMs: number
  /** Undefined: not given, or the action has no such input. */
  readonly jobId?: string | undefined
  /** Empty or omitted: no requests are sent to GitHub. */
  readonly githubToken?: string
  /** Undefined: the GitHub of the run. */
  readonly githubApiUrl?: string | undefined
}

/**
 * Creates the step, with its clients of the service and of GitHub.
 * @throws ActionError `proxy` if the proxy URL is invalid
 */
export function openStep(inputs: StepInputs, { env, ...runner }: Runner, connectToGitHub?: typeof connectGitHub): Step {
  const { githubToken: token = '', githubApiUrl, timeoutMs, projectId, jobId } = inputs
  const { core } = runner
  const given = atGitHub(readContext(env), githubApiUrl)
  const step = { ...runner, random: Math.random, deadlineAt: runner.startedAt + timeoutMs }
  const dependencies = { ...step, ...core, env }
  // Creating the transport masks the secrets of the proxies, so it comes before the event is redacted.
  const transport = createTransport({ ...inputs, ...dependencies })
  // The texts of the event are cut and escaped later, and the redactor could no longer find a secret in them.
  const context = { ...given, event: redactAll(given.event, core.redact) }
  return {
    ...step,
    context,
    client: createClient({ ...dependencies, projectId, jobId, transport }),
    github: token === '' ? undefined : connectToGitHub?.({ ...dependencies, token, apiUrl: context.apiUrl }),
  }
}

/** Returns the step with another deadline. */
export function endingAt<S extends Step>(step: S, deadlineAt: number): S {
  return { ...step, deadlineAt, github: step.github?.until(deadlineAt) }
}

/** Returns the step with the deadline of a time budget, which can move. */
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
 * Returns GitHub with a time limit, so that an unresponsive GitHub does not use up the time of the step.
 * @param time the limit of all requests together in milliseconds, or their deadline, such as a shared budget; by
 *   default the step's deadline
 * @param graceMs how far past the step's deadline the requests may run
 * @throws ActionError `unauthorized` if there is no token
 */
export function openGitHub({ clock, deadlineAt, github }: Step, time?: number | Deadline, graceMs = 0): GitHub {
  if (github === undefined) throw new ActionError('unauthorized', 'there is no `github-token`.')
  if (time === undefined) return github
  return github.until(typeof time === 'number' ? Math.min(clock.now() + time, deadlineAt + graceMs) : time)
}
