import { toPullRequestAddress } from '../../github/pull-request-address.ts'
import type { PullRequestLink } from '../../service/pull-request-link.ts'
import { isSamePullRequest } from '../../service/pull-request-link.ts'
import type { Job } from '../../service/schemas.ts'
import { ActionError } from '../../shared/errors.ts'
import type { Step } from '../../step/step.ts'
import type { TaskResult } from '../report/report.ts'
import type { JobWatch } from './job-watch.ts'
import { nextSettlePollMs, SETTLE_MS } from './poll-schedule.ts'

/** The commit that a job's pull request ended in before a follow-up, as far as GitHub can be asked. */
export interface HeadBefore {
  readonly link: PullRequestLink
  readonly sha: string
}

/** A GitHub that hangs must not take the time of the job. */
const QUESTION_MS = 10_000

async function readHead(link: PullRequestLink, step: Step): Promise<string | undefined> {
  const github = await step.github()
  if (github === undefined || link.host !== new URL(step.facts.serverUrl).host) return undefined
  const endsAt = Math.min(step.clock.now() + QUESTION_MS, step.deadlineAt)
  return (await github.until(endsAt).readPullRequest(toPullRequestAddress(link, step.facts))).headSha
}

/** Undefined if the job has no pull request yet, or GitHub cannot tell, which is said. */
export async function readHeadBefore(
  { prLink }: Job,
  step: Step,
  { known }: JobWatch,
): Promise<HeadBefore | undefined> {
  if (prLink === undefined) return undefined
  const lost = 'Whether the follow-up changes the pull request is not known'
  const sha = await known.attempt(lost, () => readHead(prLink, step))
  return sha === undefined ? undefined : { link: prLink, sha }
}

/** What the head is now; undefined if GitHub does not tell, which was said before or costs nothing. */
async function readHeadNow({ link }: HeadBefore, step: Step): Promise<string | undefined> {
  try {
    return await readHead(link, step)
  } catch (error) {
    if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
    return undefined
  }
}

/** Whether the agent has pushed since: then its turn began, and an end that is read is the end of that turn. */
export async function hasMoved(before: HeadBefore | undefined, step: Step): Promise<boolean> {
  const sha = before && (await readHeadNow(before, step))
  return sha !== undefined && sha !== before?.sha
}

/**
 * What a follow-up has done to the job's pull request. A head that did not move means that nothing changed; it is read
 * again for up to 10 s before that is believed, as GitHub's copies lag too.
 */
export async function compareHeads(
  result: TaskResult,
  before: Job,
  headBefore: HeadBefore | undefined,
  step: Step,
): Promise<TaskResult> {
  const link = result.outcome === 'pull-request' ? result.job?.prLink : undefined
  if (link === undefined) return result
  // The link of the turn before may have come late, so that nobody knows whose it is.
  if (before.prLink === undefined && before.status === 'completed') return result
  if (before.prLink === undefined || !isSamePullRequest(before.prLink, link)) return { ...result, operation: 'created' }
  if (headBefore === undefined) return result
  const endsAt = Math.min(step.clock.now() + SETTLE_MS, step.deadlineAt)
  for (let reads = 0; ; reads++) {
    const sha = await readHeadNow(headBefore, step)
    if (sha !== undefined && sha !== headBefore.sha) return { ...result, operation: 'updated' }
    const leftMs = endsAt - step.clock.now()
    if (leftMs <= 0) return sha === undefined ? result : { ...result, outcome: 'no-changes', operation: 'unchanged' }
    const nextMs = nextSettlePollMs(reads)
    await step.clock.sleep(Math.min(nextMs, leftMs), step.signal)
  }
}
