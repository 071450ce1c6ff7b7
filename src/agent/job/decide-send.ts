import { isSamePullRequest } from '../../docs-service/pull-request-link.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { ActionError, orNotSent } from '../../runtime/errors.ts'
import { countFollowUp } from '../pull-request/count-follow-up.ts'
import { stopAtLastLook, stopForTime } from '../pull-request/fix-rounds.ts'
import { MAX_FOLLOW_UPS } from '../pull-request/marker.ts'
import { STOPS, type RoundStop } from '../report/fixing.ts'
import type { AgentStep } from '../report/journal.ts'
import type { FixRoundTarget, PullRequestTarget, Target } from '../report/plan.ts'
import { findObjection } from './job-ownership.ts'
import { isRunning, isSameEnd } from './job-state.ts'
import type { JobWatch } from './job-watch.ts'
import { findJob } from './wait-for-job.ts'

/** What to do if a comment cannot be answered, because something is not known, or because its pull request has ended. */
export const AGAIN = 'Run the workflow again when it can be asked, or write the comment once more.'
export const ELSEWHERE = 'Ask in an open pull request or in an issue.'

/** What to do if a question has no answer: who asked for one pull request must not get two because of it. */
export const ASK_AGAIN =
  'Run the step again when it can be asked. With `on-open-pr: new` nobody is asked, and each run starts a job.'

/** The prompt is not to be sent. */
export interface Stop {
  readonly kind: 'stop'
  readonly error: ActionError
  /** Why no round is sent, if the prompt is a round. */
  readonly roundStop?: RoundStop
}

/** The prompt has lost its target, so another one has to be chosen. `reason`: the beginning of a sentence. */
export interface Replan {
  readonly kind: 'replan'
  readonly target: PullRequestTarget
  readonly reason: string
}

/** Whether the target of a prompt still is what it was chosen for. */
type TargetDecision = { readonly kind: 'send' } | Replan | Stop

/** Whether a prompt may be sent now. */
export type SendDecision =
  | TargetDecision
  /** The job has begun a turn, or has ended otherwise, since it was prepared for the prompt, or it could not be read. */
  | { readonly kind: 'wait'; readonly now: Job | undefined }

export const SEND = { kind: 'send' } as const

export function refuse(message: string, hint: string): Stop {
  return { kind: 'stop', error: new ActionError('not-sent', message, { hint }) }
}

const nameOf = ({ rolling }: PullRequestTarget): string => `Pull request #${rolling.pullRequest.number}`
const hintFor = ({ reason }: PullRequestTarget): string => (reason === 'comment' ? AGAIN : ASK_AGAIN)

const describeUnknown = ({ rolling }: PullRequestTarget): string =>
  `Could not tell whether pull request #${rolling.pullRequest.number} is still open`

/**
 * What follows if the job is not that of the pull request any more, or cannot take the follow-up. Nothing replaces a follow-up
 * that a comment asks for: a new job would have nothing to do with what the comment is about.
 */
function decideOnObjection(target: PullRequestTarget, job: Job, objection: string): TargetDecision {
  // The job takes back without a word what it said.
  const takesBack = target.rolling.isProven && job.status === 'completed' && job.prLink === undefined
  if (target.reason === 'pull-request' && !takesBack)
    return { kind: 'replan', target, reason: `Job ${job.id} ${objection}` }
  const more = takesBack ? ' any more' : ''
  return refuse(
    `${nameOf(target)} cannot take the follow-up: job ${job.id} ${objection}${more}.`,
    'Run the step again: it looks for the pull request and its job anew.',
  )
}

/** What follows from the state of the pull request. */
function decideOnState(target: PullRequestTarget, { state }: PullRequest): TargetDecision {
  if (isOpen({ state })) return SEND
  const end = `${nameOf(target)} was ${state} meanwhile`
  return target.reason === 'pull-request' ? { kind: 'replan', target, reason: end } : refuse(`${end}.`, ELSEWHERE)
}

