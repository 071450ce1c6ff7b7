import { context } from '@actions/github'

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

/** Outside of a runner there is no event, whatever the types of the package say. */
export function readEvent(): TriggerEvent {
  const { eventName, actor, payload } = context as Partial<TriggerEvent>
  return { eventName: eventName ?? '', actor: actor ?? '', payload: payload ?? {} }
}
