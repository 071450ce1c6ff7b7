import * as z from 'zod/mini'
import type { RequestedRange } from '../inputs/change-range-input.ts'
import { firstRangeOfPush, rangeOfPush, shaField } from './push-range.ts'

/** What of a run decides on the range of its change. */
export interface Trigger {
  readonly eventName: string
  /** The event, as GitHub wrote it. */
  readonly payload: unknown
  /** `GITHUB_SHA` */
  readonly sha: string
}

export type ChangeRange =
  /** What `head` has since its merge base with `base`. */
  | {
      readonly kind: 'compare'
      /** `owner/name`; left out for the repository of the run. */
      readonly repository?: string
      readonly base: string
      readonly head: string
      /** Whose change it is, such as `the push`. */
      readonly about: string
      /** Whether `head` took the place of `base`: what only `base` had was taken out then, and counts as changed too. */
      readonly isReplacement?: true
      /** To compare with where `base` is gone. */
      readonly otherwise?: string
    }
  | {
      readonly kind: 'since-last-success'
      readonly head: string
      /** Where there was none. */
      readonly firstTime?: ChangeRange
    }
  /** What a tag has more than the tag before it. */
  | { readonly kind: 'since-tag'; readonly tag: string }
  /** The event names a pull request, and not its base and head. */
  | { readonly kind: 'pull-request'; readonly number: number }
  | { readonly kind: 'nothing-changed'; readonly reason: string }
  | { readonly kind: 'nothing-to-compare'; readonly reason: string }

const endsSchema = z.object({ base: z.object({ sha: shaField }), head: z.object({ sha: shaField }) })

/** A run, or the checks of a commit. Forks have no branch here. */
const ranOnSchema = z.object({
  head_sha: shaField,
  head_branch: z.nullish(z.string()),
  pull_requests: z.nullish(z.array(z.object({ base: z.object({ sha: shaField }) }))),
  head_repository: z.nullish(z.object({ id: z.number() })),
})
type RanOn = z.infer<typeof ranOnSchema>

const optional = <T>(schema: z.ZodMiniType<T>) => z.catch(z.optional(schema), undefined)

const eventSchema = z.object({
  action: optional(z.string()),
  pull_request: optional(
    z.object({ ...endsSchema.shape, state: z.nullish(z.string()), merged: z.nullish(z.boolean()) }),
  ),
  merge_group: optional(z.object({ base_sha: shaField, head_sha: shaField })),
  release: optional(z.object({ tag_name: z.string() })),
  issue: optional(z.object({ number: z.number(), pull_request: z.nullish(z.object({})) })),
  discussion: optional(z.object({})),
  workflow_run: optional(ranOnSchema),
  check_suite: optional(ranOnSchema),
  check_run: optional(z.object({ check_suite: ranOnSchema })),
  ref: optional(z.string()),
  ref_type: optional(z.string()),
  repository: optional(z.object({ id: z.optional(z.number()), default_branch: z.string() })),
})
type Event = z.infer<typeof eventSchema>

function rangeOfPullRequest(eventName: string, { action, pull_request }: Event): ChangeRange | undefined {
  if (pull_request === undefined) return undefined
  const { base, head, merged } = pull_request
  if (/^pull_request(?:_target)?$/.test(eventName) && action === 'closed' && merged !== true)
    return { kind: 'nothing-changed', reason: 'the pull request was closed without a merge' }
  return { kind: 'compare', base: base.sha, head: head.sha, about: 'the pull request' }
}

/** On the default branch a run tells where it ran, and not since when; elsewhere it is what the branch has more. */
function rangeOfRun(
  { head_sha, head_branch, pull_requests, head_repository }: RanOn,
  { repository }: Event,
): ChangeRange {
  const about = 'what the run before ran on'
  const [pullRequest] = pull_requests ?? []
  if (pullRequest !== undefined) return { kind: 'compare', base: pullRequest.base.sha, head: head_sha, about }
  const isOfFork = head_repository != null && repository?.id !== undefined && head_repository.id !== repository.id
  const isOnDefault = !isOfFork && head_branch === repository?.default_branch
  if (repository === undefined || isOnDefault) return { kind: 'since-last-success', head: head_sha }
  return { kind: 'compare', base: repository.default_branch, head: head_sha, about }
}

function rangeOfTag({ release, ref, ref_type }: Event, eventName: string): ChangeRange | undefined {
  const tag = release?.tag_name ?? (eventName === 'create' && ref_type === 'tag' ? ref : undefined)
  return tag === undefined ? undefined : { kind: 'since-tag', tag }
}

function rangeOfConversation({ issue, discussion }: Event): ChangeRange | undefined {
  if (issue?.pull_request != null) return { kind: 'pull-request', number: issue.number }
  const about = issue !== undefined ? 'an issue' : discussion !== undefined ? 'a discussion' : undefined
  return about && { kind: 'nothing-to-compare', reason: `the event is about ${about}, which has no commits` }
}

function rangeOfEvent({ eventName, payload, sha }: Trigger): ChangeRange {
  if (eventName === 'push') return rangeOfPush(payload)
  const event = eventSchema.safeParse(payload).data
  if (event === undefined) return { kind: 'since-last-success', head: sha }
  const { merge_group, workflow_run, check_suite, check_run } = event
  if (merge_group !== undefined) {
    const { base_sha: base, head_sha: head } = merge_group
    return { kind: 'compare', base, head, about: 'the merge group' }
  }
  // Deployments name the run that made them too, and are about no run.
  const ranOn = (eventName === 'workflow_run' ? workflow_run : undefined) ?? check_suite ?? check_run?.check_suite
  return (
    rangeOfPullRequest(eventName, event) ??
    rangeOfTag(event, eventName) ??
    rangeOfConversation(event) ??
    (ranOn === undefined ? { kind: 'since-last-success', head: sha } : rangeOfRun(ranOn, event))
  )
}

/** The range of a change is the event's own; events that are about no change look back to the last successful run. */
export function findChangeRange(trigger: Trigger, requested: RequestedRange): ChangeRange {
  if (requested.kind === 'between') {
    const { repository, base, head } = requested
    return {
      kind: 'compare',
      base,
      head,
      about: 'by `change-range`',
      ...(repository === undefined ? {} : { repository }),
    }
  }
  const range = rangeOfEvent(trigger)
  if (requested.kind === 'event' || range.kind === 'nothing-changed' || range.kind === 'since-last-success')
    return range
  const head = range.kind === 'compare' ? range.head : trigger.sha
  const firstTime = trigger.eventName === 'push' ? firstRangeOfPush(trigger.payload) : range
  return { kind: 'since-last-success', head, firstTime }
}

/** @param lastSha the head of the last successful run, undefined if there was none */
export function rangeSinceLastSuccess(
  { head, firstTime }: Extract<ChangeRange, { kind: 'since-last-success' }>,
  lastSha: string | undefined,
): ChangeRange {
  if (lastSha !== undefined)
    return { kind: 'compare', base: lastSha, head, about: 'all since the last successful run', isReplacement: true }
  const reason = 'no run of this workflow on this branch was successful before'
  return firstTime ?? { kind: 'nothing-to-compare', reason }
}
