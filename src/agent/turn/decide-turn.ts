/**
 * Decides whether a prompt may be sent now, before each attempt to send it. Hides what must be true of the job and of
 * its pull request, and how long to wait for that.
 */
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
import { formatCount } from '../../text/format.ts'
import type { FixRoundTarget, Plan, PullRequestTarget, Target } from '../plan.ts'
import { findStopBeforeSend } from '../pull-request/fix-rounds.ts'
import { announceInLog, announceTurn, countFollowUp } from '../pull-request/marker-comment.ts'
import { type AgentStep, openPlanningBudget, type ObservedEnd } from '../journal.ts'
import { ASK_IN_AN_ISSUE } from '../report/outcomes.ts'
import { type RoundStop, ROUND_STOP_REASONS, type TurnEnd } from '../report/turn.ts'
import {
  isStable,
  isSameEnd,
  isWithoutLink,
  STABLE_END_MS,
  acceptsPrompts,
  readJob,
  type JobWatch,
  waitForJob,
} from './job-watch.ts'
import { getTurnPollDelayMs } from './poll-schedule.ts'
import { type HeadBefore, readHeadBefore, readPullRequestForLog } from './turn-work.ts'

/** What to do if it is unknown whether the command of a comment may be run. */
export const RETRY_COMMENT_HINT = 'Run the workflow again later, or post the comment again.'
/** What to do if the pull request of a comment was merged or closed. */
export const OTHER_PLACE_HINT = 'Ask in an open pull request or in an issue.'

/** What to do if it is unknown whether a pull request is open. A second one must not be opened because of that. */
export const RETRY_HINT =
  'Run the step again later. With `on-open-pr: new`, this check is skipped, and each run starts a new job.'

/** The prompt must not be sent. */
export interface Stop {
  readonly kind: 'stop'
  readonly error: ActionError
  /** Why no round is sent, if the prompt is that of a fix round. */
  readonly roundStop?: RoundStop
}

/** The target can no longer get the prompt, so another one must be chosen. */
export interface Replan {
  readonly kind: 'replan'
  readonly target: PullRequestTarget
  /** The beginning of a sentence. */
  readonly reason: string
}

/** A follow-up that may be sent. */
export interface FollowUpStart {
  readonly kind: 'follow-up'
  readonly prompt: string
  /** The job before the turn. */
  readonly before: Job
  /** The pull request before the turn. Undefined if the step does not wait for the turn, or the pull request is unknown. */
  readonly head: HeadBefore | undefined
}

/** How a turn starts. */
export type TurnStart =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'attach'; readonly jobId: string }
  | FollowUpStart

/** The turn may start. */
interface Send<Start extends TurnStart> {
  readonly kind: 'send'
  readonly start: Start
}

type NotSent = Extract<TurnEnd, { kind: 'not-sent' }>

/** What to do if a prompt is not sent to its target. */
export type Unsent = NotSent | Replan | Stop

/** What to do with a follow-up. */
type FollowUpDecision = Send<FollowUpStart> | Unsent

/** What to do with a turn. `preview`: show the prompt, because this is a dry run. */
type TurnDecision = Send<TurnStart> | { readonly kind: 'preview' } | Unsent

/** Whether the target may still get the prompt. */
type TargetDecision = { readonly kind: 'send' } | Replan | Stop

/** Whether a prompt may be sent now. */
type SendDecision =
  | TargetDecision
  /** Since the job was ready for the prompt, it has changed, as `current` shows, or it could not be read. */
  | { readonly kind: 'wait'; readonly current: Job | undefined }

const SEND = { kind: 'send' } as const
const PREVIEW = { kind: 'preview' } as const

function refuse(message: string, hint: string): Stop {
  return { kind: 'stop', error: new ActionError('not-sent', message, { hint }) }
}

const getName = ({ rolling }: PullRequestTarget): string => `Pull request #${rolling.pullRequest.number}`
const getHint = ({ reason }: PullRequestTarget): string => (reason === 'comment' ? RETRY_COMMENT_HINT : RETRY_HINT)

const describeUnknown = ({ rolling }: PullRequestTarget): string =>
  `Could not determine whether pull request #${rolling.pullRequest.number} is still open`

/**
 * Decides what to do if the job no longer belongs to the pull request, or cannot accept the follow-up. A follow-up from a comment
 * is not replaced: a new job would not work on the pull request of the comment.
 */
