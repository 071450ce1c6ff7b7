import type { Environment } from '../network/proxy.ts'
import { readEventPayload } from './event-payload.ts'

interface EventPayload {
  readonly pull_request?: { readonly head?: { readonly repo?: { readonly full_name?: unknown } | null } }
  readonly repository?: { readonly full_name?: unknown }
}

/** What is known of the event that started the workflow, for the one question that is asked of it. */
export interface TriggerEvent {
  readonly eventName: string
  readonly actor: string
  readonly payload: EventPayload
}

/**
 * Whether GitHub withholds the repository's secrets from this run: it does for pull requests from forks and for all that
 * Dependabot starts. A fork that was deleted meanwhile has no repository any more.
 */
export function withholdsSecrets({ eventName, actor, payload }: TriggerEvent): boolean {
  if (actor === 'dependabot[bot]') return true
  if (!eventName.startsWith('pull_request') || eventName === 'pull_request_target') return false
  return payload.pull_request?.head?.repo?.full_name !== payload.repository?.full_name
}

/** Outside of a runner there is no event. */
export function readEvent(env: Environment): TriggerEvent {
  const payload = readEventPayload(env) as EventPayload | null | undefined
  return { eventName: env['GITHUB_EVENT_NAME'] ?? '', actor: env['GITHUB_ACTOR'] ?? '', payload: payload ?? {} }
}
