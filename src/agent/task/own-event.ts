import { MARKER_BEGINNING } from '../../github/comments.ts'
import type { OpenPullRequest } from '../../github/open-pull-requests.ts'
import type { RunFacts } from '../../github/run-facts.ts'
import { findEventPullRequests } from '../change/event-pull-requests.ts'

/**
 * Whether this action wrote the comment that started the run. With a person's token it is a person's comment, on whatever it
 * answers. Anybody can begin one like that, and then it is theirs that is passed over.
 */
export function isOwnComment({ payload }: RunFacts): boolean {
  return payload.comment?.body?.startsWith(MARKER_BEGINNING) === true
}

/**
 * Whether the run was started by what happened to the pull request itself: a push to its branch, its checks, a deployment of
 * it, or a comment by an app. A follow-up to that would start the next run, and so on.
 */
export function isOwnEvent(facts: RunFacts, { repository, number, branch }: OpenPullRequest): boolean {
  if (facts.repository.toLowerCase() !== repository.toLowerCase()) return false
  const { ref, workflow_run, made_by, check_suite, check_run } = facts.payload
  const branches = [workflow_run, made_by, check_suite, check_run?.check_suite].map((run) => run?.head_branch)
  return (
    findEventPullRequests(facts).numbers.includes(number) ||
    branches.includes(branch) ||
    (facts.eventName === 'push' && ref === `refs/heads/${branch}`)
  )
}
