/** The target of a follow-up to the job of an open pull request, which a label or a comment has found. */
import type { Job } from '../docs-service/schemas.ts'
import { isOpen, type PullRequestAddress, toPullRequestAddress } from '../github/pull-requests.ts'
import { canName, isSameRepository } from '../github/schemas.ts'
import { ActionError, orNotSent } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { isExplicitRange, type Task, type Facts } from './facts.ts'
import type { FollowUpReason } from './record.ts'
import type { Acts } from './step.ts'
import { formatConflict, formatOpenPullRequest } from './prompt.ts'
import { noticeAutoMerge } from './turn/effect.ts'
import { REPLICA_LAG_MS } from './turn/schedule.ts'
import type { Target } from './turn/target.ts'
import { whyNotSendable, type JobOfPullRequest } from './find-job.ts'
import { getRemainingLagMs, type History, type HistoryUpdate } from './history/state.ts'
import { formatTrackingGrant } from './permissions.ts'
import { announceTurn, findHistory } from './history/store.ts'

const refuse = (message: string, hint: string): ActionError => new ActionError('not-sent', message, { hint })

/** A dry run without a key cannot look up whether the job that a comment names exists. */
export const formatUnconfirmed = ({ inputs }: Facts): string =>
  inputs.hasService ? '' : ' (not confirmed by the service)'

/** @throws ActionError `not-sent` if the pull request has had all its follow-ups */
export function assertBelowLimit({ repository, number }: PullRequestAddress, used: number, step: Facts): void {
  const { context, inputs } = step
  const { maxFollowUps } = inputs
  if (used < maxFollowUps) return
  // Not skipped: a green run would move the base of the next range, and the agent would never see these changes.
  throw refuse(
    `Pull request #${number} has reached the limit of ${formatCount(maxFollowUps, 'follow-up')}${formatUnconfirmed(step)}.`,
    `Merge or close pull request #${number} (${context.serverUrl}/${repository}/pull/${number}), so that the next run starts a new job, or increase \`max-follow-ups\`.`,
  )
}

interface FollowUp {
  /** Without its end, which tells the agent to continue its pull request. */
  readonly prompt: string
  readonly reason: FollowUpReason
  /** Whether `max-follow-ups` limits it. */
  readonly isCounted: boolean
  /** What to do if it cannot be determined whether the follow-up may be sent. */
  readonly hint: string
}

/** Creates the target. Remembers where the history of its pull request is. */
export function createFollowUp(job: JobOfPullRequest, followUp: FollowUp, step: Acts): Target {
  const { jobId, pullRequest, isProven, listed } = job
  const { repository, number, visibility } = pullRequest
  const { reason, isCounted, hint } = followUp
  const { context, inputs } = step
  const ownName = context.repository
  const sourceName = isExplicitRange(inputs.changeRange) ? (inputs.changeRange.repository ?? ownName) : ownName
  const isOwn = isSameRepository(sourceName, ownName)
  const source = { repository: sourceName, visibility: isOwn ? context.event.visibility : undefined }
  // The readers of the pull request may not have access to the repository of the source.
  const prompt = followUp.prompt + formatOpenPullRequest(pullRequest, canName(source, pullRequest))
  const unknown = `Could not determine whether pull request #${number} is still open`
  const unknownOwner = `Could not determine whether job ${jobId} opened pull request #${number}`
  const address = { repository, number, visibility }
  const grant = formatTrackingGrant(step, repository)
  step.history.ref = { pullRequest: address, jobId, commentId: listed?.id }
  noticeAutoMerge(pullRequest, step)
  let isConflictNoted = false

  const count = ({ followUps }: Pick<History, 'followUps'>, update: HistoryUpdate): HistoryUpdate => {
    if (isCounted) assertBelowLimit(address, followUps, step)
    return isCounted ? { ...update, countsFollowUp: true } : update
  }
  const assertOwn = async (job: Job): Promise<void> => {
    const refusal = await orNotSent(unknownOwner, () => whyNotSendable(job, pullRequest, step), hint, grant)
    if (refusal === undefined) return
    throw refuse(
      `Pull request #${number} cannot accept the follow-up: job ${jobId} ${refusal}.`,
      'Run the step again: it then looks up the pull request and its job again.',
    )
  }
  return {
    task: { kind: 'follow-up', jobId, prompt },
    followUpReason: reason,
    pullRequestNumber: number,
    getConflictRequest() {
      // GitHub computes `mergeable` again after each push to the base branch, and it is not worth waiting for.
      const hasConflict = (step.pullRequests.getNewest(address)?.mergeable ?? pullRequest.mergeable) === false
      if (!hasConflict) return ''
      if (!isConflictNoted)
        step.journal.note(
          `Pull request #${number} conflicts with its base branch. The prompt begins with the request to resolve that.`,
        )
      isConflictNoted = true
      return formatConflict(pullRequest)
    },
    idleWaitMs: () => {
      // A job that does not prove its pull request was busy when it was chosen.
      const wasIdle = listed !== undefined && isProven
      return Promise.resolve(wasIdle ? getRemainingLagMs(listed.history, listed.ageMs) : REPLICA_LAG_MS)
    },
    async beforeSend(job, idleMs) {
      if (job !== undefined) await assertOwn(job)
      const uncounted = `The follow-up could not be recorded in the history of pull request #${number}`
      return orNotSent(uncounted, () => announceTurn(step, count, idleMs), hint, grant)
    },
    async validate(job) {
      if (job !== undefined) await assertOwn(job)
      const { state } = await orNotSent(unknown, () => step.pullRequests.read(address), hint, grant)
      if (isOpen({ state })) return
      throw refuse(`Pull request #${number} was ${state} before the prompt was sent.`, 'Run the step again.')
    },
  }
}

/** Creates the target of a follow-up to `job-id`. Its pull request has a history if an earlier step has marked it. */
export function createJobFollowUp(task: Extract<Task, { kind: 'follow-up' }>, step: Acts): Target {
  const { context, github, inputs, journal } = step
  const { label, dryRun } = inputs
  const lost = 'The history may not show that the agent is working'
  return {
    task,
    async idleWaitMs({ id, prLink }) {
      const link = prLink?.host === new URL(context.serverUrl).host ? prLink : undefined
      if (github === undefined || link === undefined) return REPLICA_LAG_MS
      const address = toPullRequestAddress(link, context)
      const listed = await journal.orWarn(lost, () => findHistory(address, id, step))
      if (listed === undefined) return REPLICA_LAG_MS
      step.history.ref = { pullRequest: address, jobId: id, commentId: listed.id }
      return getRemainingLagMs(listed.history, listed.ageMs)
    },
    async beforeSend(_job, idleMs) {
      if (label === '' || dryRun) return 0
      return (await journal.orWarn(lost, () => announceTurn(step, undefined, idleMs))) ?? 0
    },
    validate: () => Promise.resolve(),
  }
}
