import { parseUrl } from '../runtime/url.ts'
import { DEPENDABOT, readEvent, type Event } from '../github/event.ts'

/** What is known of the run of the workflow that this step is a part of. */
export interface Context {
  readonly event: Event
  /** As GitHub calls it, such as `pull_request_target`. */
  readonly eventName: string
  /** Who started the run. */
  readonly actor: string
  readonly sha: string
  /** The branch or tag. */
  readonly refName: string
  /** `owner/name` */
  readonly repository: string
  readonly runId: number
  /** From 1; more if somebody has run it again. */
  readonly runAttempt: number
  /** The id of the job in the workflow's file. All legs of a matrix have the same. */
  readonly workflowJob: string
  /** The id that the user gave this step; empty if there is none. */
  readonly stepId: string
  /** The id that the runner gave this step: unique within its job, and the same in each attempt. */
  readonly runnerStepId: string
  /** The name of the workflow's file, where it is known. */
  readonly workflow: string | undefined
  /** The origin of the pages, such as `https://github.com`. */
  readonly serverUrl: string
  readonly apiUrl: string
}

/** `acme/docs/.github/workflows/docs.yml@refs/heads/main` */
const WORKFLOW_REF = /\/([^/@]+\.ya?ml)@/

/** With no slash at its end: a path is going to be put behind it. */
function toAddress(text: string | undefined, fallback: string): string {
  return text !== undefined && parseUrl(text) !== undefined ? text.replace(/\/+$/, '') : fallback
}

export function readContext(env: NodeJS.ProcessEnv): Context {
  return {
    event: readEvent(env),
    eventName: env['GITHUB_EVENT_NAME'] ?? '',
    actor: env['GITHUB_ACTOR'] ?? '',
    sha: env['GITHUB_SHA'] ?? '',
    refName: env['GITHUB_REF_NAME'] ?? '',
    repository: env['GITHUB_REPOSITORY'] ?? '',
    runId: Number(env['GITHUB_RUN_ID'] ?? '0'),
    runAttempt: Number(env['GITHUB_RUN_ATTEMPT'] ?? '1'),
    workflowJob: env['GITHUB_JOB'] ?? '',
    // A step without an id of its own has one that the runner made, which tells nothing.
    stepId: (env['GITHUB_ACTION'] ?? '').replace(/^__.*$/, ''),
    runnerStepId: env['GITHUB_ACTION'] ?? '',
    workflow: WORKFLOW_REF.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1],
    serverUrl: toAddress(env['GITHUB_SERVER_URL'], 'https://github.com'),
    apiUrl: toAddress(env['GITHUB_API_URL'], 'https://api.github.com'),
  }
}

/**
 * Whether GitHub withholds the repository's secrets from this run: it does for pull requests from forks and for all that
 * Dependabot starts. A fork that was deleted meanwhile has no repository any more.
 */
export const withholdsSecrets = ({ actor, event }: Pick<Context, 'actor' | 'event'>): boolean =>
  actor === DEPENDABOT || event.isOfFork

/** GitHub's own API, and that of an enterprise in its cloud, have a host of their own beside that of the pages. */
const API_HOST = /^api\.(?=github\.com$|[^.]+\.ghe\.com$)/

/**
 * The same run with another GitHub, and the pages that belong to it: `https://github.example.com/api/v3` has them at
 * `https://github.example.com`.
 * @param apiUrl undefined: the run's own
 */
export function atGitHub(context: Context, apiUrl: string | undefined): Context {
  if (apiUrl === undefined) return context
  const pages = new URL(apiUrl)
  pages.hostname = pages.hostname.replace(API_HOST, '')
  return { ...context, apiUrl, serverUrl: pages.origin }
}
