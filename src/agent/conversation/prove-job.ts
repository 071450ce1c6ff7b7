import { openGitHub, within } from '../../action/step.ts'
import { isTerminal, type Job } from '../../docs-service/schemas.ts'
import type { ListedComment } from '../../github/comments.ts'
import { isOpen, type PullRequest, type PullRequestAddress } from '../../github/pull-requests.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, describeError, orUndefined } from '../../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../../runtime/heartbeat.ts'
import type { Deadline } from '../../runtime/time-budget.ts'
import { isMarkerComment, filterMostTrusted, pickLogComment, readMarker } from '../marker.ts'
import type { RollingPullRequest } from '../plan.ts'
import type { AgentStep } from '../journal.ts'
import { isWithoutLink, recordEnd } from '../turn/job-state.ts'
import { createPoller } from '../turn/job-watch.ts'
import { LINK_LAG_MS, getTurnPollDelayMs } from '../turn/poll-schedule.ts'
import { findObjection, getObjection } from '../turn/decide-turn.ts'

/** The step with a deadline for the reads before the prompt. */
export interface Search extends AgentStep {
  /** The time left for reading all jobs that only untrusted comments name. */
  readonly untrusted: { leftMs: number }
  /** The deadline of waits for the service's rate limits: these end with the step, not with the search. */
  readonly rateLimitDeadline: Deadline
}

/** For 5 seconds in total: the last response may take a second longer than this. */
const UNTRUSTED_JOBS_MS = 4_000

/** One 404 may come from a replica that lags, so a job that is not found is read again after this time. */
const NOT_FOUND_RETRY_MS = 2_000

export function openSearch(step: AgentStep): Search {
  const { deadlineAt, planningBudget } = step
  return Object.assign(within(step, planningBudget), {
    untrusted: { leftMs: UNTRUSTED_JOBS_MS },
    rateLimitDeadline: { at: deadlineAt, allowWait: planningBudget.allowWait },
  })
}

/**
 * Reads a job that a trusted comment names. Logs nothing unless the service rate-limits the requests.
 * @param lagsUntil on the clock's scale: a completed job may still get its link until then
 * @returns undefined if the job does not exist
 * @throws ActionError if the job cannot be read
 */
async function readJob(jobId: string, search: Search, lagsUntil: number): Promise<Job | undefined> {
  const { clock, core, jobEnds, signal, rateLimitDeadline } = search
  let last: Job | ActionError | undefined
  const observe = (read: Job | ActionError): void => {
    last = read
    if (!(read instanceof ActionError)) recordEnd(jobEnds, read, clock.now())
  }
  const sleep = async (ms: number, rateLimit?: ActionError): Promise<void> => {
    if (rateLimit === undefined) return clock.sleep(ms, signal)
    core.log(`${describeError(rateLimit)} Waiting until ${formatTimeAfter(ms, clock)}.`)
    return sleepWithProgress(ms, { clock, log: core.log, signal })
  }
  const poll = createPoller(search, { observe, sleep }, rateLimitDeadline)
  const isFound = (job: Job): boolean => !isWithoutLink(job) || clock.now() >= lagsUntil
  const read = async (): Promise<Job> => {
    const job = await poll(jobId, isFound, { getDelayMs: getTurnPollDelayMs, readsImmediately: true })
    if (job !== undefined) return job
    throw last instanceof ActionError ? last : new ActionError('deadline', `Job ${jobId} could not be read in time.`)
  }
  const readOrUndefined = () => orUndefined(read(), 'not-found')
  return pollUntil(readOrUndefined, Boolean, pausesBefore([NOT_FOUND_RETRY_MS], Infinity, clock), search)
}

/**
 * Reads a job that only untrusted comments name. Does not retry, and all these reads share one time limit: otherwise anybody
 * who can comment could stop or delay the step.
 * @returns undefined if the read fails or no time is left
 */
