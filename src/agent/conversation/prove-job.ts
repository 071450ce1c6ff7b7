import { openGitHub, within } from '../../action/step.ts'
import { isTerminal, type Job } from '../../docs-service/schemas.ts'
import type { ListedComment } from '../../github/comments.ts'
import { isOpen, type PullRequest, type PullRequestAddress } from '../../github/pull-requests.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, describeError, orUndefined } from '../../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../../runtime/heartbeat.ts'
import type { Deadline } from '../../runtime/time-budget.ts'
import { isMarkerComment, mostTrusted, pickLogComment, readMarker } from '../marker.ts'
import type { RollingPullRequest } from '../plan.ts'
import type { AgentStep } from '../journal.ts'
import { isWithoutLink, seeEnd } from '../turn/job-state.ts'
import { createPoller } from '../turn/job-watch.ts'
import { LINK_LAG_MS, nextTurnPollMs } from '../turn/poll-schedule.ts'
import { findObjection, objectionTo } from '../turn/decide-turn.ts'

/** The step for what is to be found out before the prompt: it ends when the search has to. */
export interface Search extends AgentStep {
  /** What is left for all that strangers name together, in milliseconds. */
  readonly strangers: { leftMs: number }
  /** Waits for the service's rate limits end with the step, and not with the search. */
  readonly waits: Deadline
}

/** A second less than 5 s, which the last answer may take. */
const STRANGERS_MS = 4_000

/** A job that is not found is asked for once more after this time: one answer may be that of a copy that lags. */
const GONE_AGAIN_MS = 2_000

export function openSearch(step: AgentStep): Search {
  const { deadlineAt, questions } = step
  return Object.assign(within(step, questions), {
    strangers: { leftMs: STRANGERS_MS },
    waits: { at: deadlineAt, allowWait: questions.allowWait },
  })
}

/**
 * Undefined if there is no such job. These reads are not logged, unless the service asks to wait.
 * @param lagsUntil on the clock's scale: until then a completed job may still get its link
 * @throws ActionError if the service does not tell
 */
async function readJob(jobId: string, search: Search, lagsUntil: number): Promise<Job | undefined> {
  const { clock, core, jobEnds, signal, waits } = search
  let last: Job | ActionError | undefined
  const observe = (read: Job | ActionError): void => {
    last = read
    if (!(read instanceof ActionError)) seeEnd(jobEnds, read, clock.now())
  }
  const sleep = async (ms: number, asked?: ActionError): Promise<void> => {
    if (asked === undefined) return clock.sleep(ms, signal)
    core.log(`${describeError(asked)} Waiting until ${formatTimeAfter(ms, clock)}.`)
    return sleepWithProgress(ms, { clock, log: core.log, signal })
  }
  const poll = createPoller(search, { observe, sleep }, waits)
  const isFound = (job: Job): boolean => !isWithoutLink(job) || clock.now() >= lagsUntil
  const read = async (): Promise<Job> => {
    const job = await poll(jobId, isFound, { nextMs: nextTurnPollMs, readsAtOnce: true })
    if (job !== undefined) return job
    throw last instanceof ActionError ? last : new ActionError('deadline', `Job ${jobId} could not be read in time.`)
  }
  const ask = () => orUndefined(read(), 'not-found')
  return pollUntil(ask, Boolean, pausesBefore([GONE_AGAIN_MS], Infinity, clock), search)
}

/** Undefined if the service does not tell at once. Whoever can comment could else stop or delay all others. */
async function readJobOfStranger(jobId: string, { client, clock, strangers }: Search): Promise<Job | undefined> {
  const askedAt = clock.now()
  if (strangers.leftMs <= 0) return undefined
  const job = await orUndefined(client.getJob(jobId, askedAt + strangers.leftMs))
  strangers.leftMs -= clock.now() - askedAt
  return job
}

/** A pull request, and why each job that those who count have named is not one to go on with, in our own words. */
interface Unproven {
  readonly pullRequest: PullRequest
  readonly objections: readonly string[]
  /** Whether somebody else names a job, so only the service can tell, and a dry run without a key cannot ask it. */
  readonly isUndecided?: boolean
}

/**
 * Looks at a pull request, and asks the jobs that its comments name whether it is theirs. Markers are pointers that anybody can
 * set; the service is the proof. What is not open is of no job that can be gone on with.
 * @throws ActionError if the service or GitHub does not tell
 */
export async function findJobOf(address: PullRequestAddress, search: Search): Promise<RollingPullRequest | Unproven> {
  const github = openGitHub(search)
  const pullRequest = await github.readPullRequest(address)
  const objections: string[] = []
  if (!isOpen(pullRequest)) return { pullRequest, objections }
  const { ours, others } = jobsNamedIn(await github.listComments(pullRequest, isMarkerComment))
  const lagsUntil = search.clock.now() + LINK_LAG_MS
  if (!search.inputs.hasService) {
    const [named] = ours
    if (named === undefined) return { pullRequest, objections, isUndecided: others.length > 0 }
    return { ...named, pullRequest, isProven: false }
  }
  for (const named of ours) {
    const job = await readJob(named.jobId, search, lagsUntil)
    const objection = await findObjection(job, pullRequest, search)
    const isProven = objection === undefined
    // A busy job names no pull request. Whether this one is its own it says when its turn ends.
    if (isProven || (job !== undefined && !isTerminal(job))) return { ...named, pullRequest, isProven }
    objections.push(`job ${named.jobId} ${objection}`)
  }
  for (const named of others) {
    const job = await readJobOfStranger(named.jobId, search)
    const isProven = job !== undefined && objectionTo(job, pullRequest, search.context.serverUrl) === undefined
    if (isProven) return { ...named, pullRequest, isProven }
  }
  return { pullRequest, objections }
}

/** What comments say of a job that they name. */
type NamedJob = Omit<RollingPullRequest, 'pullRequest' | 'isProven'>

/** More than this are no marks of ours. Nobody pushes out what ours name. */
const MAX_JOBS = 10

/**
 * The jobs that comments name: those that count, oldest first, and those that anybody else names, newest first. Strangers may
 * name any job, and the service decides.
 */
function jobsNamedIn(comments: readonly ListedComment[]): Record<'ours' | 'others', readonly NamedJob[]> {
  const markers = comments.flatMap(({ id, author, body }) => {
    const marker = readMarker(body)
    return marker === undefined ? [] : [{ ...marker, id, author, body }]
  })
  const ours = new Set(mostTrusted(markers).map(({ jobId }) => jobId))
  const others = new Set(markers.map(({ jobId }) => jobId).filter((jobId) => !ours.has(jobId)))
  const toJobs = (jobIds: readonly string[]): readonly NamedJob[] =>
    jobIds.slice(0, MAX_JOBS).map((jobId) => {
      // Counts of others do not matter: they could end the rolling pull request.
      const named = markers.filter((marker) => marker.jobId === jobId)
      const followUps = Math.max(0, ...mostTrusted(named).map(({ followUps }) => followUps))
      return { jobId, commentId: pickLogComment(named)?.id, followUps }
    })
  return { ours: toJobs([...ours]), others: toJobs([...others].toReversed()) }
}
