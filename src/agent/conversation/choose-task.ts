/**
 * Chooses the job that gets the prompt. Hides how an open pull request of the agent is found, and how the service proves which
 * job opened it.
 */
import { openGitHub, within } from '../../action/step.ts'
import { isTerminal, type Job } from '../../docs-service/schemas.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel, type PullRequestInList } from '../../github/labels.ts'
import { type Account, isOpen, type PullRequest, type PullRequestAddress } from '../../github/pull-requests.ts'
import { canName } from '../../github/schemas.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, orNotSent, rethrowFatal, describeError, orUndefined } from '../../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../../runtime/heartbeat.ts'
import type { Deadline } from '../../runtime/time-budget.ts'
import { findAgentAccounts, OTHER_BOTS } from '../change/own-work.ts'
import type { AgentStep } from '../journal.ts'
import {
  filterMostTrusted,
  listAllMarkerComments,
  type ListedMarkerComment,
  pickLogComment,
  warnOfLimit,
} from '../marker.ts'
import { type NewJobTarget, type Plan, type RollingPullRequest, type Skip, skip } from '../plan.ts'
import { formatOpenPullRequest } from '../prompt.ts'
import { RETRY_HINT, type Replan, findRefusalReason, getRefusalReason } from '../turn/decide-turn.ts'
import { isWithoutLink, recordEnd, createPoller } from '../turn/job-watch.ts'
import { LINK_LAG_MS, getTurnPollDelayMs } from '../turn/poll-schedule.ts'

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
  readonly refusalReasons: readonly string[]
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
  const refusalReasons: string[] = []
  if (!isOpen(pullRequest)) return { pullRequest, refusalReasons }
  const { trusted, untrusted } = listNamedJobs(await listAllMarkerComments(pullRequest, github))
  const lagsUntil = search.clock.now() + LINK_LAG_MS
  if (!search.inputs.hasService) {
    const [named] = trusted
    if (named === undefined) return { pullRequest, refusalReasons, isUndecided: untrusted.length > 0 }
    return { ...named, pullRequest, isProven: false }
  }
  for (const named of trusted) {
    const job = await readJob(named.jobId, search, lagsUntil)
    const refusalReason = await findRefusalReason(job, pullRequest, search)
    const isProven = refusalReason === undefined
    // A busy job has no link to a pull request. The link is checked when its turn ends.
    if (isProven || (job !== undefined && !isTerminal(job))) return { ...named, pullRequest, isProven }
    refusalReasons.push(`job ${named.jobId} ${refusalReason}`)
  }
  for (const named of untrusted) {
    const job = await readUntrustedJob(named.jobId, search)
    const isProven = job !== undefined && getRefusalReason(job, pullRequest, search.context.serverUrl) === undefined
    if (isProven) return { ...named, pullRequest, isProven }
  }
  return { pullRequest, refusalReasons }
}

/** A job that comments name, and its count of follow-ups in these comments. */
type NamedJob = Omit<RollingPullRequest, 'pullRequest' | 'isProven'>

/** Applies to trusted and untrusted comments separately, so that untrusted comments cannot displace trusted ones. */
const MAX_JOBS = 10

/** Lists the jobs that comments name: those in trusted comments oldest first, those in untrusted comments newest first. */
function listNamedJobs(comments: readonly ListedMarkerComment[]): Record<'trusted' | 'untrusted', readonly NamedJob[]> {
  const trusted = new Set(filterMostTrusted(comments).map(({ marker }) => marker.jobId))
  const untrusted = new Set(comments.map(({ marker }) => marker.jobId).filter((jobId) => !trusted.has(jobId)))
  const toJobs = (jobIds: readonly string[]): readonly NamedJob[] =>
    jobIds.slice(0, MAX_JOBS).map((jobId) => {
      // Ignore counts in untrusted comments: a forged count could use up the follow-ups.
      const named = comments.filter(({ marker }) => marker.jobId === jobId)
      const followUps = Math.max(0, ...filterMostTrusted(named).map(({ marker }) => marker.followUps))
      const picked = pickLogComment(named)
      return { jobId, comment: picked ? { kind: 'known', id: picked.id } : { kind: 'untrusted' }, followUps }
    })
  return { trusted: toJobs([...trusted]), untrusted: toJobs([...untrusted].toReversed()) }
}

/** Each one costs several requests. If so many are not the agent's, the label is used for something else. */
const MAX_EXAMINED = 30
/** Each one costs a request for its comments. */
const MAX_CANDIDATES = 10
const MAX_NAMED = 10

/**
 * Picks the open pull requests that may be the agent's although they do not have the label, newest first: those by the
 * agent's accounts, or those by bots if no account is known.
 */
export function pickCandidates(
  unlabelled: readonly PullRequestInList[],
  agents: readonly Account[],
): readonly PullRequestInList[] {
  const logins = agents.map(({ login }) => login)
  const isCandidate = ({ author: { login, type } }: PullRequestInList): boolean =>
    logins.length > 0 ? logins.includes(login) : type === 'Bot' && !OTHER_BOTS.includes(login)
  return unlabelled
    .filter(isCandidate)
    .toSorted((a, b) => b.number - a.number)
    .slice(0, MAX_CANDIDATES)
}

