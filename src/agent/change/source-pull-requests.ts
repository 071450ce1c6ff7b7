/**
 * Finds the pull requests that commits came from, and leaves out those that `skip-labels` exempts. Hides how GitHub
 * connects commits with pull requests, and how late.
 */
import { openGitHub } from '../../action/step.ts'
import { type ChangedFile, findHead, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import { type EventCommit, getTestMergeHead } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { FilePaths, ListedPullRequest, PullRequest } from '../../github/pull-requests.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, rethrowFatal, orUndefined } from '../../runtime/errors.ts'
import { quoteName } from '../../text/markdown.ts'
import { type Skip, skip } from '../plan.ts'
import { formatNumbers } from '../prompt.ts'
import type { AgentStep } from '../journal.ts'
import type { Compared } from './compare-range.ts'
import type { EventOrigin } from './event-origin.ts'

type Listed = readonly ListedPullRequest[]
/** A pull request that commits came from. */
export type SourcePullRequest = ListedPullRequest | PullRequest

/** Each look-up costs at least one request. Commits of a pull request that is already known need no look-up. */
export const MAX_LOOK_UPS = 50

/** The part of the question budget that the loop guard's pauses leave for the requests after it. */
const LEFT_BY_GUARD_MS = 25_000
const SHARE_LEFT_BY_GUARD = 0.25

/** Returns when the loop guard must stop waiting, on the clock's scale. */
export function getGuardEnd({ deadlineAt, planningBudget }: AgentStep): number {
  return deadlineAt - Math.min(LEFT_BY_GUARD_MS, planningBudget.totalMs * SHARE_LEFT_BY_GUARD)
}

/** Up to a minute: GitHub may take that long to associate the commits of a merge with their pull request. */
const LAG_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000]
const LAG_MS = 60_001

/** GitHub's default message of a merge, and the end of its first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

/**
 * Reads the pull request that the message of a commit names. Anybody can write a number into a message, so the pull request
 * counts only if it was merged as this commit.
 */
async function readNamedPullRequest({ message, sha }: EventCommit, repository: string, github: GitHub) {
  const [, merged, squashed] = NAMES_PULL_REQUEST.exec(message) ?? []
  const number = merged ?? squashed
  if (number === undefined) return undefined
  const pullRequest = await orUndefined(github.readPullRequest({ repository, number: Number(number) }), 'not-found')
  return pullRequest?.state === 'merged' && pullRequest.mergeCommitSha === sha ? pullRequest : undefined
}

/** Whether the message of a commit names a pull request that the commit may have come from. */
export const namesPullRequest = ({ message }: { readonly message: string }): boolean => NAMES_PULL_REQUEST.test(message)

/** Looks up the pull requests that commits came from. Each commit and each list is requested once. */
export interface SourceLookUp {
  /** The look-ups so far, by commit. */
  readonly found: ReadonlyMap<string, Promise<readonly SourcePullRequest[]>>
  /**
   * Returns the pull requests that a commit came from: merged ones, or an open one of the branch that was pushed to; none if the
   * commit was pushed directly.
   * @throws ActionError if a request to GitHub fails
   */
  readonly find: (commit: EventCommit) => Promise<readonly SourcePullRequest[]>
  /** @throws ActionError if a request to GitHub fails */
  readonly listCommits: (number: number) => Promise<readonly PullRequestCommit[]>
}

/**
 * @param repository of the commits. If it is not the run's repository, none of the commits came with the event.
 * @param known the look-ups of the same repository so far
 */