function decideOnRefusal(target: PullRequestTarget, job: Job, refusalReason: string): TargetDecision {
  // The job named the pull request, and no longer does.
  const hasLostLink = target.rolling.isProven && isWithoutLink(job)
  if (target.reason === 'pull-request' && !hasLostLink)
    return { kind: 'replan', target, reason: `Job ${job.id} ${refusalReason}` }
  const reason = hasLostLink ? 'no longer has a pull request' : refusalReason
  return refuse(
    `${getName(target)} cannot accept the follow-up: job ${job.id} ${reason}.`,
    'Run the step again: it then looks up the pull request and its job again.',
  )
}

/** Decides whether the pull request is still open for the prompt. */
function decideOnState(target: PullRequestTarget, { state }: PullRequest): TargetDecision {
  if (isOpen({ state })) return SEND
  const reason = `${getName(target)} was ${state} before the prompt was sent`
  return target.reason === 'pull-request' ? { kind: 'replan', target, reason } : refuse(`${reason}.`, OTHER_PLACE_HINT)
}

async function checkJob(target: PullRequestTarget, job: Job, step: AgentStep): Promise<TargetDecision> {
  const find = () => findRefusalReason(job, target.rolling.pullRequest, step)
  const refusalReason = await orNotSent(describeUnknown(target), find, getHint(target))
  return refusalReason === undefined ? SEND : decideOnRefusal(target, job, refusalReason)
}

/** Reads the pull request. Its state is checked last, directly before the prompt. */
async function checkState(target: PullRequestTarget, step: AgentStep): Promise<TargetDecision> {
  const read = () => step.heads.read(target.rolling.pullRequest, step.planningBudget)
  return decideOnState(target, await orNotSent(describeUnknown(target), read, getHint(target)))
}

/** A read of the job or the pull request that is older is repeated before the prompt is sent. */
const MAX_READ_AGE_MS = 1_000

async function checkFixRound(target: FixRoundTarget, job: Job, step: AgentStep): Promise<TargetDecision> {
  const { clock, deadlineAt, heads, journal } = step
  const { address, link, examinedHead, lastRead } = target
  const isOld = clock.now() - lastRead.atMs >= MAX_READ_AGE_MS
  const warning = 'The failing checks were not sent to the agent'
  const read = () => heads.read(address)
  const current = isOld ? await journal.orWarn(warning, read) : lastRead.pullRequest
  const namesPullRequest = job.prLink !== undefined && isSamePullRequest(job.prLink, link)
  let roundStop: RoundStop | undefined = 'not-sent'
  if (current !== undefined)
    roundStop = namesPullRequest
      ? findStopBeforeSend(current, examinedHead, deadlineAt - clock.now())
      : 'other-pull-request'
  return roundStop === undefined
    ? SEND
    : { kind: 'stop', error: new ActionError('not-sent', ROUND_STOP_REASONS[roundStop]), roundStop }
}

/** Checks whether the target may still get the prompt, apart from the job's turns. */
async function checkTarget(target: Target, job: Job, step: AgentStep): Promise<TargetDecision> {
  switch (target.kind) {
    case 'new-job':
    case 'job':
      return SEND
    case 'pull-request':
      return step.planningBudget.spend(async () => {
        const decision = await checkJob(target, job, step)
        return decision.kind === 'send' ? checkState(target, step) : decision
      })
    case 'fix-round':
      return checkFixRound(target, job, step)
  }
}

/**
 * Decides whether a prompt may be sent to a job now. Called directly before the first attempt to send, and after every wait.
 * @param before the job when it was ready for the prompt
 * @throws ActionError `not-sent` if this cannot be determined
 */
export async function decideSend(target: Target, before: Job, watch: JobWatch): Promise<SendDecision> {
  const { clock } = watch.step
  const isReady = (job: Job): boolean => (isTerminal(before) ? isSameEnd(job, before) : acceptsPrompts(job))
  const current = await readJob(before.id, watch)
  if (current === undefined || !isReady(current)) return { kind: 'wait', current }
  const readAtMs = clock.now()
  const decision = await checkTarget(target, current, watch.step)
  if (decision.kind !== 'send' || clock.now() - readAtMs < MAX_READ_AGE_MS) return decision
  // Another step may have sent a prompt while GitHub responded slowly.
  const newest = await readJob(before.id, watch)
  return newest !== undefined && isReady(newest) ? decision : { kind: 'wait', current: newest }
}

