import { openGitHub } from '../../action/step.ts'
import { isSamePullRequest, type Job, type PullRequestLink, type TerminalJob } from '../../docs-service/schemas.ts'
import { type Comparison, historyIn, MAX_COMMITS, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import type { GitHub } from '../../github/github.ts'
import { isOpen, type PullRequest, toPullRequestAddress } from '../../github/pull-requests.ts'
import { pollUntil } from '../../runtime/clock.ts'
import { ActionError, orGone, orUndefined, rethrowFatal } from '../../runtime/errors.ts'
import { formatCount } from '../../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import type { AgentStep } from '../journal.ts'
import { describePullRequest, type TurnEnd, type Work } from '../report/turn.ts'
import { isWithoutLink } from './job-state.ts'
import type { JobEnd } from './job-watch.ts'
import { createSettlePauses } from './poll-schedule.ts'

/** What a question about the head may take, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000

/** GitHub for one question after the turn. */
const openGitHubAfterTurn = (step: AgentStep): GitHub => openGitHub(step, REQUEST_TIMEOUT_MS)

/** The branch of a pull request, as a comparison in the base repository names it. */
function nameBranch({ repository, headRepository, branch }: PullRequest): string {
  // A branch of the same name in the base repository is another branch.
  return headRepository === repository ? branch : `${headRepository.split('/')[0] ?? ''}:${branch}`
}

/**
 * What the branch of a pull request that was merged or closed has on top of a commit: the pull request does not follow its
 * branch any more. Undefined if the branch was deleted.
 * @param open opens GitHub
 * @throws ActionError if GitHub does not tell
 */
async function compareWithBranch(
  pullRequest: PullRequest,
  since: string,
  step: AgentStep,
  open: () => GitHub = () => openGitHubAfterTurn(step),
): Promise<Comparison | undefined> {
  const { repository, headRepository } = pullRequest
  if (headRepository === '') return undefined
  return orGone(() => open().compare(repository, since, nameBranch(pullRequest)))
}

/** A pull request before a turn. */
export interface HeadBefore extends PullRequest {
  /** The newest commit of its branch, if the pull request was merged or closed by then, and the branch has later commits. */
  readonly branchTip: string | undefined
}

/**
 * Reads the job's pull request before a follow-up whose turn is waited for. If GitHub cannot tell, that is a warning. It takes
 * the time of the questions before the prompt, but for the pauses in which the head has to stand.
 * @param mustStand after a turn that may have ended only now: what it has pushed may not be in all of GitHub's copies yet
 */
export async function readHeadBefore(
  { prLink: link }: Job,
  step: AgentStep,
  mustStand = false,
): Promise<HeadBefore | undefined> {
  const { context, github, heads, inputs, journal, questions } = step
  if (!inputs.wait || github === undefined || link?.host !== new URL(context.serverUrl).host) return undefined
  const lost = 'Could not tell whether the follow-up changes the pull request'
  const head = await journal.orWarn(lost, async () => {
    const address = toPullRequestAddress(link, context)
    const read = () => questions.spend(() => heads.read(address, () => questions.limit(REQUEST_TIMEOUT_MS)))
    if (mustStand) return heads.readStable(address, read)
    // Where it was just looked at, under this name of its repository, it is not read again.
    return heads.newest(address) ?? read()
  })
  if (head === undefined) return undefined
  const open = () => openGitHub(step, questions.limit(REQUEST_TIMEOUT_MS))
  const compare = () => journal.orWarn(lost, () => compareWithBranch(head, head.headSha, step, open))
  const later = isOpen(head) ? undefined : await questions.spend(compare)
  return { ...head, branchTip: later?.commits.at(-1)?.sha }
}

/** A list that lacks the head is an old copy, and one as long as GitHub's lists may be is cut. */
function assertComplete(listed: readonly PullRequestCommit[], head: string): void {
  if (listed.length >= MAX_COMMITS)
    throw new ActionError('rejected', `GitHub lists only ${MAX_COMMITS} commits of a pull request.`)
  if (!listed.some(({ sha }) => sha === head))
    throw new ActionError('bad-answer', "GitHub's list of its commits does not have the newest one yet.")
}

/** What came to a pull request during a turn. */
interface TurnCommits {
  /** How many are the agent's. */
  readonly agents: number
  /** How many came from whom, if they are not the agent's. */
  readonly others: ReadonlyMap<string, number>
}

const UNKNOWN_AUTHOR = 'somebody unknown'

/** Those that came on top of what was there. What a merge brings from another branch may be an earlier work of the agent. */
function listDescendants(
  had: ReadonlySet<string>,
  commits: readonly PullRequestCommit[],
): readonly PullRequestCommit[] {
  const reached = new Set(had)
  for (let before = -1; before < reached.size;) {
    before = reached.size
    for (const { sha, parents } of commits) if (parents.some((parent) => reached.has(parent))) reached.add(sha)
  }
  return commits.filter(({ sha }) => reached.has(sha))
}

/**
 * Whose commits are new in a pull request. One that keeps author and date of an earlier one is a copy, and belongs to
 * whoever made it: a rebase by somebody else is no work of the agent.
 * @param earlier the commits that were in it before the turn
 * @param listed those that are in it now
 * @param agent the names under which the agent writes
 */
export function attributeCommits(
  earlier: readonly PullRequestCommit[],
  listed: readonly PullRequestCommit[],
  agent: ReadonlySet<string>,
): TurnCommits {
  const had = new Set(earlier.map(({ sha }) => sha))
  const all = listed.filter(({ sha }) => !had.has(sha))
  const isRewritten = all.length === listed.length
  const written = new Set(earlier.map(({ writtenAt, writtenBy }) => `${writtenAt} ${writtenBy}`))
  let agents = 0
  const others = new Map<string, number>()
  for (const { writtenAt, writtenBy, committedBy } of isRewritten ? all : listDescendants(had, all)) {
    const isCopy = written.has(`${writtenAt} ${writtenBy}`)
    const whose = (isCopy ? committedBy : writtenBy) || UNKNOWN_AUTHOR
    if (agent.has(whose)) agents++
    else others.set(whose, (others.get(whose) ?? 0) + 1)
  }
  return { agents, others }
}

/** The pull request after a turn, and what came to it. */
interface HeadAfter extends TurnCommits {
  readonly now: PullRequest
  /** Whether the head of before is in it still. */
  readonly keepsHead: boolean
  /** Why it is not known what came. */
  readonly problem?: ActionError
}

const NO_COMMITS: TurnCommits = { agents: 0, others: new Map() }

/**
 * Whose commits have come to the pull request. What two heads have between them would also hold what a merge of the base
 * brings; the list of the pull request does not.
 * @throws ActionError if GitHub does not tell
 */
async function readTurnCommits(before: PullRequest, now: PullRequest, step: AgentStep): Promise<HeadAfter> {
  if (now.headSha === before.headSha) return { ...NO_COMMITS, now, keepsHead: true }
  const github = openGitHubAfterTurn(step)
  const listed = await step.heads.listCommits(now, github)
  assertComplete(listed, now.headSha)
  let earlier = historyIn(listed, before.headSha)
  const keepsHead = earlier.length > 0
  if (!keepsHead) {
    earlier = await github.listCommitsBetween(now.repository, now.baseSha, before.headSha)
    assertComplete(earlier, before.headSha)
  }
  return { ...attributeCommits(earlier, listed, listOwners(before.author, earlier, before.headSha)), now, keepsHead }
}

/** Reads for up to 10 s, as GitHub's copies lag, or until a commit of the agent is there; undefined if GitHub does not tell. */
async function readAfterTurn(before: PullRequest, step: AgentStep): Promise<HeadAfter | undefined> {
  let last: HeadAfter | undefined
  const read = async (): Promise<HeadAfter | undefined> => {
    // That GitHub does not tell was said before the message, or costs nothing.
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
  return pollUntil(read, (after) => after !== undefined && after.agents > 0, createSettlePauses(step), step)
}

/** How a later state stands to an earlier one; undefined if one of the two is gone, or GitHub does not tell, which is said. */
async function getRelation(lost: string, { repository, headSha }: PullRequest, later: string, step: AgentStep) {
  const ask = () => orGone(() => openGitHubAfterTurn(step).compare(repository, headSha, later))
  return (await step.journal.orWarn(lost, ask))?.relation
}

/**
 * Whether the agent has pushed commits that are in no merge to the branch of a pull request that was merged or closed. Commits
 * of the base branch are in a merge, as after a fork was synced, and those of others are no work of the agent.
 * @throws ActionError if GitHub does not tell
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
  const merged = historyIn(await step.heads.listCommits(now, github), now.headSha)
  const kept = historyIn(unmerged, since)
  const earlier = kept.length > 0 ? kept : await github.listCommitsBetween(repository, baseRef, since)
  const owners = listOwners(now.author, merged, now.headSha)
  return attributeCommits([...merged, ...earlier], unmerged, owners).agents > 0
}

function createLeftBehindError(before: PullRequest, { number, state }: PullRequest): ActionError {
  const [when, where] = isOpen(before)
    ? ['while the agent worked on it, and commits came during that time', 'they may be in no merge']
    : ['before the agent worked on it, and commits came afterwards', 'they are in no merge']
  return new ActionError('left-behind', `Pull request #${number} was ${state} ${when}: ${where}.`, {
    hint: 'Compare its branch with the one that it was to be merged into, and open a pull request for what is missing.',
  })
}

/** Whoever else has worked in it must learn that a commit is gone. */
async function noticeLostCommit(before: PullRequest, { number, headSha }: PullRequest, step: AgentStep): Promise<void> {
  const lost = `Could not tell whether the turn has taken commits out of pull request #${number}`
  const relation = await getRelation(lost, before, headSha, step)
  if (relation !== 'diverged' && relation !== 'behind') return
  step.journal.notice(
    'A commit is no longer in the pull request',
    `The head of pull request #${number} was ${before.headSha} before this turn, and that commit is no longer in it. If somebody still needs it, fetch it by this id.`,
  )
}

const MAX_NAMES = 5
/** What others did in the pull request is not the agent's, and is not to be overlooked either. */
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
    `Pull request #${number} got ${formatCount(sum(counts), 'commit')} during this turn, and none by the agent: ${list}.`,
  )
}