export function openSourceLookUp(
  repository: string,
  { kind, branch, commits }: EventOrigin,
  step: AgentStep,
  known?: SourceLookUp['found'],
): SourceLookUp {
  const { event } = step.context
  const ownCommits = repository === step.context.repository ? commits : []
  const isAboutCommits = event.kind !== 'push' && ownCommits.length > 0
  let startedAt: number | undefined
  const getLagEnd = (): number => Math.min(getGuardEnd(step), (startedAt ??= step.clock.now()) + LAG_MS)
  const lists = new Map<number, Promise<readonly PullRequestCommit[]>>()
  const found = new Map(known)

  function listCommits(number: number): Promise<readonly PullRequestCommit[]> {
    const listed = lists.get(number) ?? openGitHub(step).listPullRequestCommits({ repository, number })
    lists.set(number, listed)
    return listed
  }

  async function isSource(found: ListedPullRequest, sha: string): Promise<boolean> {
    if (found.state === 'merged') return true
    if (isAboutCommits) return (await listCommits(found.number)).some((listed) => listed.sha === sha)
    if (event.kind !== 'push' || found.isOfFork || found.branch !== event.branch) return false
    const { author, number } = found
    const { login } = event.sender
    if (author.login === login) return true
    // The agent may push commits with another account than the one that opens its pull request.
    const listed = await listCommits(number)
    return login !== '' && listOwners(author, listed, findHead(listed)).has(login)
  }

  async function filterSources(found: Listed, sha: string): Promise<Listed> {
    const sources: ListedPullRequest[] = []
    for (const pullRequest of found) if (await isSource(pullRequest, sha)) sources.push(pullRequest)
    return sources
  }

  const testMergeHeads = new Map<string, string | undefined>()

  /** Returns the head commit that GitHub's test merge of a pull request merged; undefined if the commit is no test merge. */
  async function findTestMergeHead(sha: string): Promise<string | undefined> {
    if (!testMergeHeads.has(sha)) {
      const commit = await orUndefined(openGitHub(step).readCommit(repository, sha), 'not-found', 'rejected')
      testMergeHeads.set(sha, commit && getTestMergeHead(commit.message, commit.parents))
    }
    return testMergeHeads.get(sha)
  }

  /** Looks up a commit that came with the event. Merge commits and head commits of pull requests are mostly found first. */
  async function lookUpNew(sha: string): Promise<Listed | ActionError> {
    const github = openGitHub(step)
    // Send both requests at the same time, because most commits came from no pull request. If the first response is enough,
    // an error of the second request is ignored.
    const byHeadCommit = github.findPullRequestsEndingWith(repository, sha)
    byHeadCommit.catch(() => undefined)
    // GitHub rejects a commit that it does not know yet (422).
    const toUnknownCommit = (error: unknown): ActionError => rethrowFatal(error, 'rejected')
    const found = await github.findPullRequestsOfCommit(repository, sha).catch(toUnknownCommit)
    if (!(found instanceof ActionError) && found.length > 0) return filterSources(found, sha)
    const ending = await filterSources(await byHeadCommit, sha)
    if (ending.length > 0) return ending
    const head = kind === 'other' ? await findTestMergeHead(sha) : undefined
    if (head !== undefined) return lookUpNew(head)
    if (!isAboutCommits || branch === undefined) return found
    // A forced push may have removed the commit from its pull request.
    const ofBranch = await github.findPullRequestsOfBranch(repository, branch, 'open')
    return ofBranch.length > 0 ? ofBranch : found
  }

  async function findSourcesOfCommit(commit: EventCommit): Promise<readonly SourcePullRequest[]> {
    const { sha, isByPusher } = commit
    const github = openGitHub(step)
    const named = await readNamedPullRequest(commit, repository, github)
    if (named !== undefined) return [named]
    if (ownCommits.length === 0) return filterSources(await github.findPullRequestsOfCommit(repository, sha), sha)
    // GitHub may not know the pull request yet. A commit that its author pushed probably has none, so its empty list counts.
    const found = await pollUntil(
      () => lookUpNew(sha),
      (result) => !(result instanceof ActionError) && (result.length > 0 || isByPusher),
      pausesBefore(LAG_PAUSES_MS, getLagEnd, step.clock),
      step,
    )
    if (found instanceof ActionError) throw found
    return found
  }

  return {
    found,
    find: (commit) => {
      const sources = found.get(commit.sha) ?? findSourcesOfCommit(commit)
      found.set(commit.sha, sources)
      return sources
    },
    listCommits,
  }
}

/**
 * Returns which commits of a range came from a pull request: its own commits, or the commits that a rebase merge created from
 * them in the same order, with other ids.
 * @param newest the newest commit of the range that came from the pull request
 * @param commits of the range, newest first
 * @param isCounted which of the pull request's commits to return
 */
export function matchCommits(
  listed: readonly PullRequestCommit[],
  newest: EventCommit,
  commits: readonly EventCommit[],
  isCounted: (commit: PullRequestCommit) => boolean = () => true,
): readonly string[] {
  const below = commits.slice(commits.indexOf(newest))
  const written = listed.filter(isCounted).map(({ sha }) => sha)
  for (const [index, original] of listed.toReversed().entries()) {
    const rebased = below[index]
    if (rebased?.message !== original.message || rebased.author !== original.author) break
    if (isCounted(original)) written.push(rebased.sha)
  }
  return written
}

