import { openGitHub } from '../../action/step.ts'
import {
  isSamePullRequest,
  isTerminal,
  type Job,
  parsePullRequestLink,
  STATUS_PHRASES,
} from '../../docs-service/schemas.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { ActionError, orNotSent, orUndefined } from '../../runtime/errors.ts'
import type { FixRoundTarget, Plan, PullRequestTarget, Target } from '../plan.ts'
import { findStopBeforeSend } from '../pull-request/fix-rounds.ts'
import { announceToJob, announceTurn, countFollowUp } from '../pull-request/marker-comment.ts'
import { type AgentStep, openQuestionBudget, type ObservedEnd } from '../journal.ts'
import { ASK_IN_AN_ISSUE } from '../report/outcomes.ts'
import { type RoundStop, ROUND_STOP_REASONS, type TurnEnd } from '../report/turn.ts'
import { isStable, isSameEnd, isWithoutLink, STABLE_END_MS, acceptsPrompts } from './job-state.ts'
import { readJob, type JobWatch, waitForJob } from './job-watch.ts'
import { getTurnPollDelayMs } from './poll-schedule.ts'
import { type HeadBefore, readHeadBefore } from './turn-work.ts'

/** What to do if a comment cannot be answered, because something is not known, or because its pull request has ended. */
export const RETRY_COMMENT_HINT = 'Run the workflow again when it can be asked, or write the comment once more.'
export const OTHER_PLACE_HINT = 'Ask in an open pull request or in an issue.'

/** What to do if a question has no answer: who asked for one pull request must not get two because of it. */
export const RETRY_HINT =
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

/** A follow-up that may be sent, and what it rests on. */
export interface FollowUpStart {
  readonly kind: 'follow-up'
  readonly prompt: string
  readonly before: Job
  /** The pull request of the job, if it is to be known what the turn does to it, and GitHub could tell. */
  readonly head: HeadBefore | undefined
}

/** How a turn starts. */
export type TurnStart =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'attach'; readonly jobId: string }
  | FollowUpStart

/** The turn may start: nothing keeps its prompt from being sent. */
interface Send {
  readonly kind: 'send'
  readonly start: TurnStart
}

type NotSent = Extract<TurnEnd, { kind: 'not-sent' }>

/** What becomes of a turn. `preview`: it is a dry run, so that its prompt is shown. */
type TurnDecision = Send | { readonly kind: 'preview' } | NotSent | Replan | Stop

/** Whether the target of a prompt still is what it was chosen for. */
type TargetDecision = { readonly kind: 'send' } | Replan | Stop

/** Whether a prompt may be sent now. */
type SendDecision =
  | TargetDecision
  /** The job has begun a turn, or has ended otherwise, since it was ready for the prompt, or it could not be read. */
  | { readonly kind: 'wait'; readonly now: Job | undefined }

const SEND = { kind: 'send' } as const
const PREVIEW = { kind: 'preview' } as const

function refuse(message: string, hint: string): Stop {
  return { kind: 'stop', error: new ActionError('not-sent', message, { hint }) }
}

const getName = ({ rolling }: PullRequestTarget): string => `Pull request #${rolling.pullRequest.number}`
const getHint = ({ reason }: PullRequestTarget): string => (reason === 'comment' ? RETRY_COMMENT_HINT : RETRY_HINT)

const describeUnknown = ({ rolling }: PullRequestTarget): string =>
  `Could not tell whether pull request #${rolling.pullRequest.number} is still open`

/**
 * What follows if the job is not that of the pull request any more, or cannot take the follow-up. Nothing replaces a follow-up
 * that a comment asks for: a new job would have nothing to do with what the comment is about.
 */
function decideOnObjection(target: PullRequestTarget, job: Job, objection: string): TargetDecision {
  // The job takes back without a word what it said.
  const takesBack = target.rolling.isProven && isWithoutLink(job)
  if (target.reason === 'pull-request' && !takesBack)
    return { kind: 'replan', target, reason: `Job ${job.id} ${objection}` }
  const more = takesBack ? ' any more' : ''
  return refuse(
    `${getName(target)} cannot take the follow-up: job ${job.id} ${objection}${more}.`,
    'Run the step again: it looks for the pull request and its job anew.',
  )
}

