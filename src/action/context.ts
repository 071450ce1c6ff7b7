import { parseUrl } from '../runtime/url.ts'
import { DEPENDABOT, readEvent, type Event } from '../github/event.ts'

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
  /** The file name of the workflow. Undefined if unknown. */
  readonly workflow: string | undefined
  /** The origin of GitHub's pages, such as `https://github.com`. */
  readonly serverUrl: string
  readonly apiUrl: string
}

/** Finds `docs.yml` in `acme/docs/.github/workflows/docs.yml@refs/heads/main`. */
const WORKFLOW_REF = /\/([^/@]+\.ya?ml)@/

/** Removes trailing slashes, because paths are appended. */
function toBaseUrl(text: string | undefined, fallback: string): string {
  return text !== undefined && parseUrl(text) !== undefined ? text.replace(/\/+$/, '') : fallback
}

/** Reads the workflow run from the environment variables and the event file of the runner. */
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
    // The runner generates an id (`__…`) for steps without one; it is useless to readers.
    stepId: (env['GITHUB_ACTION'] ?? '').replace(/^__.*$/, ''),
    runnerStepId: env['GITHUB_ACTION'] ?? '',
    workflow: WORKFLOW_REF.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1],
    serverUrl: toBaseUrl(env['GITHUB_SERVER_URL'], 'https://github.com'),
    apiUrl: toBaseUrl(env['GITHUB_API_URL'], 'https://api.github.com'),
  }
}

/**
 * Whether GitHub withholds secrets from this run, as it does for pull requests from forks and for runs by Dependabot.
 */
export const withholdsSecrets = ({ actor, event }: Pick<Context, 'actor' | 'event'>): boolean =>
  actor === DEPENDABOT || event.isOfFork

/**
 * github.com and GHE.com serve the API on `api.<host>`. GitHub Enterprise Server serves it on the host of the pages.
 */
const API_HOST = /^api\.(?=github\.com$|[^.]+\.ghe\.com$)/

/**
 * Returns the context with another API URL and the URL of the pages that belong to it, such as
 * `https://github.example.com` for `https://github.example.com/api/v3`.
 * @param apiUrl undefined keeps the run's own
 */
export function atGitHub(context: Context, apiUrl: string | undefined): Context {
  if (apiUrl === undefined) return context
  const pages = new URL(apiUrl)
  pages.hostname = pages.hostname.replace(API_HOST, '')
  return { ...context, apiUrl, serverUrl: pages.origin }
}