async function readUntrustedJob(jobId: string, { client, clock, untrusted }: Search): Promise<Job | undefined> {
  const sentAt = clock.now()
  if (untrusted.leftMs <= 0) return undefined
  const job = await orUndefined(client.getJob(jobId, sentAt + untrusted.leftMs))
  untrusted.leftMs -= clock.now() - sentAt
  return job
}

/** A pull request that no job confirms. */
interface Unproven {
  readonly pullRequest: PullRequest
  /** Why each job that a trusted comment names cannot be continued. Quotes nothing from GitHub or the service. */
  readonly objections: readonly string[]
  /** Whether only untrusted comments name a job, and a dry run without a key cannot check that job. */
  readonly isUndecided?: boolean
}

/**
 * Reads a pull request and finds its job among the jobs that its comments name. Anybody can write a marker, so only the
 * service proves that a job opened the pull request. A merged or closed pull request is never proven.
 * @throws ActionError if GitHub cannot be read, or the service cannot return a job that a trusted comment names
 */
export async function findPullRequestJob(
  address: PullRequestAddress,
  search: Search,
): Promise<RollingPullRequest | Unproven> {
  const github = openGitHub(search)
  const pullRequest = await github.readPullRequest(address)
  const objections: string[] = []
  if (!isOpen(pullRequest)) return { pullRequest, objections }
  const { trusted, untrusted } = listNamedJobs(await github.listComments(pullRequest, isMarkerComment))
  const lagsUntil = search.clock.now() + LINK_LAG_MS
  if (!search.inputs.hasService) {
    const [named] = trusted
    if (named === undefined) return { pullRequest, objections, isUndecided: untrusted.length > 0 }
    return { ...named, pullRequest, isProven: false }
  }
  for (const named of trusted) {
    const job = await readJob(named.jobId, search, lagsUntil)
    const objection = await findObjection(job, pullRequest, search)
    const isProven = objection === undefined
    // A busy job has no link to a pull request. The link is checked when its turn ends.
    if (isProven || (job !== undefined && !isTerminal(job))) return { ...named, pullRequest, isProven }
    objections.push(`job ${named.jobId} ${objection}`)
  }
  for (const named of untrusted) {
    const job = await readUntrustedJob(named.jobId, search)
    const isProven = job !== undefined && getObjection(job, pullRequest, search.context.serverUrl) === undefined
    if (isProven) return { ...named, pullRequest, isProven }
  }
  return { pullRequest, objections }
}

/** A job that comments name, and its count of follow-ups in these comments. */
type NamedJob = Omit<RollingPullRequest, 'pullRequest' | 'isProven'>

/** Applies to trusted and untrusted comments separately, so that untrusted comments cannot displace trusted ones. */
const MAX_JOBS = 10

/** Lists the jobs that comments name: those in trusted comments oldest first, those in untrusted comments newest first. */
function listNamedJobs(comments: readonly ListedComment[]): Record<'trusted' | 'untrusted', readonly NamedJob[]> {
  const markers = comments.flatMap(({ id, author, body }) => {
    const marker = readMarker(body)
    return marker === undefined ? [] : [{ ...marker, id, author, body }]
  })
  const trusted = new Set(filterMostTrusted(markers).map(({ jobId }) => jobId))
  const untrusted = new Set(markers.map(({ jobId }) => jobId).filter((jobId) => !trusted.has(jobId)))
  const toJobs = (jobIds: readonly string[]): readonly NamedJob[] =>
    jobIds.slice(0, MAX_JOBS).map((jobId) => {
      // Ignore counts in untrusted comments: a forged count could use up the follow-ups.
      const named = markers.filter((marker) => marker.jobId === jobId)
      const followUps = Math.max(0, ...filterMostTrusted(named).map(({ followUps }) => followUps))
      return { jobId, commentId: pickLogComment(named)?.id, followUps }
    })
  return { trusted: toJobs([...trusted]), untrusted: toJobs([...untrusted].toReversed()) }
}
