import * as z from 'zod/mini'
import { isMarkerComment } from '../pull-request/pull-request-marker.ts'
import type { Trigger } from './change-range.ts'
import type { EventCommit, Pushed } from './push-range.ts'

/** The pull requests that an event came from. Where they are the agent's own, it must not ask the agent. */
export interface EventPullRequests {
  readonly numbers: readonly number[]
  /** Those of the event's own pull request, if it says so. */
  readonly labels: readonly string[]
  /** An app has just opened it, so that its label and its marker may still come. */
  readonly mayBeUnmarked: boolean
}

const NONE: EventPullRequests = { numbers: [], labels: [], mayBeUnmarked: false }

/** As long as this, in milliseconds, a pull request is new: the step that waits for its job marks it after the next look. */
export const MARKED_WITHIN_MS = 90_000

const optional = <T>(schema: z.ZodMiniType<T>) => z.catch(z.optional(schema), undefined)
const accountSchema = z.object({ login: z.string(), type: z.nullish(z.string()) })
const numbersSchema = z.nullish(z.array(z.object({ number: z.number() })))
const ranOnSchema = z.object({
  head_sha: z.nullish(z.string()),
  head_commit: z.nullish(z.object({ message: z.nullish(z.string()) })),
  head_branch: z.nullish(z.string()),
  pull_requests: numbersSchema,
  actor: z.nullish(accountSchema),
})

const eventSchema = z.object({
  pull_request: optional(
    z.object({
      number: z.number(),
      user: z.nullish(accountSchema),
      labels: z.nullish(z.array(z.object({ name: z.string() }))),
      created_at: z.nullish(z.string()),
      updated_at: z.nullish(z.string()),
    }),
  ),
  issue: optional(z.object({ number: z.number(), pull_request: z.nullish(z.object({})) })),
  comment: optional(z.object({ body: z.nullish(z.string()) })),
  sender: optional(accountSchema),
  merge_group: optional(z.object({ head_ref: z.string() })),
  workflow_run: optional(ranOnSchema),
  check_suite: optional(ranOnSchema),
  check_run: optional(z.object({ pull_requests: numbersSchema })),
})
type Event = z.infer<typeof eventSchema>

const parseEvent = (payload: unknown): Event => eventSchema.safeParse(payload).data ?? {}

function isNew({ created_at, updated_at }: NonNullable<Event['pull_request']>): boolean {
  return !(Date.parse(updated_at ?? '') - Date.parse(created_at ?? '') > MARKED_WITHIN_MS)
}

/** What a person says on the agent's pull request is for the agent; what an app says, or this action, is an answer to it. */
function findCommented({ pull_request, issue, comment, sender }: Event): EventPullRequests {
  const number = pull_request?.number ?? (issue?.pull_request == null ? undefined : issue.number)
  const isByPerson = sender?.type !== 'Bot' && !isMarkerComment(comment?.body ?? '')
  return number === undefined || isByPerson ? NONE : { ...NONE, numbers: [number] }
}

export function findEventPullRequests({ eventName, payload }: Trigger): EventPullRequests {
  const event = parseEvent(payload)
  const { pull_request, merge_group, workflow_run, check_suite, check_run } = event
  if (/^(?:issue_comment|pull_request_review.*)$/.test(eventName)) return findCommented(event)
  if (pull_request !== undefined) {
    const { number, user, labels } = pull_request
    const names = (labels ?? []).map(({ name }) => name)
    return { numbers: [number], labels: names, mayBeUnmarked: user?.type === 'Bot' && isNew(pull_request) }
  }
  const queued = /\/pr-(\d+)-[0-9a-f]+$/.exec(merge_group?.head_ref ?? '')?.[1]
  if (queued !== undefined) return { ...NONE, numbers: [Number(queued)] }
  const ranOn =
    ((eventName === 'workflow_run' ? workflow_run : undefined) ?? check_suite ?? check_run)?.pull_requests ?? []
  return { ...NONE, numbers: ranOn.map(({ number }) => number) }
}

/** For an event that came from a run: the commit that it ran on, and the branch, with whoever pushed or merged. */
export function ranOn({
  eventName,
  payload,
}: Trigger): { readonly commit: EventCommit; readonly pushed: Pushed } | undefined {
  const run = parseEvent(payload).workflow_run
  if (eventName !== 'workflow_run' || run?.head_sha == null) return undefined
  const { head_sha: sha, head_commit, head_branch, actor } = run
  return {
    commit: { sha, message: head_commit?.message ?? '' },
    pushed: { branch: head_branch ?? '', by: actor?.login ?? '' },
  }
}
