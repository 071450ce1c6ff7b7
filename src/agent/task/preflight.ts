import { isOpen } from '../../github/pull-requests.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, orAbort } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Plan, Preflight, Replace } from '../report/turns.ts'
import { MAX_FOLLOW_UPS } from '../pull-request/marker.ts'
import { ASK_AGAIN, type RollingPullRequest } from './rolling-pull-request.ts'
import { countFollowUp } from './count-follow-up.ts'
import { findObjection } from './prove-job.ts'

/** What to do if a comment cannot be answered, because something is not known, or because its pull request has ended. */
export const AGAIN = 'Run the workflow again when it can be asked, or write the comment once more.'
export const ELSEWHERE = 'Ask in an open pull request or in an issue.'

/**
 * What there is to look at directly before a follow-up to a pull request.
 * @param replace finds what takes its place, given the reason as the beginning of a sentence. Nothing does for one that a comment
 * asks for: a new job would have nothing to do with what the comment is about.
 */
export function preflightOf(
  rolling: RollingPullRequest,
  step: AgentStep,
  replace?: (reason: string) => Promise<Plan>,
): Preflight {
  const { pullRequest, isProven } = rolling
  const name = `Pull request #${pullRequest.number}`
  const unknown = `Could not tell whether pull request #${pullRequest.number} is still open`
  const hint = replace === undefined ? AGAIN : ASK_AGAIN

  /**
   * What takes the place of the follow-up if the job is not that of the pull request any more, or cannot take it.
   * @throws ActionError `not-sent` if nothing does, or the job takes back without a word what it said
   */
  async function lookAtJob(job: Job): Promise<Replace | undefined> {
    const objection = await orAbort(unknown, () => findObjection(job, pullRequest, step), hint)
    if (objection === undefined) return undefined
    const takesBack = isProven && job.status === 'completed' && job.prLink === undefined
    if (replace !== undefined && !takesBack) return () => replace(`Job ${job.id} ${objection}`)
    const text = `${name} cannot take the follow-up: job ${job.id} ${objection}${takesBack ? ' any more' : ''}.`
    throw new ActionError('not-sent', text, {
      hint: 'Run the step again: it looks for the pull request and its job anew.',
    })
  }

  /** What takes its place if the pull request has ended meanwhile. It is asked last. */
  async function lookAtPullRequest(): Promise<Replace | undefined> {
    const found = await orAbort(unknown, () => step.journal.heads.read(pullRequest, step.questions), hint)
    if (isOpen(found)) return undefined
    const end = `${name} was ${found.state} meanwhile`
    if (replace !== undefined) return () => replace(end)
    throw new ActionError('not-sent', `${end}.`, { hint: ELSEWHERE })
  }

  /** If the count cannot be written, nothing bounds the rolling pull request, and nothing is sent. */
  async function countAndCheck(job: Job): Promise<Replace | undefined> {
    const instead = await lookAtJob(job)
    if (instead !== undefined) return instead
    const uncounted = `The follow-up could not be counted in pull request #${pullRequest.number}`
    const counted = await orAbort(uncounted, () => countFollowUp(rolling, step), hint)
    if (counted !== 'used-up') {
      step.journal.add({ log: counted })
      return undefined
    }
    const end = await lookAtPullRequest()
    if (end !== undefined) return end
    // Red and not skipped: a green run would move the base of the next range, and its changes would never be told.
    throw new ActionError('not-sent', `${name} has had ${MAX_FOLLOW_UPS} follow-ups, the limit.`, {
      hint: 'Merge or close it: the next run then starts a new job.',
    })
  }

  const { questions } = step
  const claim = (job: Job) => questions.spend(() => countAndCheck(job))
  const check = (job: Job) => questions.spend(async () => (await lookAtJob(job)) ?? lookAtPullRequest())
  return replace === undefined ? { continued: 'comment', check } : { continued: 'pull-request', claim, check }
}