/**
 * Finds the open pull requests without the label whose marker comment names it, oldest first. These exist if the token of
 * an earlier step was not allowed to add the label.
 */
async function findMarked(
  unlabelled: readonly PullRequestInList[],
  repository: string,
  search: Search,
): Promise<readonly PullRequestAddress[]> {
  if (unlabelled.length === 0) return []
  const { label } = search.inputs
  const github = openGitHub(search)
  const marked: PullRequestAddress[] = []
  for (const candidate of pickCandidates(unlabelled, await findAgentAccounts(repository, label, github))) {
    const comments = filterMostTrusted(await listAllMarkerComments(candidate, github))
    if (comments.some(({ marker }) => hasLabel(label, marker.labels))) marked.unshift(candidate)
  }
  return marked
}

/** @throws ActionError if the list cannot be read or is too long to read completely */
async function listAll(repository: string, github: GitHub): Promise<readonly PullRequestInList[]> {
  return github.listOpenPullRequests(repository).catch((error: unknown) => {
    const { message } = rethrowFatal(error, 'rejected')
    throw new ActionError('rejected', message, {
      cause: error,
      hint: "Grant `issues: read` under the job's `permissions`: the step then lists only the pull requests with the label.",
    })
  })
}

function noticeOthers(number: number, others: readonly PullRequestAddress[], { journal }: AgentStep): void {
  if (others.length === 0) return
  const named = others.slice(0, MAX_NAMED).map((other) => `#${other.number}`)
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : ''
  journal.notice(
    'More than one pull request is open',
    `Pull request #${number} is the agent's oldest open pull request with the label. These pull requests also have the label, or should have it: ${named.join(', ')}${more}. Merge or close the ones that you do not need.`,
  )
}

/**
 * Finds the open pull request to continue: the oldest one with the label whose job confirms it. If there is none, examines
 * the pull requests whose marker comment names the label. Anybody can set labels and write markers, so only the service
 * proves that a pull request belongs to a job.
 * @param ended the numbers of pull requests that were chosen before and have been merged or closed since
 * @returns a new job as the target if there is no such pull request
 * @throws ActionError if a request to GitHub or the service fails
 */
async function findRollingPullRequest(
  step: AgentStep,
  ended: readonly number[],
): Promise<RollingPullRequest | NewJobTarget> {
  const { label, prRepository } = step.inputs
  const search = openSearch(step)
  const github = openGitHub(search)
  const repository = prRepository === '' ? step.context.repository : prRepository
  const seen = new Set(ended)
  const undecided: number[] = []

  /** @param pointer what the pull requests have that points to this action's job */
  async function findAmong(
    listed: readonly PullRequestAddress[],
    pointer = 'the label',
  ): Promise<RollingPullRequest | undefined> {
    const unseen = listed.filter(({ number }) => !seen.has(number))
    for (const [index, address] of unseen.entries()) {
      if (seen.size - ended.length === MAX_EXAMINED)
        throw new ActionError(
          'not-sent',
          `None of the first ${MAX_EXAMINED} of the open pull requests with the label is the agent's.`,
          { hint: 'Remove the label from pull requests that are not the agent’s.' },
        )
      const { number } = address
      seen.add(number)
      const found = await findPullRequestJob(address, search)
      if ('jobId' in found) {
        noticeOthers(number, unseen.slice(index + 1), step)
        return found
      }
      // The pull request may have been closed since it was listed.
      if (!isOpen(found.pullRequest)) continue
      if (found.isUndecided === true) undecided.push(number)
      const reason = found.refusalReasons.join(', ') || 'no trusted comment names its job'
      step.journal.note(`Skipped pull request #${number}: it has ${pointer}, but ${reason}.`)
    }
    return undefined
  }

  const labelled = await github.findLabelledPullRequests(repository, label)
  const found = await findAmong(labelled ?? [])
  if (found !== undefined) return found
  // If the token cannot list by label, only the complete list proves that no pull request has the label. The list by label
  // lags, but it can only miss recently labelled pull requests, which are among the newest.
  const { pullRequests: open, isComplete } =
    labelled === undefined
      ? { pullRequests: await listAll(repository, github), isComplete: true }
      : await github.listNewestOpenPullRequests(repository)
  const isLabelled = ({ labels }: PullRequestInList): boolean => hasLabel(label, labels)
  const missed = await findAmong(open.filter(isLabelled))
  if (missed !== undefined) return missed
  const unlabelled = open.filter((pullRequest) => !isLabelled(pullRequest) && !seen.has(pullRequest.number))
  const marked = await findAmong(await findMarked(unlabelled, repository, search), 'a comment that names the label')
  if (marked !== undefined) return marked
  if (!isComplete)
    step.journal.note(
      `No open pull request of the agent has the label. Among pull requests without the label, only the ${open.length} newest were searched for a marker comment.`,
    )
  return { kind: 'new-job', undecided }
}

