/**
 * Does what the inputs ask for with a turn's pull request: mark, reviewers, checks and files. Hides which requests may fail
 * without changing the result.
 */
import { requireGitHubAtEnd, requireGitHub } from '../../action/step.ts'
import { type Comparison, isByOwner } from '../../github/commits.ts'
import { isOpen, type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../../github/pull-requests.ts'
import { pollUntil } from '../../runtime/clock.ts'
import { ActionError, orUndefined, asExpectedError, isTransient } from '../../runtime/errors.ts'
import { type AgentInputs, formatGrant } from '../inputs.ts'
import {
  type Acts,
  type ChangedFiles,
  countCommitsOfUpdates,
  describePullRequest,
  type PullRequestFacts,
  readAndRecordPullRequest,
} from '../record.ts'
import { needsPullRequestRead } from './checks.ts'
import { trackPullRequest, recordUnreadable } from './mark.ts'

/** With more reviewers, nobody feels responsible. */
const MAX_PEOPLE = 5

const lower = (name: string): string => name.toLowerCase()

/**
 * Requests reviews of an open pull request, all with one request; if GitHub refuses that, one by one. A reviewer who cannot be
 * asked is a warning.
 * @param people the logins of people who approved or wrote the change that started the run, most relevant first
 * @throws ActionError `cancelled`
 */
export async function requestReviews(pullRequest: PullRequest, people: readonly string[], step: Acts): Promise<void> {
  const { inputs, record } = step
  const author = lower(pullRequest.author.login)
  const wanted = [...inputs.reviewers.names, ...people.slice(0, MAX_PEOPLE)].filter((name) => lower(name) !== author)
  const reviewers = [...new Map(wanted.map((name) => [lower(name), name])).values()]
  const github = requireGitHubAtEnd(step)
  const request = async (names: readonly string[]): Promise<true> => {
    await github.requestReviews(pullRequest, names)
    record.note(`Requested a review from ${names.map((name) => `\`${name}\``).join(', ')}.`)
    return true
  }
  const isAccepted = reviewers.length > 1 && (await orUndefined(request(reviewers)))
  if (isAccepted === true) return
  for (const name of reviewers) await record.orWarn(`No review was requested from \`${name}\``, () => request([name]))
}

const hasReviewers = ({ reviewers: { hasAuthors, hasApprovers, names } }: AgentInputs): boolean =>
  hasAuthors || hasApprovers || names.length > 0

/** How long GitHub may respond with 404 for a pull request that was just opened. */
const NOT_FOUND_MS = 30_000
const RETRY_PAUSE_MS = 3_000

/** Reads the job's pull request, unless a step has just read it to determine what a follow-up did. */
async function readLinked(address: PullRequestAddress, wasRead: boolean, step: Acts): Promise<PullRequest> {
  const { clock, deadlineAt, github, inputs } = step
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: `Leave \`github-token\` at its default. ${formatGrant(inputs)}`,
    })
  const known = wasRead ? step.record.getNewestRead(address) : undefined
  if (known !== undefined) return known
  const read = () =>
    readAndRecordPullRequest(address, step).catch((error: unknown) => asExpectedError(error, 'not-found'))
  const retryUntil = Math.min(clock.now() + NOT_FOUND_MS, deadlineAt)
  const pauseMs = () => (clock.now() + RETRY_PAUSE_MS > retryUntil ? undefined : RETRY_PAUSE_MS)
  const found = await pollUntil(read, (found) => !(found instanceof ActionError), pauseMs, step)
  if (found instanceof ActionError) throw found
  return found
}

/** Whether the pull request probably exists, and the next request may succeed: marking may end after the deadline. */
const canStillMark = (error: ActionError): boolean =>
  error.code === 'deadline' || (isTransient(error) && error.code !== 'rate-limited')

/**
 * Reads the job's pull request. If GitHub fails, the job's result is kept.
 * @returns undefined if the pull request cannot be read, or no input needs it
 * @throws ActionError `cancelled`
 */