/**
 * Writes in the marker comment that the agent is working, before the prompt is sent. A rolling follow-up is also counted
 * there, because nothing else limits how many follow-ups a pull request gets. Writes nothing if the follow-up must not be sent.
 * @param job the job after the end of its preceding turn, because a busy job does not name its pull request
 * @throws ActionError `not-sent` if the follow-up may not have been counted
 */
async function reserveFollowUp(target: Target, job: Job, step: AgentStep): Promise<TargetDecision> {
  if (target.kind === 'new-job' || target.kind === 'job') return SEND
  if (target.kind === 'fix-round' || target.reason === 'comment') {
    await announceTurn(step)
    return SEND
  }
  return step.planningBudget.spend(async () => {
    const decision = await checkJob(target, job, step)
    return decision.kind === 'send' ? reserveCount(target, step) : decision
  })
}

async function reserveCount(target: PullRequestTarget, step: AgentStep): Promise<TargetDecision> {
  const unknown = `The follow-up could not be counted in pull request #${target.rolling.pullRequest.number}`
  const counted = await orNotSent(unknown, () => countFollowUp(target.rolling, step), RETRY_HINT)
  if (counted !== 'used-up') {
    step.journal.setLogPlace(counted)
    return SEND
  }
  const decision = await checkState(target, step)
  if (decision.kind !== 'send') return decision
  // Not skipped: a green run would move the base of the next range, and the agent would never see these changes.
  const { hasService, maxFollowUps } = step.inputs
  const unconfirmed = hasService ? '' : ' (not confirmed by the service)'
  return refuse(
    `${getName(target)} has reached the limit of ${formatCount(maxFollowUps, 'follow-up')}${unconfirmed}.`,
    'Merge or close it, so that the next run starts a new job. Or increase `max-follow-ups`.',
  )
}

/** Writes in the marker comment that the agent is working, before a follow-up to `job-id`. */
async function announceFollowUp({ job, head }: ReadyJob, step: AgentStep): Promise<void> {
  const { dryRun, label, wait } = step.inputs
  if (label === '' || dryRun) return
  const pullRequest = wait ? head : await readPullRequestForLog(job, step)
  if (pullRequest !== undefined && isOpen(pullRequest)) await announceInLog(pullRequest, job.id, step)
}

/** Whether a follow-up to `job-id` needs a newer read of the job. */
function isOutdated({ id }: Job, { step: { clock, jobEnds } }: JobWatch): boolean {
  const { lastMs } = jobEnds.get(id) ?? { lastMs: Infinity }
  return clock.now() - lastMs >= MAX_READ_AGE_MS
}

/** A dry run without a key cannot read the job, and relies on the marker comment. */
async function decideWithoutService(target: Target, step: AgentStep): Promise<TurnDecision> {
  if (target.kind !== 'pull-request' || target.reason === 'comment') return PREVIEW
  const decision = await reserveCount(target, step)
  return decision.kind === 'send' ? PREVIEW : decision
}

/** If the job changes this often before the prompt can be sent, the step gives up. */
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

/** The step with the time budget for the requests before the prompt. Each fix round has its own budget. */
function withOwnBudget({ kind }: Target, step: AgentStep): AgentStep {
  return kind === 'fix-round' ? { ...step, planningBudget: openPlanningBudget(step) } : step
}

/**
 * Reads the job until its terminal state is stable: otherwise, a stale `active` of an earlier turn could be mistaken for the
 * turn of the prompt.
 * @returns the newest read, which shows another state if the job has changed; `undefined` if there is not enough time left
 */
async function waitUntilIdle(end: Job, watch: JobWatch): Promise<Job | undefined> {
  const { clock, core, deadlineAt, jobEnds } = watch.step
  const getObserved = (): ObservedEnd => jobEnds.get(end.id) ?? { end, sinceMs: clock.now(), lastMs: clock.now() }
  if (isStable(getObserved())) return end
  const getLeftMs = (): number => Math.max(0, getObserved().sinceMs + STABLE_END_MS - clock.now())
  if (clock.now() + getLeftMs() >= deadlineAt) return undefined
  core.log('The step waits until the job has been idle for 15 seconds.')
  return watch.poll(end.id, (read) => !isSameEnd(read, end) || isStable(getObserved()), {
    getDelayMs: (fixedMs, state) =>
      Math.max(Math.min(getTurnPollDelayMs(fixedMs, state), getLeftMs()), state.minDelayMs),
  })
}

