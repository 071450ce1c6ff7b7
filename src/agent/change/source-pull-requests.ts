import { openGitHub } from '../../action/step.ts'
import { type ChangedFile, findHead, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import { type EventCommit, getTestMergeHead } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { FilePaths, ListedPullRequest, PullRequest } from '../../github/pull-requests.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, rethrowFatal, orUndefined } from '../../runtime/errors.ts'
import { quoted } from '../../text/markdown.ts'
import { type Skip, skip } from '../plan.ts'
import { formatNumbers } from '../prompt.ts'
import type { AgentStep } from '../journal.ts'
import type { Compared } from './compare-range.ts'
import type { EventOrigin } from './event-origin.ts'

type Listed = readonly ListedPullRequest[]
/** A pull request that brought commits. */
export type SourcePullRequest = ListedPullRequest | PullRequest

/** Each look-up costs a request or more; commits of a pull request that is known by then cost none. */
export const MAX_LOOK_UPS = 50

/** What the guard's own pauses leave of the time for questions, in milliseconds: others come after it. */
const LEFT_BY_GUARD_MS = 25_000
const SHARE_LEFT_BY_GUARD = 0.25

export function getGuardEnd({ deadlineAt, questions }: AgentStep): number {
  return deadlineAt - Math.min(LEFT_BY_GUARD_MS, questions.totalMs * SHARE_LEFT_BY_GUARD)
}

/** Up to a minute: as long as GitHub may take to know all that a merge brought. */
const LAG_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000]
const LAG_MS = 60_001

/** As GitHub writes it for a merge, and at the end of the first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

/** Anybody can write a number into a message, and one of an issue or of another repository leads nowhere. */
async function readMerged({ message, sha }: EventCommit, repository: string, github: GitHub) {
  const [, merged, squashed] = NAMES_PULL_REQUEST.exec(message) ?? []
  const number = merged ?? squashed
  if (number === undefined) return undefined
  const pullRequest = await orUndefined(github.readPullRequest({ repository, number: Number(number) }), 'not-found')
  return pullRequest?.state === 'merged' && pullRequest.mergeCommitSha === sha ? pullRequest : undefined
}

/** Whether the message of a commit names the pull request that it may have come with. */
export const namesPullRequest = ({ message }: { readonly message: string }): boolean => NAMES_PULL_REQUEST.test(message)

/** From commits to the pull requests that brought them. Each commit and each list is asked for once. */
export interface SourceLookUp {
  /** The look-ups so far, by commit. */
  readonly found: ReadonlyMap<string, Promise<readonly SourcePullRequest[]>>
  /**
   * The pull requests that brought a commit: merged ones, or an open one of the branch that was pushed to; none if it came
   * without. @throws ActionError if GitHub does not tell
   */
  readonly find: (commit: EventCommit) => Promise<readonly SourcePullRequest[]>
  /** @throws ActionError */
  readonly listCommits: (number: number) => Promise<readonly PullRequestCommit[]>
}

