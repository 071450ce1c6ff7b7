import { historyIn, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import type { Check } from '../../github/checks.ts'
import { listFailedChecks, getEnded, type PullRequestFindings, type RoundStop } from '../report/turn.ts'
import { getNewest, sentRounds, stopForStatus, type Turns } from '../report/turns.ts'

/** A round takes a turn of the agent and its checks; one that cannot end in this time is not begun. */
const ROUND_MS = 600_000

/** The head that the round before was about; undefined before the first one. */
export function findHeadOfLastRound(turns: Turns): string | undefined {
  return turns.at(-2)?.pullRequest?.headSha
}

/** Whether a commit may fix a failed check. */
export const isForAgent = ({ needsPerson }: Check): boolean => needsPerson !== true

/**
 * Why no further round is to be sent, as far as it can be said without asking anybody.
 * @param found what is known of the pull request when its checks are in
 * @param leftMs until the deadline, in milliseconds
 */
export function stopBeforeAsking(
  found: PullRequestFindings,
  turns: Turns,
  maxRounds: number,
  leftMs: number,
): RoundStop | undefined {
  const ended = getEnded(getNewest(turns))
  if (found.checks === 'success') return 'passed'
  if (found.checks !== 'failure') return 'nothing-to-tell'
  if (!isOpen(found)) return 'closed'
  const failed = listFailedChecks(found.checkList)
  if (failed.length > 0 && !failed.some(isForAgent)) return 'needs-person'
  if (found.headSha === findHeadOfLastRound(turns)) return 'no-new-commit'
  if (sentRounds(turns).length >= maxRounds) return 'used-up'
  return stopForTime(leftMs) ?? (ended && stopForStatus(ended.job.status))
}

/** @param leftMs until the deadline, in milliseconds */
export function stopForTime(leftMs: number): RoundStop | undefined {
  return leftMs < ROUND_MS ? 'no-time' : undefined
}

/** Whether a pull request is still the one whose checks were looked at. */
export function stopAtLastLook(pullRequest: PullRequest, examined: string | undefined): RoundStop | undefined {
  if (!isOpen(pullRequest)) return 'closed'
  return pullRequest.headSha === examined ? undefined : 'foreign-commits'
}

/**
 * Whether what came to the pull request since the round before is the agent's own work on top of it.
 * @param commits those of the pull request, in any order
 * @param headOfLastRound the head that the round before was about; undefined before the first one, when only the newest commit counts
 */
export function stopForCommits(
  commits: readonly PullRequestCommit[],
  { headSha, author }: PullRequest,
  headOfLastRound: string | undefined,
): RoundStop | undefined {
  const all = historyIn(commits, headSha)
  // An old copy, which does not tell whose the newest commit is.
  if (all.length === 0) return 'not-sent'
  const earlier = new Set(historyIn(commits, headOfLastRound ?? '').map(({ sha }) => sha))
  if (headOfLastRound !== undefined && !all.some(({ sha }) => sha === headOfLastRound)) return 'diverged'
  const since = headOfLastRound === undefined ? all.slice(0, 1) : all.filter(({ sha }) => !earlier.has(sha))
  const own = listOwners(author, commits, headSha)
  const isOthers = ({ account, writtenBy }: PullRequestCommit): boolean => account.type !== 'Bot' && !own.has(writtenBy)
  return since.some(isOthers) ? 'foreign-commits' : undefined
}
