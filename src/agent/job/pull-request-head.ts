import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/connect-github.ts'
import { toPullRequestAddress } from '../../github/pull-request-address.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { PullRequestLink } from '../../service/pull-request-link.ts'
import { isSamePullRequest } from '../../service/pull-request-link.ts'
import type { Job } from '../../service/schemas.ts'
import { ActionError, nonFatal, unlessNotFound } from '../../shared/errors.ts'
import type { Step } from '../../step/step.ts'
import type { OpenReport } from '../report/open-report.ts'
import { describePullRequest, type TaskResult } from '../report/report.ts'
import type { JobWatch } from './job-watch.ts'
import { nextSettlePollMs, SETTLE_MS } from './poll-schedule.ts'

/** The commit that a job's pull request ended in before a follow-up, as far as GitHub can be asked. */
export interface HeadBefore {
  readonly link: PullRequestLink
  readonly sha: string
  readonly isOpen: boolean
}

const isOpen = ({ state }: PullRequest): boolean => state === 'open' || state === 'draft'

/** A GitHub that hangs must not take the time of the job. */
const QUESTION_MS = 10_000

async function openGitHub(step: Step): Promise<GitHub | undefined> {
  const endsAt = Math.min(step.clock.now() + QUESTION_MS, step.deadlineAt)
  return (await step.github())?.until(endsAt)
}

async function read(link: PullRequestLink, step: Step): Promise<PullRequest | undefined> {
  const github = await openGitHub(step)
  if (github === undefined || link.host !== new URL(step.facts.serverUrl).host) return undefined
  return github.readPullRequest(toPullRequestAddress(link, step.facts))
}

/** Undefined if the job has no pull request yet, or GitHub cannot tell, which is said. */
export async function readHeadBefore(
  { prLink }: Job,
  step: Step,
  { known }: JobWatch,
): Promise<HeadBefore | undefined> {
  if (prLink === undefined) return undefined
  const lost = 'Whether the follow-up changes the pull request is not known'
  const found = await known.attempt(lost, () => read(prLink, step))
  return found && { link: prLink, sha: found.headSha, isOpen: isOpen(found) }
}

/** The pull request as it is now; undefined if GitHub does not tell, which was said before or costs nothing. */
async function readNow({ link }: HeadBefore, step: Step): Promise<PullRequest | undefined> {
  try {
    return await read(link, step)
  } catch (error) {
    nonFatal(error)
    return undefined
  }
}

/** Whether the agent has pushed since: then its turn began, and an end that is read is the end of that turn. */
export async function hasMoved(before: HeadBefore | undefined, step: Step): Promise<boolean> {
  const now = before && (await readNow(before, step))
  return now !== undefined && now.headSha !== before?.sha
}

/** A closed pull request does not follow its branch any more, so that later commits are on the branch only. */
async function hasCommitsPast(before: HeadBefore, now: PullRequest, step: Step, known: OpenReport): Promise<boolean> {
  if (now.headSha !== before.sha) return true
  const lost = `Whether commits came after pull request #${now.number} was ${now.state} is not known`
  const relation = await known.attempt(lost, () => relate(now.repository, before.sha, now.branch, step))
  return relation === 'ahead' || relation === 'diverged'
}

/** How a later state stands to an earlier one; undefined if one of the two is gone. */
async function relate(
  repository: string,
  base: string,
  head: string,
  step: Step,
): Promise<Comparison['relation'] | undefined> {
  const github = await openGitHub(step)
  return (github && (await unlessNotFound(github.compare(repository, base, head))))?.relation
}

function endedMeanwhile({ number, state }: PullRequest, result: TaskResult): TaskResult {
  const error = new ActionError(
    'left-behind',
    `Pull request #${number} was ${state} while the agent worked on it, and commits came during that time: they may be in no merge.`,
    {
      hint: 'Compare its branch with the one that it was to be merged into, and open a pull request for what is missing.',
    },
  )
  return { ...result, outcome: 'error', error }
}

/** Whoever else has worked in it must learn that a commit is gone. */
async function tellLostCommit(
  { sha }: HeadBefore,
  { repository, number, headSha }: PullRequest,
  step: Step,
  known: OpenReport,
): Promise<void> {
  const lost = `Whether the turn has taken commits out of pull request #${number} is not known`
  const relation = await known.attempt(lost, () => relate(repository, sha, headSha, step))
  if (relation !== 'diverged' && relation !== 'behind') return
  known.notice(
    'A commit is no longer in the pull request',
    `The head of pull request #${number} was ${sha} before this turn, and that commit is no longer in it. If somebody still needs it, fetch it by this id.`,
  )
}

/**
 * What a follow-up has done to the job's pull request. A head that did not move means that nothing changed; it is read
 * again for up to 10 s before that is believed, as GitHub's copies lag too. A pull request that was merged or closed
 * during the turn is red if commits came.
 */
export async function compareHeads(
  result: TaskResult,
  before: Job,
  headBefore: HeadBefore | undefined,
  step: Step,
  { known }: JobWatch,
): Promise<TaskResult> {
  const { outcome, job } = result
  const link = outcome === 'pull-request' ? job?.prLink : undefined
  if (link !== undefined) {
    // The link of the turn before may have come late, so that nobody knows whose it is.
    if (before.prLink === undefined && before.status === 'completed') return result
    if (before.prLink === undefined || !isSamePullRequest(before.prLink, link))
      return { ...result, operation: 'created' }
  }
  // A turn that failed or was archived may have pushed before.
  const mayHavePushed = link !== undefined || outcome === 'failed' || outcome === 'archived'
  if (headBefore === undefined || !mayHavePushed) return result
  // A job that failed may name its pull request no more.
  const updated: TaskResult = {
    ...result,
    operation: 'updated',
    ...(job && { job: { ...job, prLink: job.prLink ?? headBefore.link } }),
  }
  const endsAt = Math.min(step.clock.now() + SETTLE_MS, step.deadlineAt)
  for (let reads = 0; ; reads++) {
    const now = await readNow(headBefore, step)
    const hasNew = now !== undefined && now.headSha !== headBefore.sha
    const leftMs = endsAt - step.clock.now()
    if (now !== undefined && (hasNew || leftMs <= 0)) {
      if (headBefore.isOpen && !isOpen(now) && (await hasCommitsPast(headBefore, now, step, known))) {
        known.add({ pullRequest: describePullRequest(now) })
        return endedMeanwhile(now, updated)
      }
      if (!hasNew) return link === undefined ? result : { ...result, outcome: 'no-changes', operation: 'unchanged' }
      await tellLostCommit(headBefore, now, step, known)
      return updated
    }
    if (leftMs <= 0) return result
    const nextMs = nextSettlePollMs(reads)
    await step.clock.sleep(Math.min(nextMs, leftMs), step.signal)
  }
}
