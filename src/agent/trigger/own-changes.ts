import type { PullRequestCommit } from '../../github/commits.ts'
import { getTestMergeHead, type EventCommit } from '../../github/event-parts.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import { isOpen, type ListedPullRequest, type PullRequest } from '../../github/pull-requests.ts'
import { ActionError, rethrowFatal, unlessFailed } from '../../runtime/errors.ts'
import { pausesBefore, pollUntil } from '../../runtime/poll.ts'
import type { AgentStep } from '../report/journal.ts'
import { isMarkerComment } from '../pull-request/marker.ts'
import type { EventOrigin } from './event-origin.ts'

type Listed = readonly ListedPullRequest[]
type SourcePullRequest = ListedPullRequest | PullRequest
/**
 * The numbers of the pull requests that a change came from, if this action's jobs opened all of them. `others`: some of it is
 * the work of others.
 */
export type Ownership = readonly number[] | 'others' | 'unknown'

/** What the guard's own pauses leave of the time for questions, in milliseconds: others come after it. */
const LEFT_BY_GUARD_MS = 25_000
const SHARE_LEFT_BY_GUARD = 0.25

function getGuardEnd({ deadlineAt, questions }: AgentStep): number {
  return deadlineAt - Math.min(LEFT_BY_GUARD_MS, questions.totalMs * SHARE_LEFT_BY_GUARD)
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

/** Each costs a request or more; what came with a pull request that is known by then costs none. */
const MOST_LOOK_UPS = 50
/** Up to a minute: as long as GitHub may take to know all that a merge brought. */
const LAG_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000]
const LAG_MS = 60_001

/** As GitHub writes it for a merge, and at the end of the first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

/** Anybody can write a number into a message, and one of an issue or of another repository leads nowhere. */
async function readMerged({ message, sha }: EventCommit, repository: string, github: GitHub) {
  const [, merged, squashed] = NAMES_PULL_REQUEST.exec(message) ?? []
  const number = merged ?? squashed
  if (number === undefined) return undefined
  const pullRequest = await unlessFailed(github.readPullRequest({ repository, number: Number(number) }), 'not-found')
  return pullRequest?.state === 'merged' && pullRequest.mergeCommitSha === sha ? pullRequest : undefined
}

/**
 * What whoever opened a pull request wrote in it, as `commits` have it: the same commits, or those that a merge made of them
 * one after the other, which have other ids. Commits of others may have come with another pull request, too.
 */
function commitsOfAuthor(
  { author }: SourcePullRequest,
  listed: readonly PullRequestCommit[],
  newest: EventCommit,
  commits: readonly EventCommit[],
): readonly string[] {
  const isHis = ({ account }: PullRequestCommit): boolean => account.login !== '' && account.login === author.login
  const below = commits.slice(commits.indexOf(newest))
  const written = listed.filter(isHis).map(({ sha }) => sha)
  for (const [index, one] of listed.toReversed().entries()) {
    const made = below[index]
    if (made?.message !== one.message || made.author !== one.author) break
    if (isHis(one)) written.push(made.sha)
  }
  return written
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
  { kind, branch, commits: ownCommits }: EventOrigin,
  github: GitHub,
  step: AgentStep,
): Promise<Ownership> {
  const { event, repository } = step.context
  const isAboutCommits = event.kind !== 'push' && ownCommits.length > 0
  const startedAt = step.clock.now()
  const getLagEnd = (): number => Math.min(getGuardEnd(step), startedAt + LAG_MS)
  const lists = new Map<number, Promise<readonly PullRequestCommit[]>>()

  function listCommits(number: number): Promise<readonly PullRequestCommit[]> {
    const listed = github.listPullRequestCommits({ repository, number })
    lists.set(number, listed)
    return listed
  }

  async function isSource(found: ListedPullRequest, sha: string): Promise<boolean> {
    if (found.state === 'merged') return true
    if (isAboutCommits) return (await listCommits(found.number)).some((listed) => listed.sha === sha)
    const isOfItsBranch = event.kind === 'push' && !found.isOfFork && found.branch === event.branch
    return isOfItsBranch && found.author.login === event.sender.login
  }

  async function sourcesAmong(found: Listed, sha: string): Promise<Listed> {
    const sources: ListedPullRequest[] = []
    for (const one of found) if (await isSource(one, sha)) sources.push(one)
    return sources
  }

  const testMergeHeads = new Map<string, string | undefined>()

  /** What is said of GitHub's test merge of a pull request is about the head that was merged. */
  async function findTestMergeHead(sha: string): Promise<string | undefined> {
    if (!testMergeHeads.has(sha)) {
      const commit = await unlessFailed(github.readCommit(repository, sha), 'not-found', 'rejected')
      testMergeHeads.set(sha, commit && getTestMergeHead(commit.message, commit.parents))
    }
    return testMergeHeads.get(sha)
  }

  /** What was merged as a commit, or ends with it, is mostly known at once. */
  async function lookUpNew(sha: string): Promise<Listed | ActionError> {
    // Both at once, as most commits came with none; where the first answer is enough, a failure of the other is none.
    const alsoAsked = github.findPullRequestsEndingWith(repository, sha)
    alsoAsked.catch(() => undefined)
    // GitHub refuses a commit that it does not know yet (422).
    const refusedYet = (error: unknown): ActionError => rethrowFatal(error, 'rejected')
    const found = await github.findPullRequestsOfCommit(repository, sha).catch(refusedYet)
    if (!(found instanceof ActionError) && found.length > 0) return sourcesAmong(found, sha)
    const ending = await sourcesAmong(await alsoAsked, sha)
    if (ending.length > 0) return ending
    const head = kind === 'other' ? await findTestMergeHead(sha) : undefined
    if (head !== undefined) return lookUpNew(head)
    if (!isAboutCommits || branch === undefined) return found
    // A forced push may have taken the commit out of it.
    const ofBranch = await github.findPullRequestsOfBranch(repository, branch, 'open')
    return ofBranch.length > 0 ? ofBranch : found
  }

  async function findSources(commit: EventCommit): Promise<readonly SourcePullRequest[]> {
    const { sha, isByPusher } = commit
    const named = await readMerged(commit, repository, github)
    if (named !== undefined) return [named]
    if (ownCommits.length === 0) return sourcesAmong(await github.findPullRequestsOfCommit(repository, sha), sha)
    // GitHub may not know yet where it came from. What its author pushed waits for no other answer.
    const found = await pollUntil(
      () => lookUpNew(sha),
      (answer) => !(answer instanceof ActionError) && (answer.length > 0 || isByPusher),
      pausesBefore(LAG_PAUSES_MS, getLagEnd, step.clock),
      step,
    )
    if (found instanceof ActionError) throw found
    return found
  }

  const own = new Set<number>()
  const explained = new Set<string>()
  let lookUps = 0
  for (const commit of commits) {
    if (explained.has(commit.sha)) continue
    if (++lookUps > MOST_LOOK_UPS) {
      step.core.log(`Too many of the ${commits.length} commits came from elsewhere to look up each.`)
      return 'unknown'
    }
    const sources = await findSources(commit)
    if (sources.length === 0) return 'others'
    explained.add(commit.sha)
    for (const source of sources) {
      const { number } = source
      if (!own.has(number) && !(await isOwnPullRequest(source, github, step))) return 'others'
      own.add(number)
      if (commits.every(({ sha }) => explained.has(sha))) continue
      for (const sha of commitsOfAuthor(source, await (lists.get(number) ?? listCommits(number)), commit, commits))
        explained.add(sha)
    }
  }
  return [...own]
}