/**
 * @param repository that has the commits; in another one than the run's, none of them came with the event
 * @param origin what the event is about
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
    // The agent's commits may be by another account than its pull request.
    const listed = await listCommits(number)
    return login !== '' && listOwners(author, listed, findHead(listed)).has(login)
  }

  async function sourcesAmong(found: Listed, sha: string): Promise<Listed> {
    const sources: ListedPullRequest[] = []
    for (const one of found) if (await isSource(one, sha)) sources.push(one)
    return sources
  }

  const testMergeHeads = new Map<string, string | undefined>()

  /** What is said of GitHub's test merge of a pull request is about the head that was merged. */
  async function findTestMergeHead(sha: string): Promise<string | undefined> {
    if (!testMergeHeads.has(sha)) {
      const commit = await orUndefined(openGitHub(step).readCommit(repository, sha), 'not-found', 'rejected')
      testMergeHeads.set(sha, commit && getTestMergeHead(commit.message, commit.parents))
    }
    return testMergeHeads.get(sha)
  }

  /** What was merged as a commit, or ends with it, is mostly known at once. */
  async function lookUpNew(sha: string): Promise<Listed | ActionError> {
    const github = openGitHub(step)
    // Both at once, as most commits came with none; where the first answer is enough, a failure of the other is none.
    const alsoAsked = github.findPullRequestsEndingWith(repository, sha)
    alsoAsked.catch(() => undefined)
    // GitHub refuses a commit that it does not know yet (422).
    const refusedYet = (error: unknown): ActionError => rethrowFatal(error, 'rejected')
    const found = await github.findPullRequestsOfCommit(repository, sha).catch(refusedYet)
    if (!(found instanceof ActionError) && found.length > 0) return sourcesAmong(found, sha)
    const ending = await sourcesAmong(await alsoAsked, sha)
    if (ending.length > 0) return ending
    const head = kind === 'other' ? await findTestMergeHead(sha) : undefined
    if (head !== undefined) return lookUpNew(head)
    if (!isAboutCommits || branch === undefined) return found
    // A forced push may have taken the commit out of it.
    const ofBranch = await github.findPullRequestsOfBranch(repository, branch, 'open')
    return ofBranch.length > 0 ? ofBranch : found
  }

  async function findOfCommit(commit: EventCommit): Promise<readonly SourcePullRequest[]> {
    const { sha, isByPusher } = commit
    const github = openGitHub(step)
    const named = await readMerged(commit, repository, github)
    if (named !== undefined) return [named]
    if (ownCommits.length === 0) return sourcesAmong(await github.findPullRequestsOfCommit(repository, sha), sha)
    // GitHub may not know yet where it came from. What its author pushed waits for no other answer.
    const found = await pollUntil(
      () => lookUpNew(sha),
      (answer) => !(answer instanceof ActionError) && (answer.length > 0 || isByPusher),
      pausesBefore(LAG_PAUSES_MS, getLagEnd, step.clock),
      step,
    )
    if (found instanceof ActionError) throw found
    return found
  }

  return {
    found,
    find: (commit) => {
      const sources = found.get(commit.sha) ?? findOfCommit(commit)
      found.set(commit.sha, sources)
      return sources
    },
    listCommits,
  }
}

/**
 * Which commits of a range belong to a pull request that brought one of them: the same commits, or those that a merge made of
 * them one after the other, which have other ids.
 * @param newest the one that the pull request brought
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
  for (const [index, one] of listed.toReversed().entries()) {
    const made = below[index]
    if (made?.message !== one.message || made.author !== one.author) break
    if (isCounted(one)) written.push(made.sha)
  }
  return written
}

/** Pull requests by their numbers, for people: those of another repository than the run's also by its name. */
export function formatPullRequests(numbers: readonly number[], repository: string, { context }: AgentStep): string {
  return repository === context.repository
    ? formatNumbers(numbers)
    : formatNumbers(numbers, (number) => quoted(`${repository}#${number}`))
}

function allExempt(numbers: readonly number[], repository: string, step: AgentStep): string {
  const pullRequests = formatPullRequests(numbers, repository, step)
  return `Every pull request of the change has a label of \`skip-labels\`: ${pullRequests}.`
}

const isExempt = (labels: readonly string[], { inputs }: AgentStep): boolean =>
  inputs.skipLabels.some((label) => hasLabel(label, labels))

/** A pull request that `change-range` names is sent whatever its labels are. */
const isOverridden = ({ inputs: { skipLabels, changeRange } }: AgentStep): boolean =>
  skipLabels.length === 0 || changeRange.kind === 'pull-request'

/** A person who comments or reviews asks for the work whatever the labels are. */
export const ASKED_BY_PEOPLE: readonly string[] = ['comment', 'review', 'issue']

/** Whether the event's own pull requests decide, and not the commits of a range. */
export const isOfEvent = ({ numbers }: EventOrigin, { context: { event }, inputs }: AgentStep): boolean =>
  inputs.changeRange.kind === 'event' && (numbers.length > 0 || event.kind === 'pull-request')