/** Formats pull requests for people: by number, and in another repository than the run's also by the repository's name. */
export function formatPullRequests(numbers: readonly number[], repository: string, { context }: AgentStep): string {
  return repository === context.repository
    ? formatNumbers(numbers)
    : formatNumbers(numbers, (number) => quoteName(`${repository}#${number}`))
}

function explainExempt(numbers: readonly number[], repository: string, step: AgentStep): string {
  const pullRequests = formatPullRequests(numbers, repository, step)
  return `Every pull request of the change has a label from \`skip-labels\`: ${pullRequests}.`
}

const isExempt = (labels: readonly string[], { inputs }: AgentStep): boolean =>
  inputs.skipLabels.some((label) => hasLabel(label, labels))

/** A pull request that `change-range` names is sent regardless of its labels. */
const isOverridden = ({ inputs: { skipLabels, changeRange } }: AgentStep): boolean =>
  skipLabels.length === 0 || changeRange.kind === 'pull-request'

/** A person who comments or reviews requests the work regardless of the labels. */
export const REQUEST_EVENT_KINDS: readonly string[] = ['comment', 'review', 'issue']

/** Whether the pull requests of the event decide instead of the commits of a range. */
export const isOfEvent = ({ numbers }: EventOrigin, { context: { event }, inputs }: AgentStep): boolean =>
  inputs.changeRange.kind === 'event' && (numbers.length > 0 || event.kind === 'pull-request')

/**
 * Checks the labels of the pull requests that the event names. They come from the payload of a pull request event, and otherwise
 * from GitHub.
 * @returns why the step is skipped, as a full sentence
 * @throws ActionError if GitHub does not provide them
 */
export async function checkEventLabels(origin: EventOrigin, step: AgentStep): Promise<string | undefined> {
  const { event, repository } = step.context
  if (isOverridden(step) || !isOfEvent(origin, step) || REQUEST_EVENT_KINDS.includes(event.kind)) return undefined
  if (event.kind === 'pull-request')
    return isExempt(event.subject.labels, step) ? explainExempt([event.subject.number], repository, step) : undefined
  for (const number of origin.numbers)
    if (!isExempt((await openGitHub(step).readPullRequest({ repository, number })).labels, step)) return undefined
  return explainExempt(origin.numbers, repository, step)
}

interface Sources {
  /** The merged pull requests that commits came from, by number. */
  readonly pullRequests: ReadonlyMap<number, SourcePullRequest>
  /** The pull requests that each commit came from. Empty for a commit that was pushed directly or not looked up. */
  readonly ofCommit: ReadonlyMap<string, ReadonlySet<number>>
  /** Whether there were more than `MAX_LOOK_UPS` commits to look up. */
  readonly isCut: boolean
}

/**
 * Finds the merged pull requests that commits came from.
 * @param commits newest first
 * @param maxPullRequests how many pull requests to find before the search stops
 */
export async function findSources(
  commits: readonly EventCommit[],
  sources: SourceLookUp,
  maxPullRequests = Infinity,
): Promise<Sources> {
  const pullRequests = new Map<number, SourcePullRequest>()
  const ofCommit = new Map<string, Set<number>>(commits.map(({ sha }) => [sha, new Set()]))
  let lookUps = 0
  let isCut = false
  for (const commit of commits) {
    if (pullRequests.size >= maxPullRequests) break
    const numbers = ofCommit.get(commit.sha)
    // The branch of a pull request may contain the merge commit of another one, which the message of that commit names.
    if (numbers?.size !== 0 && !namesPullRequest(commit)) continue
    isCut ||= ++lookUps > MAX_LOOK_UPS
    if (isCut) {
      numbers?.clear()
      continue
    }
    const found = (await sources.find(commit)).filter(({ state }) => state === 'merged')
    for (const pullRequest of found) {
      const { number } = pullRequest
      pullRequests.set(number, pullRequest)
      const listed = commits.length === 1 ? [] : await sources.listCommits(number)
      for (const sha of [commit.sha, ...matchCommits(listed, commit, commits)]) ofCommit.get(sha)?.add(number)
    }
  }
  return { pullRequests, ofCommit, isCut }
}

/** Each list costs at least one request. */
const MAX_FILE_LISTS = 30

/**
 * Returns the paths that only exempt pull requests changed. If another pull request changed a file before it was renamed, the
 * renamed file counts as changed by both. Returns no paths if that would take too many requests, or GitHub lists only some of
 * the files: the agent then receives more files than necessary.
 * @throws ActionError if GitHub does not provide a list
 */