/** What follows from the state of the pull request. */
function decideOnState(target: PullRequestTarget, { state }: PullRequest): TargetDecision {
  if (isOpen({ state })) return SEND
  const end = `${getName(target)} was ${state} meanwhile`
  return target.reason === 'pull-request'
    ? { kind: 'replan', target, reason: end }
    : refuse(`${end}.`, OTHER_PLACE_HINT)
}

async function checkJob(target: PullRequestTarget, job: Job, step: AgentStep): Promise<TargetDecision> {
  const ask = () => findObjection(job, target.rolling.pullRequest, step)
  const objection = await orNotSent(describeUnknown(target), ask, getHint(target))
  return objection === undefined ? SEND : decideOnObjection(target, job, objection)
}

/** The state of the pull request is asked last. */
async function checkState(target: PullRequestTarget, step: AgentStep): Promise<TargetDecision> {
  const read = () => step.heads.read(target.rolling.pullRequest, step.questions)
  return decideOnState(target, await orNotSent(describeUnknown(target), read, getHint(target)))
}

/** Older reads of the job or the pull request are repeated before the prompt is sent. */
const MAX_READ_AGE_MS = 1_000

async function checkFixRound(target: FixRoundTarget, job: Job, step: AgentStep): Promise<TargetDecision> {
  const { clock, deadlineAt, heads, journal } = step
  const { address, link, examinedHead, lastRead } = target
  const isOld = clock.now() - lastRead.atMs >= MAX_READ_AGE_MS
  const lost = 'The failing checks were not sent to the agent'
  const read = () => heads.read(address)
  const now = isOld ? await journal.orWarn(lost, read) : lastRead.pullRequest
  const isItsOwn = job.prLink !== undefined && isSamePullRequest(job.prLink, link)
  let roundStop: RoundStop | undefined = 'not-sent'
  if (now !== undefined)
    roundStop = isItsOwn ? findStopBeforeSend(now, examinedHead, deadlineAt - clock.now()) : 'other-pull-request'
  return roundStop === undefined
    ? SEND
    : { kind: 'stop', error: new ActionError('not-sent', ROUND_STOP_REASONS[roundStop]), roundStop }
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
 * @param before the job as it was when it was ready for the prompt
 * @throws ActionError `not-sent` if that cannot be found out
 */
export async function decideSend(target: Target, before: Job, watch: JobWatch): Promise<SendDecision> {
  const now = await readJob(before.id, watch)
  const stands = now !== undefined && (isTerminal(before) ? isSameEnd(now, before) : acceptsPrompts(now))
  return stands ? checkTarget(target, now, watch.step) : { kind: 'wait', now }
}

/**
 * Says in the comment that names the job that the agent is working, before the prompt is sent. A rolling follow-up is counted
 * there as well: without the count, nothing bounds the rolling pull request. Writes nothing if the follow-up is not to be sent.
 * @param job after the end of its turn before, as only then it says which pull request is its own
 * @throws ActionError `not-sent` if it may not have been counted
 */
async function reserveFollowUp(target: Target, job: Job, step: AgentStep): Promise<TargetDecision> {
  if (target.kind === 'new-job' || target.kind === 'job') return SEND
  if (target.kind === 'fix-round' || target.reason === 'comment') {
    await announceTurn(step)
    return SEND
  }
  return step.questions.spend(async () => {
    const decision = await checkJob(target, job, step)
    return decision.kind === 'send' ? reserveCount(target, step) : decision
  })
}

async function reserveCount(target: PullRequestTarget, step: AgentStep): Promise<TargetDecision> {
  const uncounted = `The follow-up could not be counted in pull request #${target.rolling.pullRequest.number}`
  const counted = await orNotSent(uncounted, () => countFollowUp(target.rolling, step), RETRY_HINT)
  if (counted !== 'used-up') {
    step.journal.setLogPlace(counted)
    return SEND
  }
  const ended = await checkState(target, step)
  if (ended.kind !== 'send') return ended
  // Red and not skipped: a green run would move the base of the next range, and its changes would never be told.
  const { hasService, maxFollowUps } = step.inputs
  const unread = hasService ? '' : ' (not confirmed by the service)'
  return refuse(
    `${getName(target)} takes no more follow-ups: it has had ${maxFollowUps}, the limit${unread}.`,
    'Merge or close it: the next run then starts a new job. Or raise `max-follow-ups`.',
  )
}

/** Says in the log that the agent is working, before a follow-up to `job-id`. */
async function announceFollowUp(head: HeadBefore | undefined, { id }: Job, { step }: JobWatch): Promise<void> {
  if (head !== undefined && isOpen(head)) await announceToJob(head, id, step)
}

/** Whether the newest read of a job that has ended, which is all that a follow-up to `job-id` rests on, has to be repeated. */
function isOutdated({ id }: Job, { step: { clock, jobEnds } }: JobWatch): boolean {
  const { lastMs } = jobEnds.get(id) ?? { lastMs: Infinity }
  return clock.now() - lastMs >= MAX_READ_AGE_MS
}

/** A dry run without a key takes the job as the pull request's comment names it. */
async function decideWithoutService(target: Target, step: AgentStep): Promise<TurnDecision> {
  if (target.kind !== 'pull-request' || target.reason === 'comment') return PREVIEW
  const decision = await reserveCount(target, step)
  return decision.kind === 'send' ? PREVIEW : decision
}

/** A job that changes so often while a prompt is prepared is not sent it. */
const MAX_WAITS = 3

const UNREAD = 'The prompt was not sent: the job could not be read before the deadline.'
const WITHOUT_JOB_ID = 'Create a new job: run the same step without `job-id`.'
const ARCHIVED = 'The prompt was not sent: the job is archived.'
const NO_END = "The prompt was not sent: the job's current turn did not end before the deadline."
const NOT_IDLE = `The prompt was not sent: the job was not idle for ${STABLE_END_MS / 1_000} seconds before the deadline.`
const LATER = 'Run the same step again later, or increase `timeout-minutes`.'

function notSent(reason: NotSent['reason'], why: string, { reads }: JobWatch, hint = LATER): NotSent {
  return { kind: 'not-sent', reason, error: new ActionError('not-sent', why, { hint }), ...reads }
}

const RUN_AGAIN = 'Run the same step again.'

/** The step for what is asked before a prompt: a round has time of its own for that. */
function withOwnBudget({ kind }: Target, step: AgentStep): AgentStep {
  return kind === 'fix-round' ? { ...step, questions: openQuestionBudget(step) } : step
}

/** Checks again whether a prompt may be sent, after a wait: a rate limit may have put it off for long. */
export async function recheckBeforeSend(
  { before, head: known, prompt }: FollowUpStart,
  target: Target,
  watch: JobWatch,
): Promise<FollowUpStart | Stop> {
  // Somebody else's prompt may have had its turn.
  const head = known && (await readHeadBefore(before, withOwnBudget(target, watch.step), true))
  const decision = await decideSend(target, before, watch)
  switch (decision.kind) {
    case 'send':
      return { kind: 'follow-up', prompt, before, head }
    case 'stop':
      return decision
    case 'wait':
    case 'replan':
      return refuse(
        'While the prompt had to wait, the job or its pull request changed, or it could not be read.',
        RUN_AGAIN,
      )
  }
}

/**
 * Reads the job until its terminal state has stood: otherwise a stale `active` of an earlier turn could pass for the turn of
 * the prompt.
 * @returns the newest read, which shows another state if the given one did not stand; undefined if the time does not suffice
 */
async function waitUntilIdle(end: Job, watch: JobWatch): Promise<Job | undefined> {
  const { clock, core, deadlineAt, jobEnds } = watch.step
  const standing = (): ObservedEnd => jobEnds.get(end.id) ?? { end, sinceMs: clock.now(), lastMs: clock.now() }
  if (isStable(standing())) return end
  const leftMs = (): number => Math.max(0, standing().sinceMs + STABLE_END_MS - clock.now())
  if (clock.now() + leftMs() >= deadlineAt) return undefined
  core.log('The step sends the prompt when the job has been idle for 15 seconds.')
  return watch.poll(end.id, (read) => !isSameEnd(read, end) || isStable(standing()), {
    getDelayMs: (fixedMs, state) => Math.max(Math.min(getTurnPollDelayMs(fixedMs, state), leftMs()), state.minDelayMs),
  })
}

/** A job that takes a prompt, as its terminal state has stood, or as nothing else was waited for. */
interface ReadyJob {
  readonly kind: 'ready'
  readonly job: Job
  /** Whether the step has waited for the job, so that what it has read before may be outdated. */
  readonly wasBusy: boolean
  /** The head of its pull request, unless it is read directly before the prompt. */
  readonly head: HeadBefore | undefined
}

/**
 * Waits until no turn is in the way of a follow-up, or its end would pass for the one of the follow-up.
 * @param first the newest read; undefined if the job could not be read
 * @param wasBusy whether the step has waited for the job before
 * @param step of the questions before the prompt
 */
async function waitUntilReady(
  first: Job | undefined,
  wasBusy: boolean,
  target: Target,
  watch: JobWatch,
  step: AgentStep,
): Promise<ReadyJob | NotSent> {
  const { clock, deadlineAt, inputs } = step
  const isOfPullRequest = target.kind !== 'job'
  const isReplaceable = target.kind === 'pull-request' && target.reason === 'pull-request'
  let present = first
  for (let isBusy = wasBusy; ; isBusy = true) {
    if (present === undefined) return notSent('timed-out', UNREAD, watch)
    const isInTheWay = !isTerminal(present) && (inputs.wait || isOfPullRequest)
    if (isInTheWay) watch.note('The job is busy. The step sends the prompt when the current turn ends.')
    // Its pull request has to be known before the prompt is sent.
    const isLate = isOfPullRequest && isWithoutLink(present)
    const mustWait = isInTheWay || isLate
    isBusy ||= mustWait
    const before: Job | undefined = mustWait ? (await waitForJob(present, watch))?.job : present
    if (before === undefined) return notSent('timed-out', NO_END, watch)
    if (!acceptsPrompts(before) && !isReplaceable)
      return notSent('archived', ARCHIVED, watch, inputs.command === '' ? WITHOUT_JOB_ID : ASK_IN_AN_ISSUE)
    let head = isBusy ? await readHeadBefore(before, step, true) : undefined
    // The job may have got another prompt while the head had to stand.
    present = !isTerminal(before) || !acceptsPrompts(before) ? before : await waitUntilIdle(before, watch)
    if (present === undefined) return notSent('timed-out', NOT_IDLE, watch)
    if (!isSameEnd(before, present)) continue
    if (isBusy && clock.now() >= deadlineAt) return notSent('timed-out', NO_END, watch)
    if (!isOfPullRequest && !isBusy) head = await readHeadBefore(before, step)
    return { kind: 'ready', job: before, wasBusy: isBusy, head }
  }
}

/**
 * Decides whether a follow-up may be sent to a job that is ready for it.
 * @param isFirst whether the follow-up is not yet announced, or counted
 */
async function decideForReadyJob(
  { job, wasBusy, head }: ReadyJob,
  isFirst: boolean,
  { target, prompt }: { readonly target: Target; readonly prompt: string },
  watch: JobWatch,
  step: AgentStep,
): Promise<Send | Exclude<SendDecision, { kind: 'send' }>> {
  const isOfPullRequest = target.kind !== 'job'
  let decision: SendDecision = SEND
  if (isFirst && isOfPullRequest) decision = await reserveFollowUp(target, job, step)
  else if (isFirst) await announceFollowUp(head, job, watch)
  if (decision.kind === 'send' && (isOfPullRequest || isOutdated(job, watch)))
    decision = await decideSend(target, job, watch)
  if (decision.kind !== 'send') return decision
  if (target.kind === 'fix-round') watch.note(target.announcement)
  const newest = isOfPullRequest && !wasBusy ? await readHeadBefore(job, step) : head
  return { kind: 'send', start: { kind: 'follow-up', prompt, before: job, head: newest } }
}

/**
 * Decides what becomes of a follow-up: waits until its job is ready, and decides directly before the prompt, as often as the
 * job has changed in between.
 * @throws ActionError `not-sent` if that cannot be found out
 */
async function decideFollowUp(
  jobId: string,
  followUp: { readonly target: Target; readonly prompt: string },
  watch: JobWatch,
): Promise<TurnDecision> {
  const { target } = followUp
  const step = withOwnBudget(target, watch.step)
  let present = await readJob(jobId, watch)
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    const ready = await waitUntilReady(present, waits > 0, target, watch, step)
    if (ready.kind === 'not-sent') return ready
    const decision = await decideForReadyJob(ready, waits === 0, followUp, watch, step)
    if (decision.kind !== 'wait') return decision
    present = decision.now
  }
  return refuse('The job had changed each time the step looked at it.', RUN_AGAIN)
}