/**
 * Checks the labels of the pull requests that the event names: those of its payload, or as they are now.
 * @returns why the step is skipped, as a full sentence
 * @throws ActionError if GitHub does not provide them
 */
export async function checkEventLabels(origin: EventOrigin, step: AgentStep): Promise<string | undefined> {
  const { event, repository } = step.context
  if (isOverridden(step) || !isOfEvent(origin, step) || ASKED_BY_PEOPLE.includes(event.kind)) return undefined
  if (event.kind === 'pull-request')
    return isExempt(event.subject.labels, step) ? allExempt([event.subject.number], repository, step) : undefined
  for (const number of origin.numbers)
    if (!isExempt((await openGitHub(step).readPullRequest({ repository, number })).labels, step)) return undefined
  return allExempt(origin.numbers, repository, step)
}

interface Sources {
  /** The merged pull requests that brought commits, by number. */
  readonly pullRequests: ReadonlyMap<number, SourcePullRequest>
  /** Which of them brought each commit. A commit that came without one, or was not looked up, has none. */
  readonly ofCommit: ReadonlyMap<string, ReadonlySet<number>>
  /** Whether there were more commits than are looked up. */
  readonly isCut: boolean
}

/**
 * @param commits newest first
 * @param enough after how many pull requests to stop
 */
export async function findSources(
  commits: readonly EventCommit[],
  sources: SourceLookUp,
  enough = Infinity,
): Promise<Sources> {
  const pullRequests = new Map<number, SourcePullRequest>()
  const ofCommit = new Map<string, Set<number>>(commits.map(({ sha }) => [sha, new Set()]))
  let lookUps = 0
  let isCut = false
  for (const commit of commits) {
    if (pullRequests.size >= enough) break
    const numbers = ofCommit.get(commit.sha)
    // A pull request may have brought what another one was merged into its branch with: the message names that one.
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

/** Each costs a request. */
const MAX_FILE_LISTS = 30

/**
 * The paths that only exempt pull requests touch: what others changed before a rename is in the renamed file. If it would take
 * too many requests, or GitHub lists only a part, none: the agent is then sent a file more than needed.
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

/** The paths, and those that their files were renamed to. */
function followRenames(paths: readonly string[], files: readonly FilePaths[]): ReadonlySet<string> {
  const renamed = new Map<string, string[]>()
  for (const [path, previousPath] of files)
    if (previousPath !== undefined) renamed.set(previousPath, [...(renamed.get(previousPath) ?? []), path])
  const reached = new Set(paths)
  // The set grows while it is read.
  for (const path of reached) for (const later of renamed.get(path) ?? []) reached.add(later)
  return reached
}

/**
 * Takes out of a change what came with merged pull requests that have a label of `skip-labels`.
 * @param sources the look-ups of the run's repository
 * @returns the rest of the change
 * @throws ActionError if GitHub does not provide what is needed
 */
export async function leaveOutExempt<Change extends Compared>(
  compared: Change,
  needsFiles: boolean,
  origin: EventOrigin,
  sources: SourceLookUp,
  step: AgentStep,
): Promise<Change | Skip> {
  const isAsked = ASKED_BY_PEOPLE.includes(step.context.event.kind)
  if (isOverridden(step) || isOfEvent(origin, step) || isAsked) return compared
  const commits = compared.commits.toReversed().map((commit) => {
    // What did not come with the event is older than any lag.
    return origin.commits.find(({ sha }) => sha === commit.sha) ?? { ...commit, isByPusher: true }
  })
  const { repository } = compared
  const isOwn = repository === step.context.repository
  const found = await findSources(commits, isOwn ? sources : openSourceLookUp(repository, origin, step))
  if (found.isCut)
    step.core.log(
      `\`skip-labels\`: only ${MAX_LOOK_UPS} of ${commits.length} commits were looked up; the others count.`,
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
    return skip(allExempt(sorted, repository, step))
  // A commit that GitHub does not list may touch any file.
  const isWhole = compared.commits.length === compared.totalCommits
  const paths = needsFiles && isWhole ? await findExemptPaths(compared, found, numbers, step) : new Set<string>()
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
