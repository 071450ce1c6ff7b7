import type { PullRequestCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event-parts.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { pausesBefore, pollUntil } from '../../runtime/poll.ts'
import type { AgentStep } from '../report/journal.ts'
import { isMarkerComment } from '../pull-request/marker.ts'
import {
  getGuardEnd,
  matchCommits,
  MAX_LOOK_UPS,
  type SourceLookUp,
  type SourcePullRequest,
} from './source-pull-requests.ts'

/**
 * The numbers of the pull requests that a change came from, if this action's jobs opened all of them. `others`: some of it is
 * the work of others.
 */
export type Ownership = readonly number[] | 'others' | 'unknown'

/** Up to a minute and a half: a label is put on as soon as the step that waits for the job has seen its end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
/** For as long, in milliseconds, a pull request is new: its run may have waited for a runner, and the job's end comes later. */
const NEW_FOR_MS = 300_000

/**
 * Whether a job of this action opened a pull request: it has the label, or the comment that names the job. Both may still come
 * if an app opened it.
 * @throws ActionError if GitHub does not tell
 */
export async function isOwnPullRequest(
  pullRequest: SourcePullRequest,
  github: GitHub,
  step: AgentStep,
): Promise<boolean> {
  const { clock, context, inputs } = step
  const { event } = context
  const { number, author, createdAt } = pullRequest
  if (!isOpen(pullRequest) && !inputs.skipOwnChanges) return false
  const isNew = author.type === 'Bot' && clock.wallTime().getTime() - Date.parse(createdAt) < NEW_FOR_MS
  const isByApp = event.kind === 'push' && event.sender.isBot
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
  return pollUntil(
    hasMark,
    Boolean,
    pausesBefore(mayBeUnmarked ? MARK_PAUSES_MS : [], () => getGuardEnd(step), clock),
    step,
  )
}

/**
 * Whether all of the commits came with pull requests that this action's jobs opened. The first commit that did not ends the
 * search. A merged pull request brought its commits. An open one brought those that whoever opened it pushed to its branch:
 * commits of others on it are theirs, and those that it only branched off came from elsewhere. What is said of a commit, such
 * as its checks, belongs to an open pull request that lists it.
 * @param commits newest first
 * @throws ActionError if GitHub does not tell
 */
export async function findOwnChanges(
  commits: readonly EventCommit[],
  sources: SourceLookUp,
  github: GitHub,
  step: AgentStep,
): Promise<Ownership> {
  const own = new Set<number>()
  const explained = new Set<string>()
  let lookUps = 0
  for (const commit of commits) {
    if (explained.has(commit.sha)) continue
    if (++lookUps > MAX_LOOK_UPS) {
      step.core.log(`Too many of the ${commits.length} commits came from elsewhere to look up each.`)
      return 'unknown'
    }
    const found = await sources.find(commit)
    if (found.length === 0) return 'others'
    explained.add(commit.sha)
    for (const source of found) {
      const { author, number } = source
      if (!own.has(number) && !(await isOwnPullRequest(source, github, step))) return 'others'
      own.add(number)
      if (commits.every(({ sha }) => explained.has(sha))) continue
      // Commits of others on it may have come with another pull request, too.
      const isByAuthor = ({ account: { login } }: PullRequestCommit): boolean => login !== '' && login === author.login
      for (const sha of matchCommits(await sources.listCommits(number), commit, commits, isByAuthor)) explained.add(sha)
    }
  }
  return [...own]
}