/** Warns that a re-run sends the prompt again. */
export function warnOfReRun({ context: { runAttempt }, inputs: { command, dryRun }, journal }: AgentStep): void {
  if (runAttempt === 1 || dryRun) return
  // `command` cannot be combined with `job-id`.
  const step =
    command === ''
      ? 'the step with its `job-id` and without a prompt'
      : 'the action in a step with its `job-id`, without a prompt and without `command`'
  journal.notice(
    'This run is a re-run',
    `This is attempt ${runAttempt}. The previous attempt may already have sent the prompt, and this attempt sends it again. To continue with that job instead, cancel this run, and run ${step}.`,
  )
}

/** A dry run without a key cannot look up whether the job that a comment names exists. */
export const formatUnconfirmed = ({ inputs }: AgentStep): string =>
  inputs.hasService ? '' : ' (not confirmed by the service)'

const UNKNOWN = 'Could not determine whether a pull request of the agent is open'
/** The step fails if this many pull requests in a row are merged or closed after they were chosen. */
const MAX_CHOICES = 5

/**
 * Chooses the task of the first turn: the one that the inputs name, or a follow-up to the job of an open pull request.
 * @throws ActionError `not-sent` if it is not known whether such a pull request is open
 */
export async function chooseTask(step: AgentStep): Promise<Plan | Skip> {
  const { task, onOpenPr } = step.inputs
  if (task.kind !== 'attach') warnOfReRun(step)
  if (task.kind !== 'create') return { task, target: { kind: 'job' } }
  if (onOpenPr === 'new') return { task, target: { kind: 'new-job' } }
  const found = await orNotSent(UNKNOWN, () => findRollingPullRequest(step, []), RETRY_HINT)
  if ('jobId' in found && onOpenPr === 'skip')
    return skip(
      `Pull request #${found.pullRequest.number} of the agent is open${formatUnconfirmed(step)}, and \`on-open-pr\` is \`skip\`.`,
    )
  return continueWith(found, task.prompt, [], step)
}

/**
 * Chooses another task after the chosen pull request was merged or closed, or its job can no longer accept a follow-up.
 * @throws ActionError `not-sent` if it is not known whether another pull request is open
 */
export async function replan({ target, reason }: Replan, step: AgentStep): Promise<Plan> {
  const { inputs, journal, planningBudget } = step
  return planningBudget.spend(async () => {
    const ended = [...target.ended, target.rolling.pullRequest.number]
    journal.setLogPlace(undefined)
    const next = await orNotSent(UNKNOWN, () => findRollingPullRequest(step, ended), RETRY_HINT)
    if ('jobId' in next && ended.length === MAX_CHOICES)
      throw new ActionError('not-sent', `${reason}. Pull request #${next.pullRequest.number} is also open.`, {
        hint: 'Run the step again to continue with that pull request.',
      })
    journal.note('jobId' in next ? `${reason}.` : `${reason}, so the step starts a new job.`)
    return continueWith(next, inputs.task.kind === 'create' ? inputs.task.prompt : '', ended, step)
  })
}

/** Whether a pull request may name the source's commits: its readers may not have access to the source repository. */
export function canNameSource({ context, inputs }: AgentStep, pullRequest: PullRequest): boolean {
  const { repository, event } = context
  const { changeRange } = inputs
  const source = 'repository' in changeRange ? (changeRange.repository ?? repository) : repository
  const isOwn = source.toLowerCase() === repository.toLowerCase()
  return canName({ repository: source, visibility: isOwn ? event.visibility : undefined }, pullRequest)
}

/** @param ended the numbers of pull requests that were chosen before, and ended before the prompt could be sent */
async function continueWith(
  found: RollingPullRequest | NewJobTarget,
  prompt: string,
  ended: readonly number[],
  step: AgentStep,
): Promise<Plan> {
  if (!('jobId' in found)) return { task: { kind: 'create', prompt }, target: found }
  const { inputs, journal } = step
  const { pullRequest, jobId, followUps } = found
  journal.setLogPlace(found)
  const { maxFollowUps } = inputs
  if (followUps < maxFollowUps) {
    const which = `follow-up ${followUps + 1} of ${maxFollowUps}`
    const adding = `Adding to pull request #${pullRequest.number} (job ${jobId}, ${which})${formatUnconfirmed(step)}.`
    journal.note(`${adding} ${warnOfLimit(followUps + 1, maxFollowUps)}`.trimEnd())
  }
  const lost = 'The prompt does not list the commits that people made in the pull request'
  const commits = await journal.orWarn(lost, async () =>
    openGitHub(step, step.planningBudget).listPullRequestCommits(pullRequest),
  )
  const commitsByPeople = (commits ?? []).filter(({ account }) => account.type !== 'Bot')
  const about = formatOpenPullRequest(pullRequest, commitsByPeople, canNameSource(step, pullRequest))
  return {
    task: { kind: 'follow-up', jobId, prompt: prompt + about },
    target: { kind: 'pull-request', rolling: found, reason: 'pull-request', ended },
  }
}
