import * as z from 'zod/mini'
import type { OpenPullRequest } from '../../github/open-pull-requests.ts'
import type { RunFacts } from '../../github/run-facts.ts'
import { isMarkerComment } from '../pull-request/pull-request-marker.ts'

const numbered = z.optional(z.object({ number: z.number() }))
const branched = z.optional(z.object({ head_branch: z.nullish(z.string()) }))

const eventSchema = z.object({
  ref: z.nullish(z.string()),
  pull_request: numbered,
  issue: numbered,
  workflow_run: branched,
  check_suite: branched,
  check_run: z.optional(z.object({ check_suite: branched })),
  comment: z.optional(z.object({ body: z.nullish(z.string()) })),
  sender: z.optional(z.object({ type: z.optional(z.string()) })),
})

/** What people say in a pull request may well be meant for the agent. */
const SPOKEN = ['issue_comment', 'pull_request_review', 'pull_request_review_comment']

/**
 * Whether the run was started by what happened to the pull request itself: a push to its branch, its checks, or a comment
 * by an app or by this action. A follow-up to that would start the next run, and so on.
 */
export function isOwnEvent({ eventName, payload, repository }: RunFacts, pullRequest: OpenPullRequest): boolean {
  const event = eventSchema.safeParse(payload).data
  if (event === undefined || repository.toLowerCase() !== pullRequest.repository.toLowerCase()) return false
  const { pull_request, issue, workflow_run, check_suite, check_run, comment, sender } = event
  const branches = [workflow_run, check_suite, check_run?.check_suite].map((run) => run?.head_branch)
  const isAbout =
    [pull_request, issue].some((subject) => subject?.number === pullRequest.number) ||
    branches.includes(pullRequest.branch) ||
    (eventName === 'push' && event.ref === `refs/heads/${pullRequest.branch}`)
  const isByPerson = sender?.type !== 'Bot' && !isMarkerComment(comment?.body ?? '')
  return isAbout && !(SPOKEN.includes(eventName) && isByPerson)
}