export async function readTrackable(step: Acts): Promise<PullRequest | undefined> {
  const { context, github, inputs, record } = step
  const { job, effect } = record.newest
  const link = job?.prLink
  let address: PullRequestAddress | undefined
  // Without a token, do not warn unless an input explicitly asks for checks or paths.
  if (job === undefined || link === undefined || (github === undefined && !needsPullRequestRead(inputs)))
    return undefined
  const wasRead = effect?.kind === 'updated' || effect?.kind === 'unchanged'
  try {
    address = toPullRequestAddress(link, context)
    return await readLinked(address, wasRead, step)
  } catch (caught) {
    const error = asExpectedError(caught)
    record.warn('The pull request could not be read', error)
    if (address !== undefined && canStillMark(error)) await trackPullRequest(address, job.id, step)
    else await recordUnreadable(error, address, job.id, step)
    return undefined
  }
}

/** Whether to request reviews after this turn. A fix round requests none, because it works on the same pull request. */
export function needsReviews(pullRequest: PullRequest, { inputs, record }: Acts): boolean {
  const { job, effect } = record.newest
  const hasWork = job?.status === 'completed' && effect?.kind !== 'unchanged' && effect?.kind !== 'none'
  return hasReviewers(inputs) && record.turns.length === 1 && hasWork && isOpen(pullRequest)
}

/** Whether all commits of a new pull request are the agent's, which may commit with another account than it opens with. */
function isAllByAgent({ author }: PullRequest, { commits, totalCommits }: Comparison): boolean {
  const owners = new Set([author.login, commits[0]?.writtenBy ?? ''].filter((name) => name !== ''))
  return commits.length === totalCommits && commits.every((commit) => isByOwner(commit, owners))
}

/**
 * Reads the files that this step has changed in its pull request.
 * @returns undefined if these files are unknown, for example because of other people's commits
 * @throws ActionError if GitHub cannot be read
 */
async function readChanges(step: Acts): Promise<ChangedFiles | undefined> {
  const { context, record } = step
  const { turns } = record
  const link = turns[0]?.end === 'finished' ? turns[0].job?.prLink : undefined
  const pullRequest = link && record.getNewestRead(toPullRequestAddress(link, context))
  const effect = turns.map((turn) => turn.effect).find((one) => one?.kind === 'created' || one?.kind === 'updated')
  if (pullRequest === undefined || effect === undefined) return undefined
  const github = requireGitHubAtEnd(step)
  const { repository, baseRef, headSha } = pullRequest
  const found = await github.compare(repository, effect.kind === 'updated' ? effect.since : baseRef, headSha)
  // On a rewritten branch, the new files are unknown.
  if (found.relation !== 'ahead') return undefined
  // A comparison also contains files of other people's commits and of merges of the base branch.
  const isOwn =
    effect.kind === 'updated'
      ? found.totalCommits === countCommitsOfUpdates({ turns })
      : isAllByAgent(pullRequest, found)
  if (!isOwn) return undefined
  const files = found.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
  return { files, isComplete: found.fileList === 'complete' }
}

/** Records the files that the step has changed, for the summary and the outputs. A failure is ignored. */
export async function recordChanges(step: Acts): Promise<void> {
  step.record.add({ files: await orUndefined(readChanges(step)) })
}

/** GitHub computes `mergeable` in the background after the first read, usually within seconds. */
const MERGEABLE_PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Reads an open pull request a few more times while GitHub has not computed `mergeable`, if the step has waited for its
 * checks. Ignores reads with another head commit.
 */
export async function readMergeability(step: Acts, known: PullRequestFacts): Promise<void> {
  const { clock, context, deadlineAt, github, inputs, record, signal } = step
  const job = record.turns[0]?.job
  if (github === undefined || job?.prLink === undefined || signal.aborted || !inputs.waitForChecks) return
  const address = toPullRequestAddress(job.prLink, context)
  let found = known
  for (const pauseMs of MERGEABLE_PAUSES_MS) {
    if (!isOpen(found) || found.mergeable !== undefined || clock.now() + pauseMs >= deadlineAt) return
    await clock.sleep(pauseMs, signal)
    const now = await orUndefined(requireGitHub(step).readPullRequest(address))
    // The known checks and files belong to one head commit, so only combine them with reads of the same one.
    if (now === undefined || now.headSha !== found.headSha) return
    found = { ...found, ...describePullRequest(now) }
    record.add({ pullRequestAtEnd: found })
  }
}
