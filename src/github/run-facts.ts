import type { Environment } from '../network/proxy.ts'
import { readEventPayload } from './event-payload.ts'

/** What is known of the run of the workflow that this step is a part of. */
export interface RunFacts {
  readonly eventName: string
  /** The event, as GitHub wrote it. */
  readonly payload: unknown
  readonly sha: string
  /** The branch or tag. */
  readonly refName: string
  /** `owner/name` */
  readonly repository: string
  readonly runId: number
  /** The name of the workflow's file, where it is known. */
  readonly workflow: string | undefined
  /** The origin of the pages, such as `https://github.com`. */
  readonly serverUrl: string
  readonly apiUrl: string
}

/** `acme/docs/.github/workflows/docs.yml@refs/heads/main` */
const WORKFLOW_REF = /\/([^/@]+\.ya?ml)@/

/** With no slash at its end: a path is going to be put behind it. */
function addressOf(text: string | undefined, otherwise: string): string {
  return text !== undefined && URL.canParse(text) ? text.replace(/\/+$/, '') : otherwise
}

export function runFactsOf(env: Environment, payload: unknown): RunFacts {
  return {
    eventName: env['GITHUB_EVENT_NAME'] ?? '',
    payload,
    sha: env['GITHUB_SHA'] ?? '',
    refName: env['GITHUB_REF_NAME'] ?? '',
    repository: env['GITHUB_REPOSITORY'] ?? '',
    runId: Number(env['GITHUB_RUN_ID'] ?? '0'),
    workflow: WORKFLOW_REF.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1],
    serverUrl: addressOf(env['GITHUB_SERVER_URL'], 'https://github.com'),
    apiUrl: addressOf(env['GITHUB_API_URL'], 'https://api.github.com'),
  }
}

export function readRunFacts(env: Environment): RunFacts {
  return runFactsOf(env, readEventPayload(env))
}
