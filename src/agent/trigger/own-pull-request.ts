import type { Step } from '../../action/step.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import { isOpen, type ListedPullRequest, type PullRequestState } from '../../github/pull-requests.ts'
import { pausesBefore, pollUntil } from '../../runtime/poll.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import { isMarkerComment } from '../pull-request/marker.ts'
import type { EventOrigin } from './event-origin.ts'

/** Whom to ask whose work something is, and what is known of it. */
export interface OwnerSearch {
  readonly github: GitHub
  /** On the clock's scale: nothing is asked after it. */
  readonly endsAt: number
  readonly origin: EventOrigin
  readonly inputs: Pick<AgentInputs, 'label' | 'skipOwnChanges'>
  readonly step: Step
}

export type Bringer = Pick<ListedPullRequest, 'number' | 'labels' | 'author' | 'createdAt'> & {
  readonly state: PullRequestState
}

/** Up to a minute and a half: a label is put on as soon as the step that waits for the job has seen its end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
/** For as long, in milliseconds, a pull request is new: its run may have waited for a runner, and the job's end comes later. */
const NEW_FOR_MS = 300_000

/**
 * Whether a job of this action opened a pull request: it has the label, or the comment that names the job. Both may still come
 * if an app opened it.
 * @throws ActionError if GitHub does not tell
 */
export async function isOwnPullRequest(pullRequest: Bringer, search: OwnerSearch): Promise<boolean> {
  const { github, endsAt, origin, inputs, step } = search
  const { clock, context } = step
  const { number, author, createdAt } = pullRequest
  if (!isOpen(pullRequest) && !inputs.skipOwnChanges) return false
  const isNew = author.type === 'Bot' && clock.wallTime().getTime() - Date.parse(createdAt) < NEW_FOR_MS
  const isByApp = origin.pushed !== undefined && context.event.sender.isBot
  const mayBeUnmarked = inputs.label !== '' && isOpen(pullRequest) && (isNew || isByApp)
  const address = { repository: context.repository, number }
  let known: readonly string[] | undefined = pullRequest.labels
  const hasMark = async (): Promise<boolean> => {
    const labels = known ?? (await github.readPullRequest(address)).labels
    known = undefined
    if (hasLabel(inputs.label, labels)) return true
    const comments = await github.listMarkerComments(address, isMarkerComment)
    return comments.some(({ body, author }) => author === 'trusted' && isMarkerComment(body))
  }
  return pollUntil(hasMark, Boolean, pausesBefore(mayBeUnmarked ? MARK_PAUSES_MS : [], endsAt, clock), step)
}
