import { formatCount } from '../../text/sentences.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { isSamePullRequest } from '../../docs-service/pull-request-link.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import { oneLine } from '../../text/untrusted.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, type TaskResult } from '../report/report.ts'
import { compareWithBranch, QUESTION_MS, readAfterTurn, type TurnCommits } from './pull-request-of-turn.ts'

/** How a later state stands to an earlier one; undefined if one of the two is gone, or GitHub does not tell, which is said. */
async function relate(lost: string, { repository, headSha }: PullRequest, later: string, step: AgentStep) {
  const ask = () => unlessFailed(openGitHub(step, QUESTION_MS).compare(repository, headSha, later), 'not-found')
  return (await step.journal.bestEffort(lost, ask))?.relation
}

/** A pull request before a turn. */
interface Before extends PullRequest {
  /** The newest commit of its branch, if the pull request was merged or closed by then. */
  readonly branchTip: string | undefined
}

/** Whether the branch of a pull request that was merged or closed has commits that were not there before the turn. */
async function hasLaterCommits(before: Before, now: PullRequest, step: AgentStep): Promise<boolean> {
  const lost = `Could not tell whether commits came after pull request #${now.number} was ${now.state}`
  const relation = (await compareWithBranch(now, before.branchTip ?? before.headSha, lost, step))?.relation
  return relation === 'ahead' || relation === 'diverged'
}

function leftBehind(before: PullRequest, { number, state }: PullRequest): ActionError {
  const [when, where] = isOpen(before)
    ? ['while the agent worked on it, and commits came during that time', 'they may be in no merge']
    : ['before the agent worked on it, and commits came afterwards', 'they are in no merge']
  return new ActionError('left-behind', `Pull request #${number} was ${state} ${when}: ${where}.`, {
    hint: 'Compare its branch with the one that it was to be merged into, and open a pull request for what is missing.',
  })
}

/** Whoever else has worked in it must learn that a commit is gone. */
async function noticeLostCommit(before: PullRequest, { number, headSha }: PullRequest, step: AgentStep): Promise<void> {
  const lost = `Could not tell whether the turn has taken commits out of pull request #${number}`
  const relation = await relate(lost, before, headSha, step)
  if (relation !== 'diverged' && relation !== 'behind') return
  step.journal.notice(
    'A commit is no longer in the pull request',
    `The head of pull request #${number} was ${before.headSha} before this turn, and that commit is no longer in it. If somebody still needs it, fetch it by this id.`,
  )
}

const MOST_NAMES = 5
const LONGEST_NAME = 60

/** What others did in the pull request is not the agent's, and is not to be overlooked either. */
function noticeOthers(others: TurnCommits['others'], { number }: PullRequest, { journal }: AgentStep): void {
  if (others.size === 0) return
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
  const counts = [...others.values()]
  const more = sum(counts.slice(MOST_NAMES))
  const named = Array.from(others, ([name, count]) => {
    const short = oneLine(name.replace(/ <.*/s, ''), LONGEST_NAME)
    return `${count} by ${short.replaceAll('@', '')}`
  })
  const list = [...named.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} by others`] : [])].join(', ')
  journal.notice(
    'Others have committed to the pull request',
    `Pull request #${number} got ${formatCount(sum(counts), 'commit')} during this turn, and none by the agent: ${list}.`,
  )
}

/**
 * What a follow-up has done to the job's pull request: it has updated it if a new commit is the agent's own. One that was
 * merged or closed before the end of the turn is red if commits came, whosesoever they are.
 * @param before its head before the turn
 */
export async function compareHeads(
  result: TaskResult,
  { prLink, status }: Job,
  before: Before | undefined,
  step: AgentStep,
): Promise<TaskResult> {
  const { outcome, job } = result
  const link = outcome === 'pull-request' ? job?.prLink : undefined
  if (link !== undefined) {
    // The link of the turn before may have come late, so that nobody knows whose it is.
    if (prLink === undefined && status === 'completed') return result
    if (prLink === undefined || !isSamePullRequest(prLink, link)) return { ...result, operation: 'created' }
  }
  // A turn that came to a bad end may have pushed before, and one that completed may name its pull request no more.
  const mayHavePushed = outcome !== 'error' && outcome !== 'timed-out'
  const after = before && mayHavePushed ? await readAfterTurn(before, step) : undefined
  if (before === undefined || after === undefined) return result
  const { now, agents: commits, others, keepsHead, problem } = after
  const hasMoved = now.headSha !== before.headSha
  if (problem !== undefined)
    step.journal.reportSkipped('Could not tell whether the follow-up changed the pull request', problem)
  const hasAdded = commits > 0
  // A turn whose job names no pull request may have worked elsewhere.
  const isUnchanged = problem === undefined && !hasAdded && link !== undefined
  const done: TaskResult = {
    ...result,
    ...(job && prLink && { job: { ...job, prLink: job.prLink ?? prLink } }),
    ...(hasAdded && { operation: 'updated', added: { commits, since: before.headSha } }),
    ...(isUnchanged && { operation: 'unchanged' }),
  }
  if (!isOpen(now) && (hasMoved || (await hasLaterCommits(before, now, step)))) {
    step.journal.see({ pullRequest: describePullRequest(now) })
    return {
      ...done,
      operation: hasMoved ? done.operation : undefined,
      outcome: 'error',
      error: leftBehind(before, now),
    }
  }
  if (!keepsHead) await noticeLostCommit(before, now, step)
  if (problem !== undefined) return result
  if (hasAdded) return outcome === 'no-changes' ? { ...done, outcome: 'pull-request' } : done
  noticeOthers(others, now, step)
  return isUnchanged ? { ...done, outcome: 'no-changes', hasOtherHead: hasMoved } : done
}
