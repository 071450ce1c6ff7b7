/** A step: its context from the runner's variables, its clock, deadline, signal and clients, and the forms of its result. */
import { createClient, type DocsServiceClient } from '../docs-service/client.ts'
import { createTransport } from '../docs-service/transport.ts'
import { DEPENDABOT, readEvent, type Event } from '../github/event.ts'
import type { connectGitHub, GitHub, Resources } from '../github/github.ts'
import { isSameRepository } from '../github/schemas.ts'
import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import { parseUrl } from '../runtime/url.ts'
import { joinSentences } from '../text/format.ts'
import { redactAll } from '../text/redact.ts'
import { isGiven, type Parsed, type RawInputs, type SERVICE_FIELDS } from './inputs.ts'
import { bypassProxies, readRehearsal } from './rehearsal.ts'
import type { Runner } from './toolkit.ts'

/** The workflow run that this step belongs to. */
export interface Context {
  readonly event: Event
  /** Such as `pull_request_target`. */
  readonly eventName: string
  /** The login of the account that started the run. */
  readonly actor: string
  readonly sha: string
  /** The short name of the branch or tag. */
  readonly refName: string
  /** `owner/name` */
  readonly repository: string
  readonly runId: number
  /** Starts at 1. Each re-run increases it. */
  readonly runAttempt: number
  /** The id of the job in the workflow file. All legs of a matrix share it. */
  readonly workflowJob: string
  /** The id of the step in the workflow file. Empty if the step has none. */
  readonly stepId: string
  /** The same, or the id that the runner generated. Unique within the job, and the same in each attempt. */
  readonly runnerStepId: string
  /** The file name of the workflow. Undefined if it is unknown, or in another repository. */
  readonly workflow: string | undefined
  /** The origin of GitHub's pages, such as `https://github.com`. */
  readonly serverUrl: string
  readonly apiUrl: string
  /** Whether service and GitHub are the embedded ones of a rehearsal. */
  readonly isRehearsal: boolean
}

/** Finds `acme/docs` and `docs.yml` in `acme/docs/.github/workflows/docs.yml@refs/heads/main`. */
const WORKFLOW_REF = /^([^/]+\/[^/]+)\/.*?([^/@]+\.ya?ml)@/

/** Removes trailing slashes, because paths are appended. */
function toBaseUrl(text: string | undefined, fallback: string): string {
  return text !== undefined && parseUrl(text) !== undefined ? text.replace(/\/+$/, '') : fallback
}

/** Reads the workflow run from the environment variables and the event file of the runner. */
export function readContext(env: NodeJS.ProcessEnv): Context {
  const rehearsal = readRehearsal(env)
  const repository = env['GITHUB_REPOSITORY'] ?? ''
  const [, workflowRepository = '', workflow] = WORKFLOW_REF.exec(env['GITHUB_WORKFLOW_REF'] ?? '') ?? []
  return {
    event: readEvent(env),
    eventName: env['GITHUB_EVENT_NAME'] ?? '',
    actor: env['GITHUB_ACTOR'] ?? '',
    sha: env['GITHUB_SHA'] ?? '',
    refName: env['GITHUB_REF_NAME'] ?? '',
    repository,
    runId: Number(env['GITHUB_RUN_ID'] ?? '0'),
    runAttempt: Number(env['GITHUB_RUN_ATTEMPT'] ?? '1'),
    workflowJob: env['GITHUB_JOB'] ?? '',
    // The runner generates an id (`__…`) for steps without one; it is useless to readers.
    stepId: (env['GITHUB_ACTION'] ?? '').replace(/^__.*$/, ''),
    runnerStepId: env['GITHUB_ACTION'] ?? '',
    // GitHub lists the runs of a workflow file in its own repository only: an organization can require another one's.
    workflow: isSameRepository(workflowRepository, repository) ? workflow : undefined,
    serverUrl: toBaseUrl(rehearsal?.server ?? env['GITHUB_SERVER_URL'], 'https://github.com'),
    apiUrl: toBaseUrl(rehearsal?.api ?? env['GITHUB_API_URL'], 'https://api.github.com'),
    isRehearsal: rehearsal !== undefined,
  }
}