async function decideStart({ task, target }: Plan, watch: JobWatch): Promise<TurnDecision> {
  switch (task.kind) {
    case 'create':
    case 'attach':
      return { kind: 'send', start: task }
    case 'follow-up':
      return watch.step.inputs.hasService
        ? decideFollowUp(task.jobId, { target, prompt: task.prompt }, watch)
        : decideWithoutService(target, watch.step)
  }
}

/**
 * Decides what becomes of a turn, after a wait if the job of a follow-up is busy.
 * @throws ActionError `not-sent` if that cannot be found out
 */
export async function decideTurn(plan: Plan, watch: JobWatch): Promise<TurnDecision> {
  const decision = await decideStart(plan, watch)
  return decision.kind === 'send' && watch.step.inputs.dryRun ? PREVIEW : decision
}

function describeBadEnd({ status }: Job): string | undefined {
  switch (status) {
    case 'archived':
    case 'failed':
      return STATUS_PHRASES[status]
    case 'active':
    case 'completed':
      return undefined
  }
}

/** Why a pull request is not known to be a job's, or the job cannot take the follow-up; undefined if all is well. */
export function getObjection(job: Job, { repository, number }: PullRequest, serverUrl: string): string | undefined {
  const ended = describeBadEnd(job)
  if (ended !== undefined) return ended
  const link = parsePullRequestLink(`${serverUrl}/${repository}/pull/${number}`)
  if (job.prLink === undefined) return 'has no pull request'
  return link !== undefined && isSamePullRequest(job.prLink, link) ? undefined : 'has another pull request'
}

