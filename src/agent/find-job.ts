/**
 * Finds the job of a pull request. Anybody can write a history comment, so it only names the job: the service proves that
 * the job opened the pull request.
 */
import { requireGitHub } from '../action/step.ts'
import { isTerminal, type Job } from '../docs-service/schemas.ts'
import { STATUS_PHRASES } from '../docs-service/interface.ts'
import { isOpen, type PullRequest, type PullRequestAddress } from '../github/pull-requests.ts'
import { ActionError, describeError, orUndefined } from '../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../runtime/heartbeat.ts'
import type { Acts, Reads } from './step.ts'
import { createPoller, isWithoutLink } from './turn/watch.ts'
import { getTurnPollDelayMs, LINK_LAG_MS } from './turn/schedule.ts'
import { pickOwn, listHistories, type ListedHistory } from './history/store.ts'

/** An open pull request, and the job that opened it. */
export interface JobOfPullRequest {
  readonly kind: 'job'
  readonly jobId: string
  readonly pullRequest: PullRequest
  /** Whether the job names the pull request as its own. A busy job names none, so it is read again before the prompt is sent. */
  readonly isProven: boolean
  /** The history by a trusted author; undefined if only others name the job. */
  readonly listed: ListedHistory | undefined
}

/** A pull request that no job confirms. */
interface NoJob {
  readonly kind: 'no-job'
  readonly pullRequest: PullRequest
  /** Why not; undefined if no comment of this action names a job. Quotes nothing from GitHub or the service. */
  readonly reason: string | undefined
}

/** Reads a job. Returns `undefined` if it is gone. @throws ActionError if it cannot be read */
async function readNamedJob(jobId: string, step: Reads): Promise<Job | undefined> {
  const { clock, runner, signal } = step
  const lagsUntil = clock.now() + LINK_LAG_MS
  let last: Job | ActionError | undefined
  const poll = createPoller(step, {
    observe(read) {
      last = read
    },
    async sleep(ms, rateLimit) {
      if (rateLimit === undefined) return clock.sleep(ms, signal)
      runner.log(`${describeError(rateLimit)} Waiting until ${formatTimeAfter(ms, clock)}.`)
      return sleepWithProgress(ms, { clock, log: runner.log, signal })
    },
  })
  const read = async (): Promise<Job> => {
    // A completed job may still get its link.
    const job = await poll(jobId, (read) => !isWithoutLink(read) || clock.now() >= lagsUntil, {
      getDelayMs: getTurnPollDelayMs,
      readsImmediately: true,
      confirmsMissing: true,
    })
    if (job !== undefined) return job
    throw last instanceof ActionError ? last : new ActionError('deadline', `Job ${jobId} could not be read in time.`)
  }
  return orUndefined(read(), 'not-found')
}

/**
 * Returns why the job cannot accept a follow-up about the pull request, or `undefined` if it can.
 * @throws ActionError if GitHub cannot tell whether it is the job's pull request
 */
export async function whyNotSendable(
  { status, prLink }: Job,
  pullRequest: PullRequestAddress,
  step: Acts,
): Promise<string | undefined> {
  if (status === 'archived' || status === 'failed') return STATUS_PHRASES[status]
  if (prLink === undefined) return 'has no pull request'
  return (await step.pullRequests.leadsTo(prLink, pullRequest)) ? undefined : 'has another pull request'
}

/**
 * Reads a pull request and the job that its history comment names: the one by a trusted author, otherwise the oldest one.
 * @throws ActionError if GitHub or the service cannot be read
 */
export async function findJobOfPullRequest(
  { repository, number }: PullRequestAddress,
  step: Acts,
): Promise<JobOfPullRequest | NoJob> {
  // Without the other fields of a comment: its history comments are older than it.
  const address = { repository, number }
  const [pullRequest, { histories, hasBroken }] = await Promise.all([
    step.pullRequests.read(address),
    listHistories(address, requireGitHub(step)),
  ])
  const none = (reason?: string): NoJob => ({ kind: 'no-job', pullRequest, reason })
  if (!isOpen(pullRequest)) return none()
  const ownHistory = pickOwn(histories)
  const chosen = ownHistory ?? histories[0]
  const broken = hasBroken ? 'its history comment was edited and cannot be read' : undefined
  if (chosen === undefined) return none(broken)
  const jobId = chosen.history.job
  const candidate = { kind: 'job', jobId, pullRequest, listed: ownHistory } as const
  if (!step.inputs.hasService) return { ...candidate, isProven: false }
  // One attempt for a job that only an untrusted comment names: otherwise anybody could stop the step.
  const job = ownHistory === undefined ? await orUndefined(step.client.getJob(jobId)) : await readNamedJob(jobId, step)
  if (job !== undefined && !isTerminal(job) && ownHistory !== undefined) return { ...candidate, isProven: false }
  const reason = job === undefined ? 'is not known' : await whyNotSendable(job, pullRequest, step)
  if (reason === undefined) return { ...candidate, isProven: true }
  return none(ownHistory === undefined ? broken : `job ${jobId} ${reason}`)
}