/**
 * Explains why this run is not expected to have an API key, as a full sentence.
 * @param raw a fork has the workflow of its upstream repository, but neither its secrets nor its variables
 * @returns undefined if the run should have a key
 */
export function explainMissingKey({ actor, event }: Context, raw: RawInputs): string | undefined {
  if (actor === DEPENDABOT) return 'GitHub withholds secrets from runs that Dependabot starts.'
  if (event.isOfFork) return 'GitHub withholds secrets from pull requests from forks.'
  if (event.isInFork && !(isGiven(raw, 'project-id') && isGiven(raw, 'base-url')))
    return 'This repository is a fork without a documentation service of its own.'
  return undefined
}

/** What a step has before its inputs are parsed. */
export interface Host {
  readonly runner: Runner
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** A timestamp of `clock.now()`. */
  readonly startedAt: number
  readonly env: NodeJS.ProcessEnv
}

/** The dependencies of all parts of a step. Created once, from the parsed inputs. */
export interface Step extends Omit<Host, 'env'> {
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
}

/**
 * Creates the step, with its clients of the service and of GitHub.
 * @throws ActionError `proxy` if the proxy URL is invalid
 */
export function openStep(inputs: StepInputs, { env, ...host }: Host, connectToGitHub?: typeof connectGitHub): Step {
  const { githubToken: token = '', timeoutMs, projectId, jobId } = inputs
  const { runner } = host
  const given = readContext(env)
  const step = { ...host, random: Math.random, deadlineAt: host.startedAt + timeoutMs }
  const dependencies = { ...step, ...runner, env: given.isRehearsal ? bypassProxies(env) : env }
  // Creating the transport masks the secrets of the proxies, so it comes before the event is redacted.
  const transport = createTransport({ ...inputs, ...dependencies })
  // The texts of the event are cut and escaped later, and the redactor could no longer find a secret in them.
  const context = { ...given, event: redactAll(given.event, runner.redact) }
  return {
    ...step,
    context,
    client: createClient({ ...dependencies, projectId, jobId, transport }),
    github: token === '' ? undefined : connectToGitHub?.({ ...dependencies, token, apiUrl: context.apiUrl }),
  }
}

/** A step's result in words, the same in the log, in the annotation and at the top of the summary. */
export interface Conclusion {
  readonly isGreen: boolean
  readonly title: string
  /** What happened, in full sentences. */
  readonly text: string
  /** What to do now, in full sentences. Undefined if there is nothing to do. */
  readonly advice?: string | undefined
}

/** For a step that is skipped because it has no key, and is not expected to have one. */
export const MISSING_KEY = {
  title: 'Skipped, no API key',
  text: 'Nothing was sent to the service, because `api-key` is empty. Pull requests from forks, runs by Dependabot and forks without a configuration have no key.',
} as const

/** A step's result in all forms that the runner takes: annotation, outputs and summary. */
export interface StepResult extends Conclusion {
  /** The service's own message. */
  readonly quote?: string | undefined
  /** Comes after all sentences, without a period. */
  readonly last?: string | undefined
  readonly outputs: Readonly<Record<string, string>>
  readonly notice?: { readonly title: string; readonly text: string } | undefined
  /** Markdown. Undefined if no summary is wanted. */
  readonly summary?: string | undefined
}

/**
 * Formats a result as the text of the annotation or of the last line of the log.
 * @param before sentences to put before the result
 */
export function formatResult({ text, quote, advice, last }: StepResult, ...before: readonly string[]): string {
  const quoted = quote === undefined ? undefined : `The service says: “${quote}”`
  const sentences = joinSentences([...before, text, quoted, advice])
  return last === undefined ? sentences : `${sentences} ${last}`
}

/** @throws ActionError `unauthorized` if there is no token */
export function requireGitHub({ github }: Pick<Step, 'github'>): GitHub {
  if (github === undefined) throw new ActionError('unauthorized', 'there is no `github-token`.')
  return github
}

/**
 * Returns GitHub for what is left to do at the end of a step, which its deadline and a cancellation do not stop at once.
 * @throws ActionError `unauthorized` if there is no token
 */
export function requireGitHubAtEnd(step: Pick<Step, 'github'>): Resources {
  return requireGitHub(step).atEnd()
}
