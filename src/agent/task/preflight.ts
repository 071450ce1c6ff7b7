import { isOpen } from '../../github/pull-requests.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Plan, Preflight } from '../report/turns.ts'
import { MOST_FOLLOW_UPS } from '../pull-request/marker.ts'
import { notGoneOnWith, orAbort, type RollingPullRequest } from './rolling-pull-request.ts'
import { countFollowUp } from './count-follow-up.ts'
import { findObjection, QUESTIONS_MS } from './prove-job.ts'

/**
 * What there is to look at directly before a message, each in a question of its own.
 * @param hint what to do if something is not known
 */
function lookAt(rolling: RollingPullRequest, step: AgentStep, hint?: string) {
  const { pullRequest, isProven } = rolling
  const name = `Pull request #${pullRequest.number}`
  const unknown = `Could not tell whether pull request #${pullRequest.number} is still open`
  return {
    /**
     * Why the job is not that of the pull request any more, or cannot take the follow-up.
     * @throws ActionError `not-sent` if it takes back without a word what it said before
     */
    async findObjection(job: Job): Promise<string | undefined> {
      const find = async () => findObjection(job, pullRequest, openGitHub(step, QUESTIONS_MS), step)
      const objection = await orAbort(unknown, find, hint)
      if (isProven && job.status === 'completed' && job.prLink === undefined)
        throw notGoneOnWith(rolling, 'has no pull request any more')
      return objection
    },
    /** How the pull request ended meanwhile, as the beginning of a sentence; undefined if it is open. It is asked last. */
    async findEnd(): Promise<string | undefined> {
      const read = async () => openGitHub(step, QUESTIONS_MS).readPullRequest(pullRequest)
      const found = await orAbort(unknown, () => step.journal.heads.read(read), hint)
      return isOpen(found) ? undefined : `${name} was ${found.state} meanwhile`
    },
  }
}

/**
 * For a follow-up to the rolling pull request. It is counted before it is sent: if the count cannot be written, nothing
 * bounds the rolling pull request, and nothing is sent.
 * @param replace what takes its place; the reason is the beginning of a sentence
 */
export function rollingPreflight(
  rolling: RollingPullRequest,
  step: AgentStep,
  replace: (reason: string) => Promise<Plan>,
): Preflight {
  const { number } = rolling.pullRequest
  const look = lookAt(rolling, step)
  const findObjection = async (job: Job): Promise<string | undefined> => {
    const objection = await look.findObjection(job)
    return objection === undefined ? undefined : `Job ${job.id} ${objection}`
  }
  return {
    continued: 'pull-request',
    async claim(job) {
      const objection = await findObjection(job)
      if (objection !== undefined) return () => replace(objection)
      const count = async () => countFollowUp(rolling, openGitHub(step, QUESTIONS_MS), step)
      if (await orAbort(`The follow-up could not be counted in pull request #${number}`, count)) return undefined
      const end = await look.findEnd()
      if (end !== undefined) return () => replace(end)
      // Red and not skipped: a green run would move the base of the next range, and its changes would never be told.
      throw new ActionError('not-sent', `Pull request #${number} has had ${MOST_FOLLOW_UPS} follow-ups, the limit.`, {
        hint: 'Merge or close it: the next run then starts a new job.',
      })
    },
    async check(job) {
      const reason = (await findObjection(job)) ?? (await look.findEnd())
      return reason === undefined ? undefined : () => replace(reason)
    },
  }
}

/** For a follow-up that a comment asks for. A new job would be none of what it is about, so that nothing takes its place. */
export function commentPreflight(
  rolling: RollingPullRequest,
  step: AgentStep,
  hints: { readonly unknown: string; readonly ended: string },
): Preflight {
  const look = lookAt(rolling, step, hints.unknown)
  return {
    continued: 'comment',
    async check(job) {
      const objection = await look.findObjection(job)
      if (objection !== undefined) throw notGoneOnWith(rolling, objection)
      const end = await look.findEnd()
      if (end !== undefined) throw new ActionError('not-sent', `${end}.`, { hint: hints.ended })
      return undefined
    },
  }
}