/** A job that may get the prompt: its terminal state is stable, or the step does not wait for the turn. */
interface ReadyJob {
  readonly kind: 'ready'
  readonly job: Job
  /** Whether the step has waited for the job. Earlier reads may then be outdated. */
  readonly wasBusy: boolean
  /** The head of its pull request. Undefined if it is read directly before the prompt. */
  readonly head: HeadBefore | undefined
}

/**
 * Waits until the job is idle: the end of another turn could otherwise be mistaken for the end of the follow-up.
 * @param first the newest read; `undefined` if the job could not be read
 * @param wasBusy whether the step has already waited for the job
 * @param step the step with the time budget for the requests before the prompt
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
  let current = first
  for (let isBusy = wasBusy; ; isBusy = true) {
    if (current === undefined) return notSent('timed-out', UNREAD, watch)
    const isTurnRunning = !isTerminal(current) && (inputs.wait || isOfPullRequest)
    if (isTurnRunning) watch.note('The job is busy. The step waits until its current turn ends.')
    // The pull request of the job must be known before the prompt is sent.
    const isLinkMissing = isOfPullRequest && isWithoutLink(current)
    const mustWait = isTurnRunning || isLinkMissing
    isBusy ||= mustWait
    const before: Job | undefined = mustWait ? (await waitForJob(current, watch))?.job : current
    if (before === undefined) return notSent('timed-out', NO_END, watch)
    if (!acceptsPrompts(before) && !isReplaceable)
      return notSent('archived', ARCHIVED, watch, inputs.command === '' ? WITHOUT_JOB_ID : ASK_IN_AN_ISSUE)
    let head = isBusy ? await readHeadBefore(before, step, true) : undefined
    // The job may have got another prompt before its head was stable.
    current = !isTerminal(before) || !acceptsPrompts(before) ? before : await waitUntilIdle(before, watch)
    if (current === undefined) return notSent('timed-out', NOT_IDLE, watch)
    if (!isSameEnd(before, current)) continue
    if (isBusy && clock.now() >= deadlineAt) return notSent('timed-out', NO_END, watch)
    if (!isOfPullRequest && !isBusy) head = await readHeadBefore(before, step)
    return { kind: 'ready', job: before, wasBusy: isBusy, head }
  }
}

/**
 * What the step has done with a follow-up. `announced`: it is in the log and counted. `refused`: the service has refused the
 * prompt without processing it.
 */
type FollowUpProgress = 'new' | 'announced' | 'refused'

/** A follow-up, before it is decided whether it is sent. */
interface PlannedFollowUp {
  readonly prompt: string
  readonly target: Target
  /** The newest attempt, which the service has refused without processing it. Undefined before the first one. */
  readonly refused?: FollowUpStart
}

/** Decides whether a follow-up may be sent to a job that is ready for it. */
async function decideForReadyJob(
  ready: ReadyJob,
  progress: FollowUpProgress,
  { target, prompt }: PlannedFollowUp,
  watch: JobWatch,
  step: AgentStep,
): Promise<Send<FollowUpStart> | Exclude<SendDecision, { kind: 'send' }>> {
  const { job, wasBusy, head } = ready
  const isOfPullRequest = target.kind !== 'job'
  let decision: SendDecision = SEND
  if (progress === 'new' && isOfPullRequest) decision = await reserveFollowUp(target, job, step)
  else if (progress === 'new') await announceFollowUp(ready, watch.step)
  const mustReadAgain = isOfPullRequest || progress === 'refused' || isOutdated(job, watch)
  if (decision.kind === 'send' && mustReadAgain) decision = await decideSend(target, job, watch)
  if (decision.kind !== 'send') return decision
  if (target.kind === 'fix-round' && progress !== 'refused') watch.note(target.announcement)
  const newest = isOfPullRequest && !wasBusy ? await readHeadBefore(job, step) : head
  return { kind: 'send', start: { kind: 'follow-up', prompt, before: job, head: newest } }
}

/** Returns the job as it was ready when the service refused the prompt. Another prompt may have had a turn in the meantime. */
async function toReadyJob({ before, head }: FollowUpStart, step: AgentStep): Promise<ReadyJob> {
  return { kind: 'ready', job: before, wasBusy: true, head: head && (await readHeadBefore(before, step, true)) }
}

