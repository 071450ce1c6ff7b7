import type { PullRequestCommit } from '../../github/pull-request-commits.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { FixStop } from '../report/fixing.ts'
import type { PullRequestFindings } from '../report/report.ts'

/** A round takes a turn of the agent and its checks; one that cannot end in this time is not begun. */
const ROUND_MS = 600_000

/** What is known of a pull request when its checks are in, and of the step. */
interface RoundState {
  readonly found: PullRequestFindings
  /** The head that the round before was about; undefined before the first one. */
  readonly headOfLastRound: string | undefined
  readonly sent: number
  readonly maxRounds: number
  /** Until the deadline, in milliseconds. */
  readonly leftMs: number
}

const isOpen = (state: PullRequestFindings['state']): boolean => state === 'open' || state === 'draft'

/** Why no further round is to be sent, as far as it can be said without asking anybody. */
export function stopBeforeAsking({ found, headOfLastRound, sent, maxRounds, leftMs }: RoundState): FixStop | undefined {
  if (found.checks === 'success') return 'passed'
  if (found.checks !== 'failure') return 'nothing-to-tell'
  if (!isOpen(found.state)) return 'over'
  if (found.headSha === headOfLastRound) return 'unmoved'
  if (sent >= maxRounds) return 'used-up'
  return leftMs < ROUND_MS ? 'no-time' : undefined
}

/** Whether a pull request is still the one whose checks were looked at. */
export function stopAtLastLook({ state, headSha }: PullRequest, examined: string | undefined): FixStop | undefined {
  if (!isOpen(state)) return 'over'
  return headSha === examined ? undefined : 'others'
}

/**
 * Whether what came to the pull request since the round before is the agent's own work on top of it.
 * @param commits oldest first
 * @param headOfLastRound the head that the round before was about; undefined before the first one, when only the newest commit counts
 */
export function stopForCommits(
  commits: readonly PullRequestCommit[],
  author: PullRequest['author'],
  headOfLastRound: string | undefined,
): FixStop | undefined {
  const known =
    headOfLastRound === undefined ? commits.length - 2 : commits.findIndex(({ sha }) => sha === headOfLastRound)
  if (headOfLastRound !== undefined && known === -1) return 'diverged'
  // The agent's commits may be by another account than the pull request. GitHub may not know whose they are at all.
  const own = new Set([author.login, commits[0]?.account.login])
  const isOthers = ({ account: { login, type } }: PullRequestCommit): boolean => type !== 'Bot' && !own.has(login)
  return commits.slice(known + 1).some(isOthers) ? 'others' : undefined
}