async function checkJob(target: PullRequestTarget, job: Job, step: AgentStep): Promise<TargetDecision> {
  const ask = () => findObjection(job, target.rolling.pullRequest, step)
  const objection = await orNotSent(describeUnknown(target), ask, hintFor(target))
  return objection === undefined ? SEND : decideOnObjection(target, job, objection)
}

/** The state of the pull request is asked last. */
async function checkState(target: PullRequestTarget, step: AgentStep): Promise<TargetDecision> {
  const read = () => step.journal.heads.read(target.rolling.pullRequest, step.questions)
  return decideOnState(target, await orNotSent(describeUnknown(target), read, hintFor(target)))
}

/** A read of the pull request that is older, in milliseconds, is repeated before the message. */
const OLD_MS = 1_000

async function checkFixRound(target: FixRoundTarget, job: Job, step: AgentStep): Promise<TargetDecision> {
  const { clock, deadlineAt, journal } = step
  const { address, link, examinedHead, lastRead } = target
  const isOld = clock.now() - lastRead.atMs >= OLD_MS
  const lost = 'The failing checks were not sent to the agent'
  const read = () => journal.heads.read(address)
  const now = isOld ? await journal.bestEffort(lost, read) : lastRead.pullRequest
  const isItsOwn = job.prLink !== undefined && isSamePullRequest(job.prLink, link)
  let roundStop: RoundStop | undefined = 'not-sent'
  if (now !== undefined)
    roundStop = isItsOwn ? (stopAtLastLook(now, examinedHead) ?? stopForTime(deadlineAt - clock.now())) : 'elsewhere'
  return roundStop === undefined
    ? SEND
    : { kind: 'stop', error: new ActionError('not-sent', STOPS[roundStop]), roundStop }
}

/** Whether what the prompt rests on besides the job's turns still holds. */
async function checkTarget(target: Target, job: Job, step: AgentStep): Promise<TargetDecision> {
  switch (target.kind) {
    case 'new-job':
    case 'job':
      return SEND
    case 'pull-request':
      return step.questions.spend(async () => {
        const decision = await checkJob(target, job, step)
        return decision.kind === 'send' ? checkState(target, step) : decision
      })
    case 'fix-round':
      return checkFixRound(target, job, step)
  }
}

/**
 * Decides whether a prompt may be sent to a job now. Asked directly before the first attempt to send, and after every wait.
 * @param before the job as it was prepared for the prompt
 * @throws ActionError `not-sent` if that cannot be found out
 */
export async function decideSend(target: Target, before: Job, watch: JobWatch): Promise<SendDecision> {
  const now = await findJob(before.id, watch)
  const stands = now !== undefined && (isRunning(before) ? now.status !== 'archived' : isSameEnd(now, before))
  return stands ? checkTarget(target, now, watch.step) : { kind: 'wait', now }
}

/**
 * Counts a follow-up in the comment that names the job, before it is sent: without the count, nothing bounds the rolling pull
 * request. Writes nothing if the follow-up is not to be sent.
 * @param job after the end of its turn before, as only then it says which pull request is its own
 * @throws ActionError `not-sent` if it may not have been counted
 */
export async function reserveFollowUp(target: Target, job: Job, step: AgentStep): Promise<TargetDecision> {
  if (target.kind !== 'pull-request' || target.reason === 'comment') return SEND
  const { number } = target.rolling.pullRequest
  return step.questions.spend(async () => {
    const decision = await checkJob(target, job, step)
    if (decision.kind !== 'send') return decision
    const uncounted = `The follow-up could not be counted in pull request #${number}`
    const counted = await orNotSent(uncounted, () => countFollowUp(target.rolling, step), ASK_AGAIN)
    if (counted !== 'used-up') {
      step.journal.add({ log: counted })
      return SEND
    }
    const ended = await checkState(target, step)
    if (ended.kind !== 'send') return ended
    // Red and not skipped: a green run would move the base of the next range, and its changes would never be told.
    return refuse(
      `${nameOf(target)} has had ${MAX_FOLLOW_UPS} follow-ups, the limit.`,
      'Merge or close it: the next run then starts a new job.',
    )
  })
}