/**
 * Waits until the job of a follow-up is ready, and then decides directly before the prompt. Starts again if the job has
 * changed in between. Decides in the same way before a prompt is resent, because a rate limit can delay it for a long time.
 * @throws ActionError `not-sent` if this cannot be determined
 */
export async function decideFollowUp(
  jobId: string,
  followUp: PlannedFollowUp,
  watch: JobWatch,
): Promise<FollowUpDecision> {
  const { target, refused } = followUp
  const step = withOwnBudget(target, watch.step)
  let progress: FollowUpProgress = refused === undefined ? 'new' : 'refused'
  let ready =
    refused === undefined
      ? await waitUntilReady(await readJob(jobId, watch), false, target, watch, step)
      : await toReadyJob(refused, step)
  for (let waits = 1; ready.kind === 'ready'; waits++) {
    const decision = await decideForReadyJob(ready, progress, followUp, watch, step)
    if (decision.kind !== 'wait') return decision
    if (waits === MAX_WAITS) return refuse('The job changed each time before the prompt could be sent.', RUN_AGAIN)
    if (progress === 'new') progress = 'announced'
    ready = await waitUntilReady(decision.current, true, target, watch, step)
  }
  return ready
}

async function decideStart({ task, target }: Plan, watch: JobWatch): Promise<TurnDecision> {
  switch (task.kind) {
    case 'create':
    case 'attach':
      return { kind: 'send', start: task }
    case 'follow-up':
      return watch.step.inputs.hasService
        ? decideFollowUp(task.jobId, { prompt: task.prompt, target }, watch)
        : decideWithoutService(target, watch.step)
  }
}

/**
 * Decides what to do with a turn. If the job of a follow-up is busy, waits for it first.
 * @throws ActionError `not-sent` if this cannot be determined
 */
export async function decideTurn(plan: Plan, watch: JobWatch): Promise<TurnDecision> {
  const decision = await decideStart(plan, watch)
  return decision.kind === 'send' && watch.step.inputs.dryRun ? PREVIEW : decision
}

function describeUnusableStatus({ status }: Job): string | undefined {
  switch (status) {
    case 'archived':
    case 'failed':
      return STATUS_PHRASES[status]
    case 'active':
    case 'completed':
      return undefined
  }
}

/** Returns why the job cannot accept a follow-up about the pull request, or `undefined` if it can. */
export function getRefusalReason(job: Job, { repository, number }: PullRequest, serverUrl: string): string | undefined {
  const unusable = describeUnusableStatus(job)
  if (unusable !== undefined) return unusable
  const link = parsePullRequestLink(`${serverUrl}/${repository}/pull/${number}`)
  if (job.prLink === undefined) return 'has no pull request'
  return link !== undefined && isSamePullRequest(job.prLink, link) ? undefined : 'has another pull request'
}

/**
 * Returns why the job cannot accept a follow-up about the pull request, or `undefined` if it can. The repository may have been
 * renamed.
 * @throws ActionError if GitHub cannot be read, or the job's link does not show which pull request it names
 */
export async function findRefusalReason(
  job: Job | undefined,
  pullRequest: PullRequest,
  step: AgentStep,
): Promise<string | undefined> {
  if (job === undefined) return 'is not known'
  const { prLink, status } = job
  if (status === 'completed' && job.hasUnsafeLink === true)
    throw new ActionError('rejected', `job ${job.id} has a pull request, but its link cannot be used.`)
  const { serverUrl } = step.context
  const { repository, number } = pullRequest
  const isOtherName = prLink?.repository !== undefined && prLink.repository.toLowerCase() !== repository.toLowerCase()
  if (!isOtherName || prLink.number !== String(number) || prLink.host !== new URL(serverUrl).host)
    return getRefusalReason(job, pullRequest, serverUrl)
  // After a rename, one of the two may have an older name of the repository. GitHub redirects older names to the current one.
  const read = openGitHub(step, step.planningBudget).readPullRequest({ repository: prLink.repository, number })
  const currentName = (await orUndefined(read, 'not-found', 'forbidden'))?.repository ?? prLink.repository
  return getRefusalReason({ ...job, prLink: { ...prLink, repository: currentName } }, pullRequest, serverUrl)
}
