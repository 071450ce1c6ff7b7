import { formatCount } from '../../text/sentences.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { isSamePullRequest } from '../../docs-service/pull-request-link.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import { oneLine } from '../../text/untrusted.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest } from '../report/pull-request-findings.ts'
import type { TurnEnd, Work } from '../report/turn.ts'
import {
  compareWithBranch,
  QUESTION_MS,
  readAfterTurn,
  type HeadBefore,
  type TurnCommits,
} from './pull-request-of-turn.ts'
import type { JobEnd } from './wait-for-job.ts'

/** How a later state stands to an earlier one; undefined if one of the two is gone, or GitHub does not tell, which is said. */
async function relate(lost: string, { repository, headSha }: PullRequest, later: string, step: AgentStep) {
  const ask = () => unlessFailed(openGitHub(step, QUESTION_MS).compare(repository, headSha, later), 'not-found')
  return (await step.journal.bestEffort(lost, ask))?.relation
}

/** Whether the branch of a pull request that was merged or closed has commits that were not there before the turn. */
async function hasLaterCommits(before: HeadBefore, now: PullRequest, step: AgentStep): Promise<boolean> {
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
  end: JobEnd,
  { prLink, status }: Job,
  before: HeadBefore | undefined,
  step: AgentStep,
): Promise<TurnEnd> {
  if (end.kind === 'unusable-link') return end
  const link = end.job.status === 'completed' ? end.job.prLink : undefined
  if (link !== undefined) {
    // The link of the turn before may have come late, so that nobody knows whose it is.
    if (prLink === undefined && status === 'completed') return end
    if (prLink === undefined || !isSamePullRequest(prLink, link)) return { ...end, work: { kind: 'created' } }
  }
  // A turn that came to a bad end may have pushed before, and one that completed may name its pull request no more.
  const after = before && (await readAfterTurn(before, step))
  if (before === undefined || after === undefined) return end
  const { now, agents: commits, others, keepsHead, problem } = after
  const hasHeadMoved = now.headSha !== before.headSha
  if (problem !== undefined)
    step.journal.reportSkipped('Could not tell whether the follow-up changed the pull request', problem)
  const job = prLink === undefined ? end.job : { ...end.job, prLink: end.job.prLink ?? prLink }
  let { work }: { work: Work } = end
  if (commits > 0) work = { kind: 'updated', commits, since: before.headSha }
  // A turn whose job names no pull request may have worked elsewhere.
  else if (problem === undefined && link !== undefined) work = { kind: 'unchanged', hasHeadMoved }
  if (!isOpen(now) && (hasHeadMoved || (await hasLaterCommits(before, now, step))))
    return {
      kind: 'left-behind',
      job,
      error: leftBehind(before, now),
      work: hasHeadMoved ? work : { kind: 'unknown' },
      pullRequest: describePullRequest(now),
    }
  if (!keepsHead) await noticeLostCommit(before, now, step)
  if (problem !== undefined) return end
  if (commits === 0) noticeOthers(others, now, step)
  return { kind: 'ended', job, work }
}
