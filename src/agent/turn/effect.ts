/** Determines what a turn did to its pull request. Hides whose commits count. */
import { requireGitHub } from '../../action/step.ts'
import { isSamePullRequest, type Job } from '../../docs-service/schemas.ts'
import { isByOwner, listHistory, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import { isOpen, type PullRequest, toPullRequestAddress } from '../../github/pull-requests.ts'
import { ActionError } from '../../runtime/errors.ts'
import { formatCount } from '../../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import { describePullRequest } from '../selectors.ts'
import type { Acts, Reads } from '../step.ts'
import type { Target } from './target.ts'
import { isWithoutLink, type TurnEnd } from './watch.ts'

const UNREAD_EFFECT = 'Could not determine whether the follow-up changed the pull request'

/** Reports before a follow-up that GitHub may merge its pull request while the agent is working on it. */
export function noticeAutoMerge({ number, isAutoMergeOn }: PullRequest, { journal }: Acts): void {
  if (!isAutoMergeOn) return
  journal.notice(
    'Auto-merge is on',
    `Auto-merge is on for pull request #${number}, so GitHub may merge it before the agent has finished this follow-up. Turn it off while the agent is working.`,
  )
}

/**
 * Reads the job's pull request before a follow-up whose turn the step waits for. Not read again if the step has just read it.
 * A failure is a warning.
 */
export async function readPullRequestBefore(
  { prLink }: Job,
  { pullRequestNumber }: Target,
  step: Acts,
): Promise<PullRequest | undefined> {
  const { context, github, inputs, journal, pullRequests } = step
  if (!inputs.wait || github === undefined || prLink?.host !== new URL(context.serverUrl).host) return undefined
  return journal.orWarn(UNREAD_EFFECT, async () => {
    const address = toPullRequestAddress(prLink, context)
    const read = pullRequests.getRecent(address) ?? (await pullRequests.read(address))
    // A feature that has chosen the pull request has reported it.
    if (pullRequestNumber === undefined) noticeAutoMerge(read, step)
    return read
  })
}

/** The commits that a pull request got during a turn. */
interface TurnCommits {
  /** The number of commits by the agent. */
  readonly byAgent: number
  /** The number of commits by each other author, or by whoever has rewritten them. */
  readonly others: ReadonlyMap<string, number>
}

const UNKNOWN_AUTHOR = 'an unknown author'

/**
 * Counts the commits that are new by their sha. A commit is the agent's if an account of the agent is its author or its
 * committer: agents can commit in the name of the person who asked. An amend or a rebase keeps author, author date and
 * message, so only the committer says who has rewritten a commit.
 * @param earlier the commits of the pull request before the turn
 * @param listed the commits of the pull request now
 * @param agent the names of the agent's accounts
 */
export function attributeCommits(
  earlier: readonly PullRequestCommit[],
  listed: readonly PullRequestCommit[],
  agent: ReadonlySet<string>,
): TurnCommits {
  const toIdentity = ({ writtenAt, writtenBy, message }: PullRequestCommit): string =>
    [writtenAt, writtenBy, message].join('\n')
  const knownShas = new Set(earlier.map(({ sha }) => sha))
  const known = new Set(earlier.map(toIdentity))
  let byAgent = 0
  const others = new Map<string, number>()
  for (const commit of listed.filter(({ sha }) => !knownShas.has(sha))) {
    const { writtenBy, committedBy } = commit
    const isRewritten = known.has(toIdentity(commit))
    const name = (isRewritten ? committedBy : writtenBy) || UNKNOWN_AUTHOR
    if (isByOwner(isRewritten ? { committedBy } : commit, agent)) byAgent++
    else others.set(name, (others.get(name) ?? 0) + 1)
  }
  return { byAgent, others }
}

/**
 * Lists and counts the commits that the pull request got during the turn. A comparison of the two heads would include the
 * commits that a merge of the base branch brings.
 * @throws ActionError if the commits cannot be listed, or none of them explains why the head has moved
 */
async function readTurnCommits(before: PullRequest, now: PullRequest, step: Reads): Promise<TurnCommits> {
  const github = requireGitHub(step)
  const listed = await github.listPullRequestCommits(now)
  // A stale list does not contain the head, and neither does one that GitHub has cut after 250 commits.
  if (!listed.some(({ sha }) => sha === now.headSha))
    throw new ActionError('invalid-response', "GitHub's list of the commits does not contain the newest commit.")
  let earlier = listHistory(listed, before.headSha)
  if (earlier.length === 0) earlier = await github.listCommitsBetween(now.repository, now.baseSha, before.headSha)
  const commits = attributeCommits(earlier, listed, listOwners(before.author, earlier, before.headSha))
  if (commits.byAgent === 0 && commits.others.size === 0)
    throw new ActionError('rejected', `Pull request #${now.number} has another head commit, but no new commit.`)
  return commits
}

const NO_COMMITS: TurnCommits = { byAgent: 0, others: new Map() }

/** The head may lag behind the end of the turn. */
const HEAD_LAG_MS = 5_000

/** The pull request after a turn, and the commits that the turn brought; undefined if they cannot be listed. */
interface AfterTurn {
  readonly now: PullRequest
  readonly commits: TurnCommits | undefined
}

/** Reads the pull request after the turn, and once more if it has no commit by the agent. */
async function readAfterTurn(before: PullRequest, step: Acts): Promise<AfterTurn> {
  const { clock, deadlineAt, journal, signal } = step
  const read = async (): Promise<AfterTurn> => {
    const now = await step.pullRequests.read(before)
    if (now.headSha === before.headSha) return { now, commits: NO_COMMITS }
    return { now, commits: await journal.orWarn(UNREAD_EFFECT, () => readTurnCommits(before, now, step)) }
  }
  const first = await read()
  const isConclusive = first.commits?.byAgent !== 0 || !isOpen(first.now)
  if (isConclusive || clock.now() + HEAD_LAG_MS >= deadlineAt) return first
  await clock.sleep(HEAD_LAG_MS, signal)
  return read()
}

const MAX_NAMES = 5

/** Readers must not mistake commits by others for the agent's work. */
function noticeCommitsByOthers({ others }: TurnCommits, { number }: PullRequest, { journal }: Acts): void {
  if (others.size === 0) return
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
  const counts = [...others.values()]
  const more = sum(counts.slice(MAX_NAMES))
  const authors = Array.from(others, ([name, count]) => {
    const short = oneLine(name.replace(/ <.*/s, ''), MAX_NAME_CHARS)
    return `${count} by ${short.replaceAll('@', '')}`
  })
  const list = [...authors.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} by others`] : [])].join(', ')
  journal.notice(
    'Others have committed to the pull request',
    `While the agent worked, pull request #${number} received ${formatCount(sum(counts), 'commit')} by others and none by the agent: ${list}.`,
  )
}

