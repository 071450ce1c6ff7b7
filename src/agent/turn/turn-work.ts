/** Determines what a turn did to its pull request. Hides how heads are compared, and whose commits count. */
import { openGitHub } from '../../action/step.ts'
import {
  isSamePullRequest,
  isTerminal,
  type Job,
  type PullRequestLink,
  type TerminalJob,
} from '../../docs-service/schemas.ts'
import { type Comparison, listHistory, MAX_COMMITS, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import type { GitHub } from '../../github/github.ts'
import { isOpen, type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../../github/pull-requests.ts'
import { pollUntil } from '../../runtime/clock.ts'
import { ActionError, orUndefinedIfNotFound, orUndefined, rethrowFatal } from '../../runtime/errors.ts'
import { formatCount } from '../../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import type { AgentStep } from '../journal.ts'
import { limitAnnouncement, LOG_NOT_UPDATED } from '../pull-request/marker-comment.ts'
import { describePullRequest, type TurnEnd, type Work } from '../report/turn.ts'
import { isWithoutLink, type SettledEnd } from './job-watch.ts'
import { createSettlePauses } from './poll-schedule.ts'

/** The timeout of a request about the head. */
const REQUEST_TIMEOUT_MS = 10_000

const openGitHubAfterTurn = (step: AgentStep): GitHub => openGitHub(step, REQUEST_TIMEOUT_MS)

/** Returns the name of the pull request's branch for a comparison in the base repository. */
function nameBranch({ repository, headRepository, branch }: PullRequest): string {
  // Without the owner, the name would mean a branch of the base repository.
  return headRepository === repository ? branch : `${headRepository.split('/')[0] ?? ''}:${branch}`
}

/**
 * Compares a commit with the branch of a pull request that was merged or closed: such a pull request no longer follows its
 * branch.
 * @returns `undefined` if the branch was deleted
 * @throws ActionError if the comparison fails
 */
async function compareWithBranch(
  pullRequest: PullRequest,
  since: string,
  step: AgentStep,
  open: () => GitHub = () => openGitHubAfterTurn(step),
): Promise<Comparison | undefined> {
  const { repository, headRepository } = pullRequest
  if (headRepository === '') return undefined
  return orUndefinedIfNotFound(() => open().compare(repository, since, nameBranch(pullRequest)))
}

/** Returns the link of the job's pull request if this step can read pull requests of its host. */
function findReadableLink({ prLink }: Job, { context, github }: AgentStep): PullRequestLink | undefined {
  return github !== undefined && prLink?.host === new URL(context.serverUrl).host ? prLink : undefined
}

/** Reads a pull request within the time budget for requests before the prompt. */
function readBeforePrompt(address: PullRequestAddress, { heads, planningBudget }: AgentStep): Promise<PullRequest> {
  return planningBudget.spend(() => heads.read(address, () => planningBudget.limit(REQUEST_TIMEOUT_MS)))
}

/**
 * Reads the job's pull request for the log, before a follow-up whose turn the step does not wait for. A failure is a warning.
 * @returns `undefined` if the job is busy: it has no link yet, and the rows of its turns must not be settled
 */
export async function readPullRequestForLog(job: Job, step: AgentStep): Promise<PullRequest | undefined> {
  const link = findReadableLink(job, step)
  if (!isTerminal(job) || link === undefined) return undefined
  const { context, heads, journal, planningBudget } = step
  const read = () => heads.read(toPullRequestAddress(link, context), limitAnnouncement(step))
  return journal.orWarn(LOG_NOT_UPDATED, () => planningBudget.spend(read))
}

/** A pull request before a turn. */
export interface HeadBefore extends PullRequest {
  /** The newest commit of its branch, if the pull request was already merged or closed and its branch has later commits. */
  readonly branchTip: string | undefined
}

/**
 * Reads the job's pull request before a follow-up whose turn the step waits for. A failure is a warning. The reads use the
 * time budget for requests before the prompt, except for the pauses until the head is stable.
 * @param mustBeStable after a turn that may have just ended: GitHub's replicas may not have all of its commits yet
 */
export async function readHeadBefore(job: Job, step: AgentStep, mustBeStable = false): Promise<HeadBefore | undefined> {
  const { context, heads, inputs, journal, planningBudget } = step
  const link = findReadableLink(job, step)
  if (!inputs.wait || link === undefined) return undefined
  const warning = 'Could not determine whether the follow-up changes the pull request'
  const head = await journal.orWarn(warning, async () => {
    const address = toPullRequestAddress(link, context)
    const read = () => readBeforePrompt(address, step)
    if (mustBeStable) return heads.readStable(address, read)
    // Not read again if the step has just read it under this name of the repository.
    return heads.newest(address) ?? read()
  })
  if (head === undefined) return undefined
  const open = () => openGitHub(step, planningBudget.limit(REQUEST_TIMEOUT_MS))
  const compare = () => journal.orWarn(warning, () => compareWithBranch(head, head.headSha, step, open))
  const later = isOpen(head) ? undefined : await planningBudget.spend(compare)
  return { ...head, branchTip: later?.commits.at(-1)?.sha }
}

/** A list without the head comes from a stale replica, and a list of the maximum length may be truncated. */
function assertComplete(listed: readonly PullRequestCommit[], head: string): void {
  if (listed.length >= MAX_COMMITS)
    throw new ActionError('rejected', `GitHub lists only ${MAX_COMMITS} commits of a pull request.`)
  if (!listed.some(({ sha }) => sha === head))
    throw new ActionError('bad-answer', "GitHub's list of the commits does not contain the newest commit yet.")
}

/** The commits that a pull request got during a turn. */
interface TurnCommits {
  /** The number of commits by the agent. */
  readonly byAgent: number
  /** The number of commits by each other author. */
  readonly others: ReadonlyMap<string, number>
}

const UNKNOWN_AUTHOR = 'an unknown author'

/** Lists the commits on top of the earlier ones. A merge also brings other commits, which may be older work of the agent. */
function listDescendants(
  earlier: ReadonlySet<string>,
  commits: readonly PullRequestCommit[],
): readonly PullRequestCommit[] {
  const reached = new Set(earlier)
  for (let sizeBefore = -1; sizeBefore < reached.size;) {
    sizeBefore = reached.size
    for (const { sha, parents } of commits) if (parents.some((parent) => reached.has(parent))) reached.add(sha)
  }
  return commits.filter(({ sha }) => reached.has(sha))
}

/**
 * Counts the new commits of a pull request by author. A commit with the author and date of an earlier one is a copy, and
 * counts for its committer: when somebody else rebases the agent's commits, that is not the agent's work.
 * @param earlier the commits of the pull request before the turn
 * @param listed the commits of the pull request now
 * @param agent the names of the agent's accounts
 */
export function attributeCommits(
  earlier: readonly PullRequestCommit[],
  listed: readonly PullRequestCommit[],
  agent: ReadonlySet<string>,
): TurnCommits {
  const earlierShas = new Set(earlier.map(({ sha }) => sha))
  const added = listed.filter(({ sha }) => !earlierShas.has(sha))
  const isRewritten = added.length === listed.length
  const written = new Set(earlier.map(({ writtenAt, writtenBy }) => `${writtenAt} ${writtenBy}`))
  let byAgent = 0
  const others = new Map<string, number>()
  for (const { writtenAt, writtenBy, committedBy } of isRewritten ? added : listDescendants(earlierShas, added)) {
    const isCopy = written.has(`${writtenAt} ${writtenBy}`)
    const author = (isCopy ? committedBy : writtenBy) || UNKNOWN_AUTHOR
    if (agent.has(author)) byAgent++
    else others.set(author, (others.get(author) ?? 0) + 1)
  }
  return { byAgent, others }
}

/** The pull request after a turn, and its new commits. */
interface HeadAfter extends TurnCommits {
  readonly now: PullRequest
  /** Whether the head before the turn is still part of it. */
  readonly keepsHead: boolean
  /** Why the new commits are unknown. */
  readonly problem?: ActionError
}

const NO_COMMITS: TurnCommits = { byAgent: 0, others: new Map() }

/**
 * Counts the commits that the pull request got during the turn, from its commit list. A comparison of the two heads would
 * include the commits that a merge of the base branch brings.
 * @throws ActionError if the commits cannot be listed
 */
async function readTurnCommits(before: PullRequest, now: PullRequest, step: AgentStep): Promise<HeadAfter> {
  if (now.headSha === before.headSha) return { ...NO_COMMITS, now, keepsHead: true }
  const github = openGitHubAfterTurn(step)
  const listed = await step.heads.listCommits(now, github)
  assertComplete(listed, now.headSha)
  let earlier = listHistory(listed, before.headSha)
  const keepsHead = earlier.length > 0
  if (!keepsHead) {
    earlier = await github.listCommitsBetween(now.repository, now.baseSha, before.headSha)
    assertComplete(earlier, before.headSha)
  }
  return { ...attributeCommits(earlier, listed, listOwners(before.author, earlier, before.headSha)), now, keepsHead }
}

/**
 * Reads the pull request until it has a new commit by the agent, for at most 10 s, as GitHub's replicas lag.
 * @returns `undefined` if it cannot be read
 */
async function readAfterTurn(before: PullRequest, step: AgentStep): Promise<HeadAfter | undefined> {
  let last: HeadAfter | undefined
  const read = async (): Promise<HeadAfter | undefined> => {
    // No warning: the read before the prompt has warned, or the result is still shown without the commits.
    const now = await orUndefined(step.heads.read(before, REQUEST_TIMEOUT_MS))
    if (now === undefined) return undefined
    if (last?.now.headSha === now.headSha && last.problem === undefined) return { ...last, now }
    const unknown = (error: unknown): HeadAfter => ({
      ...NO_COMMITS,
      now,
      keepsHead: false,
      problem: rethrowFatal(error),
    })
    return (last = await readTurnCommits(before, now, step).catch(unknown))
  }
  return pollUntil(read, (after) => after !== undefined && after.byAgent > 0, createSettlePauses(step), step)
}

/** Compares a later commit with the head. Returns `undefined` if one of them is gone, or if the request fails (a warning). */
async function getRelation(warning: string, { repository, headSha }: PullRequest, later: string, step: AgentStep) {
  const compare = () => orUndefinedIfNotFound(() => openGitHubAfterTurn(step).compare(repository, headSha, later))
  return (await step.journal.orWarn(warning, compare))?.relation
}

/**
 * Whether the agent has pushed unmerged commits to the branch of a pull request that was merged or closed. Commits by others do
 * not count. Commits of the base branch are merged: a fork may have been synced.
 * @throws ActionError if GitHub's requests fail
 */
async function hasUnmergedAgentCommits(before: HeadBefore, now: PullRequest, step: AgentStep): Promise<boolean> {
  const since = before.branchTip ?? before.headSha
  const later = await compareWithBranch(now, since, step)
  const tip = later?.commits.at(-1)?.sha
  if (tip === undefined) return false
  const github = openGitHubAfterTurn(step)
  const [{ repository, baseRef }, branch] = [now, nameBranch(now)]
  const unmerged = await github.listCommitsBetween(repository, baseRef, branch)
  const isMerged = unmerged.length === 0 && (await github.compare(repository, baseRef, branch)).mergeBase === tip
  if (isMerged) return false
  assertComplete(unmerged, tip)
  const merged = listHistory(await step.heads.listCommits(now, github), now.headSha)
  const kept = listHistory(unmerged, since)
  const earlier = kept.length > 0 ? kept : await github.listCommitsBetween(repository, baseRef, since)
  const owners = listOwners(now.author, merged, now.headSha)
  return attributeCommits([...merged, ...earlier], unmerged, owners).byAgent > 0
}

function createLeftBehindError(before: PullRequest, { number, state }: PullRequest): ActionError {
  const [when, consequence] = isOpen(before)
    ? ['while the agent was working on it', 'Commits that were pushed during that time may not be merged']
    : ['before the agent worked on it', 'Commits that were pushed afterwards are not merged']
  return new ActionError('left-behind', `Pull request #${number} was ${state} ${when}. ${consequence}.`, {
    hint: 'Compare its branch with the base branch, and open a pull request for the missing commits.',
  })
}

/** Others may still need a commit that the turn has removed, so its SHA is shown. */
async function noticeLostCommit(before: PullRequest, { number, headSha }: PullRequest, step: AgentStep): Promise<void> {
  const warning = `Could not determine whether the turn removed commits from pull request #${number}`
  const relation = await getRelation(warning, before, headSha, step)
  if (relation !== 'diverged' && relation !== 'behind') return
  step.journal.notice(
    'A commit is no longer in the pull request',
    `The head of pull request #${number} was ${before.headSha} before this turn, and that commit is no longer part of it. If you still need the commit, fetch it by this SHA.`,
  )
}

const MAX_NAMES = 5

/** Readers must not mistake commits by others for the agent's work. */
function noticeOthers(others: TurnCommits['others'], { number }: PullRequest, { journal }: AgentStep): void {
  if (others.size === 0) return
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
  const counts = [...others.values()]
  const more = sum(counts.slice(MAX_NAMES))
  const named = Array.from(others, ([name, count]) => {
    const short = oneLine(name.replace(/ <.*/s, ''), MAX_NAME_CHARS)
    return `${count} by ${short.replaceAll('@', '')}`
  })
  const list = [...named.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} by others`] : [])].join(', ')
  journal.notice(
    'Others have committed to the pull request',
    `During this turn, pull request #${number} received ${formatCount(sum(counts), 'commit')} by others and none by the agent: ${list}.`,
  )
}

/** Returns the link of a completed job. A failed or archived job may name the pull request of an earlier turn. */
function getCompletedLink({ status, prLink }: TerminalJob): PullRequestLink | undefined {
  switch (status) {
    case 'completed':
      return prLink
    case 'failed':
    case 'archived':
      return undefined
  }
}

/**
 * Determines what a follow-up did to the job's pull request. A new commit by the agent is an update. If the pull request was
 * merged or closed before the turn ended, the end is `left-behind` if its head moved during the turn, regardless of who moved it, or if
 * the agent has pushed unmerged commits to its branch.
 * @param jobBefore the job before the turn
 * @param before its pull request before the turn
 */
export async function compareHeads(
  end: SettledEnd,
  jobBefore: Job,
  before: HeadBefore | undefined,
  step: AgentStep,
): Promise<TurnEnd> {
  if (end.kind === 'unusable-link') return end
  const { prLink } = jobBefore
  const link = getCompletedLink(end.job)
  if (link !== undefined) {
    // This may be the late link of the preceding turn.
    if (isWithoutLink(jobBefore)) return end
    if (prLink === undefined || !isSamePullRequest(prLink, link)) return { ...end, work: { kind: 'created' } }
  }
  // A turn may push commits and then fail, and a completed job may no longer name its pull request.
  const after = before && (await readAfterTurn(before, step))
  if (before === undefined || after === undefined) return end
  const { now, byAgent: commits, others, keepsHead } = after
  // The agent may have pushed to another fork, which no link shows.
  const isForkGone = !isOpen(now) && now.headRepository === '' && commits === 0
  const problem = isForkGone ? new ActionError('not-found', 'the fork with its branch was deleted.') : after.problem
  const hasHeadMoved = now.headSha !== before.headSha
  if (problem !== undefined)
    step.journal.warn('Could not determine whether the follow-up changed the pull request', problem)
  const job = prLink === undefined ? end.job : { ...end.job, prLink: end.job.prLink ?? prLink }
  let { work }: { work: Work } = end
  if (commits > 0) work = { kind: 'updated', commits, since: before.headSha }
  // If the job names no pull request, the turn may have changed something else.
  else if (problem === undefined && link !== undefined) work = { kind: 'unchanged', hasHeadMoved }
  const warning = `Could not determine whether commits were pushed after pull request #${now.number} was ${now.state}`
  const isLeftBehind =
    !isOpen(now) &&
    (hasHeadMoved || (await step.journal.orWarn(warning, () => hasUnmergedAgentCommits(before, now, step))))
  if (isLeftBehind === true)
    return {
      kind: 'left-behind',
      job,
      error: createLeftBehindError(before, now),
      work: hasHeadMoved ? work : { kind: 'unknown' },
      pullRequest: describePullRequest(now),
    }
  if (!keepsHead) await noticeLostCommit(before, now, step)
  if (problem !== undefined || isLeftBehind === undefined) return { ...end, job }
  if (commits === 0) noticeOthers(others, now, step)
  return { kind: 'ended', job, work }
}
