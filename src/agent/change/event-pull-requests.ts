import type { EventPayload } from '../../github/event-payload.ts'
import type { Pushed, Trigger } from './change-range.ts'
import type { EventCommit } from './push-range.ts'

/** The pull requests that an event came from. Where they are the agent's own, it must not ask the agent. */
interface EventPullRequests {
  readonly numbers: readonly number[]
  /** Those of the event's own pull request, if it says so. */
  readonly labels: readonly string[]
  /** An app has just opened it, so that its label and its marker may still come. */
  readonly mayBeUnmarked: boolean
}

const NONE: EventPullRequests = { numbers: [], labels: [], mayBeUnmarked: false }

/** As long as this, in milliseconds, a pull request is new: the step that waits for its job marks it after the next look. */
const MARKED_WITHIN_MS = 90_000

function isNew({ created_at, updated_at }: NonNullable<EventPayload['pull_request']>): boolean {
  return !(Date.parse(updated_at ?? '') - Date.parse(created_at ?? '') > MARKED_WITHIN_MS)
}

/** What a person says on the agent's pull request is for the agent; what an app says is an answer to it. */
function findCommented({ pull_request, issue, sender }: EventPayload): EventPullRequests {
  const number = pull_request?.number ?? (issue?.pull_request && issue.number)
  return number === undefined || sender?.type !== 'Bot' ? NONE : { ...NONE, numbers: [number] }
}

export function findEventPullRequests({ eventName, payload }: Trigger): EventPullRequests {
  const { pull_request, merge_group, workflow_run, check_suite, check_run } = payload
  if (/^(?:issue_comment|pull_request_review.*)$/.test(eventName)) return findCommented(payload)
  if (pull_request?.number !== undefined) {
    const { number, user, labels } = pull_request
    const names = (labels ?? []).map(({ name }) => name)
    return { numbers: [number], labels: names, mayBeUnmarked: user?.type === 'Bot' && isNew(pull_request) }
  }
  const queued = /\/pr-(\d+)-[0-9a-f]+$/.exec(merge_group?.head_ref ?? '')?.[1]
  if (queued !== undefined) return { ...NONE, numbers: [Number(queued)] }
  const ranOn = (workflow_run ?? check_suite ?? check_run)?.pull_requests ?? []
  return { ...NONE, numbers: ranOn.flatMap(({ number }) => number ?? []) }
}

/** For an event that came from a run: the commit that it ran on, and the branch, with whoever pushed or merged. */
export function ranOn({
  workflow_run: run,
}: EventPayload): { readonly commit: EventCommit; readonly pushed: Pushed } | undefined {
  if (run?.head_sha === undefined) return undefined
  const { head_sha: sha, head_commit, head_branch, actor } = run
  return {
    commit: { sha, message: head_commit?.message ?? '', isByPusher: false },
    pushed: { branch: head_branch ?? '', by: actor?.login ?? '', isByApp: actor?.type === 'Bot' },
  }
}