/**
 * Adds what the turn did, as far as the end of its job alone shows it.
 * @param isNewJob whether the job has no earlier turn, so that its pull request is of this one
 */
export function addShownEffect(ending: TurnEnd, isNewJob: boolean): TurnEnd {
  const { job } = ending
  if (job === undefined) return ending
  if (isNewJob && job.prLink !== undefined) return { ...ending, effect: { kind: 'created' } }
  return isWithoutLink(job) ? { ...ending, effect: { kind: 'none' } } : ending
}

/**
 * Determines what a follow-up did to the job's pull request: a new commit by the agent is an update. A pull request that is
 * merged or closed by then may lack commits of the turn, which is red.
 * @param jobBefore the job before the turn
 * @param before its pull request before the turn
 */
export async function determineEffect(
  observed: TurnEnd,
  jobBefore: Job,
  before: PullRequest | undefined,
  step: Acts,
): Promise<TurnEnd> {
  const ending = addShownEffect(observed, false)
  const { job } = ending
  if (job === undefined) return ending
  const { prLink } = jobBefore
  // A failed or archived job may name the pull request of an earlier turn.
  const link = job.status === 'completed' ? job.prLink : undefined
  // A late link of the preceding turn was awaited before the prompt, so a new link is of this turn.
  if (link !== undefined && (prLink === undefined || !isSamePullRequest(prLink, link)))
    return { ...ending, effect: { kind: 'created' }, headBefore: undefined }
  // A turn may push commits and then fail, and a completed job may no longer name its pull request.
  const { journal } = step
  const after = before && (await journal.orWarn(UNREAD_EFFECT, () => readAfterTurn(before, step)))
  if (before === undefined || after === undefined) return ending
  const { now, commits } = after
  let { effect } = ending
  if (commits !== undefined && commits.byAgent > 0) effect = { kind: 'updated', commits: commits.byAgent }
  // A turn whose job names no pull request may have changed something else.
  else if (commits !== undefined && link !== undefined) effect = { kind: 'unchanged' }
  const known = { ...ending, job: { ...job, prLink: job.prLink ?? prLink }, ...(effect && { effect }) }
  if (!isOpen(now)) {
    const when = isOpen(before) ? 'while the agent was working on it' : 'before the agent worked on it'
    const error = new ActionError(
      'merged-too-early',
      `Pull request #${now.number} was ${now.state} ${when}. Its newest commits may not be merged.`,
      { hint: 'Look at its branch for commits that missed the merge, and open a pull request for them.' },
    )
    return { ...known, error, pullRequest: describePullRequest(now) }
  }
  if (commits?.byAgent === 0) noticeCommitsByOthers(commits, now, step)
  return known
}