/**
 * Why a job is not that of a pull request, or cannot take the follow-up; undefined if all is well.
 * @throws ActionError if GitHub does not tell, or the job has a link that does not say which pull request it is
 */
export async function findObjection(
  job: Job | undefined,
  pullRequest: PullRequest,
  step: AgentStep,
): Promise<string | undefined> {
  if (job === undefined) return 'is not known'
  const { prLink, status } = job
  if (status === 'completed' && job.hasUnsafeLink === true)
    throw new ActionError('rejected', `job ${job.id} has a pull request, and its link cannot be used.`)
  const { serverUrl } = step.context
  const { repository, number } = pullRequest
  const isOtherName = prLink?.repository !== undefined && prLink.repository.toLowerCase() !== repository.toLowerCase()
  if (!isOtherName || prLink.number !== String(number) || prLink.host !== new URL(serverUrl).host)
    return getObjection(job, pullRequest, serverUrl)
  // If the repository was renamed, one of the two may have its older name. Who sees it by its name of today sees it by an older
  // one, too.
  const asked = openGitHub(step, step.questions).readPullRequest({ repository: prLink.repository, number })
  const today = (await orUndefined(asked, 'not-found', 'forbidden'))?.repository ?? prLink.repository
  return getObjection({ ...job, prLink: { ...prLink, repository: today } }, pullRequest, serverUrl)
}