/** The link of a job that completed its turn. A job that ended otherwise may name the pull request of an earlier turn. */
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
 * What a follow-up has done to the job's pull request: it has updated it if a new commit is the agent's own. One that was
 * merged or closed before the end of the turn is red if its head moved during the turn, whoever moved it, or if the agent has
 * left commits behind on its branch.
 * @param jobBefore the job before the turn
 * @param before the head of its pull request before the turn
 */
export async function compareHeads(
  end: JobEnd,
  jobBefore: Job,
  before: HeadBefore | undefined,
  step: AgentStep,
): Promise<TurnEnd> {
  if (end.kind === 'unusable-link') return end
  const { prLink } = jobBefore
  const link = getCompletedLink(end.job)
  if (link !== undefined) {
    // The link of the turn before may have come late, so that nobody knows whose it is.
    if (isWithoutLink(jobBefore)) return end
    if (prLink === undefined || !isSamePullRequest(prLink, link)) return { ...end, work: { kind: 'created' } }
  }
  // A turn that came to a bad end may have pushed before, and one that completed may name its pull request no more.
  const after = before && (await readAfterTurn(before, step))
  if (before === undefined || after === undefined) return end
  const { now, agents: commits, others, keepsHead } = after
  // The agent may have pushed to another fork, which no link names.
  const isForkGone = !isOpen(now) && now.headRepository === '' && commits === 0
  const problem = isForkGone ? new ActionError('not-found', 'the fork with its branch was deleted.') : after.problem
  const hasHeadMoved = now.headSha !== before.headSha
  if (problem !== undefined) step.journal.warn('Could not tell whether the follow-up changed the pull request', problem)
  const job = prLink === undefined ? end.job : { ...end.job, prLink: end.job.prLink ?? prLink }
  let { work }: { work: Work } = end
  if (commits > 0) work = { kind: 'updated', commits, since: before.headSha }
  // A turn whose job names no pull request may have worked elsewhere.
  else if (problem === undefined && link !== undefined) work = { kind: 'unchanged', hasHeadMoved }
  const lost = `Could not tell whether commits came after pull request #${now.number} was ${now.state}`
  const isLeftBehind =
    !isOpen(now) &&
    (hasHeadMoved || (await step.journal.orWarn(lost, () => hasUnmergedAgentCommits(before, now, step))))
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
