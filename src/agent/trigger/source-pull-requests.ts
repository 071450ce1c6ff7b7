import { openGitHub } from '../../action/step.ts'
import type { PullRequestCommit } from '../../github/commits.ts'
import { getTestMergeHead, type EventCommit } from '../../github/event-parts.ts'
import type { GitHub } from '../../github/github.ts'
import type { ListedPullRequest, PullRequest } from '../../github/pull-requests.ts'
import { ActionError, rethrowFatal, unlessFailed } from '../../runtime/errors.ts'
import { pausesBefore, pollUntil } from '../../runtime/poll.ts'
import type { AgentStep } from '../report/journal.ts'
import type { EventOrigin } from './event-origin.ts'

type Listed = readonly ListedPullRequest[]
/** A pull request that brought commits. */
export type SourcePullRequest = ListedPullRequest | PullRequest

/** Each look-up costs a request or more; commits of a pull request that is known by then cost none. */
export const MAX_LOOK_UPS = 50

/** What the guard's own pauses leave of the time for questions, in milliseconds: others come after it. */
const LEFT_BY_GUARD_MS = 25_000
const SHARE_LEFT_BY_GUARD = 0.25

export function getGuardEnd({ deadlineAt, questions }: AgentStep): number {
  return deadlineAt - Math.min(LEFT_BY_GUARD_MS, questions.totalMs * SHARE_LEFT_BY_GUARD)
}

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

/** From commits to the pull requests that brought them. Each commit and each list is asked for once. */
export interface SourceLookUp {
  /**
   * The pull requests that brought a commit: merged ones, or an open one of the branch that was pushed to; none if it came
   * without. @throws ActionError if GitHub does not tell
   */
  readonly find: (commit: EventCommit) => Promise<readonly SourcePullRequest[]>
  /** @throws ActionError */
  readonly listCommits: (number: number) => Promise<readonly PullRequestCommit[]>
}

/**
 * @param repository that has the commits
 * @param origin what the event is about
 */
export function openSourceLookUp(
  repository: string,
  { kind, branch, commits: ownCommits }: EventOrigin,
  step: AgentStep,
): SourceLookUp {
  const { event } = step.context
  const isAboutCommits = event.kind !== 'push' && ownCommits.length > 0
  let startedAt: number | undefined
  const getLagEnd = (): number => Math.min(getGuardEnd(step), (startedAt ??= step.clock.now()) + LAG_MS)
  const lists = new Map<number, Promise<readonly PullRequestCommit[]>>()
  const found = new Map<string, Promise<readonly SourcePullRequest[]>>()

  function listCommits(number: number): Promise<readonly PullRequestCommit[]> {
    const listed = lists.get(number) ?? openGitHub(step).listPullRequestCommits({ repository, number })
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
      const commit = await unlessFailed(openGitHub(step).readCommit(repository, sha), 'not-found', 'rejected')
      testMergeHeads.set(sha, commit && getTestMergeHead(commit.message, commit.parents))
    }
    return testMergeHeads.get(sha)
  }

  /** What was merged as a commit, or ends with it, is mostly known at once. */
  async function lookUpNew(sha: string): Promise<Listed | ActionError> {
    const github = openGitHub(step)
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

  async function lookUp(commit: EventCommit): Promise<readonly SourcePullRequest[]> {
    const { sha, isByPusher } = commit
    const github = openGitHub(step)
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

  return {
    find: (commit) => {
      const sources = found.get(commit.sha) ?? lookUp(commit)
      found.set(commit.sha, sources)
      return sources
    },
    listCommits,
  }
}

/**
 * Which commits of a range belong to a pull request that brought one of them: the same commits, or those that a merge made of
 * them one after the other, which have other ids.
 * @param newest the one that the pull request brought
 * @param commits of the range, newest first
 * @param isCounted which of the pull request's commits to return
 */
export function matchCommits(
  listed: readonly PullRequestCommit[],
  newest: EventCommit,
  commits: readonly EventCommit[],
  isCounted: (commit: PullRequestCommit) => boolean = () => true,
): readonly string[] {
  const below = commits.slice(commits.indexOf(newest))
  const written = listed.filter(isCounted).map(({ sha }) => sha)
  for (const [index, one] of listed.toReversed().entries()) {
    const made = below[index]
    if (made?.message !== one.message || made.author !== one.author) break
    if (isCounted(one)) written.push(made.sha)
  }
  return written
}