async function findExemptPaths(
  { repository, files }: Compared,
  { pullRequests, ofCommit }: Sources,
  exempt: ReadonlySet<number>,
  step: AgentStep,
): Promise<ReadonlySet<string>> {
  const counted = [...pullRequests.keys()].filter((number) => !exempt.has(number))
  const direct = [...ofCommit].flatMap(([sha, numbers]) => (numbers.size === 0 ? [sha] : []))
  if (exempt.size + counted.length + direct.length > MAX_FILE_LISTS) return new Set()
  const github = openGitHub(step)
  const listAll = async (numbers: Iterable<number>): Promise<readonly FilePaths[]> => {
    const listed: FilePaths[] = []
    for (const number of numbers) listed.push(...(await github.listPullRequestPaths({ repository, number })))
    return listed
  }
  try {
    const ofExempt = await listAll(exempt)
    const paths = new Set(ofExempt.flat())
    if (!files.some(({ path }) => paths.has(path))) return new Set()
    const ofOthers = [...(await listAll(counted))]
    for (const sha of direct) ofOthers.push(...(await github.listCommitPaths(repository, sha)))
    for (const path of followRenames(ofOthers.flat(), [...ofExempt, ...ofOthers])) paths.delete(path)
    return paths
  } catch (error) {
    rethrowFatal(error, 'rejected')
    return new Set()
  }
}

/** Returns the paths, and all paths that their files were renamed to. */
function followRenames(paths: readonly string[], files: readonly FilePaths[]): ReadonlySet<string> {
  const renamed = new Map<string, string[]>()
  for (const [path, previousPath] of files)
    if (previousPath !== undefined) renamed.set(previousPath, [...(renamed.get(previousPath) ?? []), path])
  const reached = new Set(paths)
  // The loop also visits the paths that it adds.
  for (const path of reached) for (const later of renamed.get(path) ?? []) reached.add(later)
  return reached
}

/**
 * Removes from a change the commits and files of merged pull requests that have a label from `skip-labels`.
 * @param sources the look-ups of the run's repository
 * @returns the rest of the change
 * @throws ActionError if a request to GitHub fails
 */
export async function leaveOutExempt<Change extends Compared>(
  compared: Change,
  needsFiles: boolean,
  origin: EventOrigin,
  sources: SourceLookUp,
  step: AgentStep,
): Promise<Change | Skip> {
  const isByRequest = REQUEST_EVENT_KINDS.includes(step.context.event.kind)
  if (isOverridden(step) || isOfEvent(origin, step) || isByRequest) return compared
  const commits = compared.commits.toReversed().map((commit) => {
    // Commits that did not come with the event are old enough for GitHub to know their pull requests.
    return origin.commits.find(({ sha }) => sha === commit.sha) ?? { ...commit, isByPusher: true }
  })
  const { repository } = compared
  const isOwn = repository === step.context.repository
  const found = await findSources(commits, isOwn ? sources : openSourceLookUp(repository, origin, step))
  if (found.isCut)
    step.core.log(
      `\`skip-labels\`: looked up only ${MAX_LOOK_UPS} of ${commits.length} commits. The others count as changes.`,
    )
  const labelled = [...found.pullRequests.values()].filter(({ labels }) => isExempt(labels, step))
  const numbers = new Set(labelled.map(({ number }) => number))
  const isLeftOut = (sha: string): boolean => {
    const brought = [...(found.ofCommit.get(sha) ?? [])]
    return brought.length > 0 && brought.every((number) => numbers.has(number))
  }
  const left = compared.commits.filter(({ sha }) => !isLeftOut(sha))
  const leftOut = compared.commits.length - left.length
  if (leftOut === 0) return compared
  const sorted = [...numbers].sort((a, b) => a - b)
  if (leftOut === compared.totalCommits && compared.unlisted === undefined)
    return skip(explainExempt(sorted, repository, step))
  // A commit that GitHub does not list may have changed any file.
  const isComplete = compared.commits.length === compared.totalCommits
  const paths = needsFiles && isComplete ? await findExemptPaths(compared, found, numbers, step) : new Set<string>()
  const isFileLeftOut = ({ path, previousPath = path }: ChangedFile): boolean =>
    paths.has(path) && paths.has(previousPath)
  return {
    ...compared,
    commits: left,
    totalCommits: compared.totalCommits - leftOut,
    files: compared.files.filter((file) => !isFileLeftOut(file)),
    exempt: {
      numbers: sorted,
      commits: new Set(compared.commits.filter(({ sha }) => isLeftOut(sha)).map(({ sha }) => sha)),
    },
  }
}
