/**
 * Decides whether a change is the agent's own work. Hides which accounts, labels, marker comments, branches and commits prove that, and
 * how long GitHub's data may lag.
 */
import { openGitHub } from '../../action/step.ts'
import { type ComparedCommit, findHead, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import { DEPENDABOT, type EventCommit } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel, type PullRequestInList } from '../../github/labels.ts'
import { type Account, isOpen } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { orUndefined, ActionError, orNotSent } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { quoteName } from '../../text/markdown.ts'
import type { AgentStep } from '../journal.ts'
import { listAllMarkerComments } from '../marker.ts'
import { type FoundChange, isChangeWanted } from './compare-range.ts'
import type { EventOrigin } from './event-origin.ts'
import {
  getGuardEnd,
  type SourcePullRequest,
  matchCommits,
  MAX_LOOK_UPS,
  type SourceLookUp,
} from './source-pull-requests.ts'

/** Bots that open many pull requests, but never for a job of this action. */
export const OTHER_BOTS: readonly string[] = [DEPENDABOT, 'renovate[bot]']

/** Each account costs a request for the comments of its newest pull request. */
const MAX_ACCOUNTS = 3

/** Returns the newest pull request of each author, newest first. Skips authors whose account was deleted. */
function pickNewestByAuthor(pullRequests: readonly PullRequestInList[]): readonly PullRequestInList[] {
  const logins = pullRequests.map(({ author }) => author.login)
  return pullRequests.filter(({ author }, index) => author.login !== '' && logins.indexOf(author.login) === index)
}

/**
 * Finds the agent's accounts: the authors whose newest pull request with the label, in any state, has a marker comment by a
 * trusted author. Reads one list of pull requests, and the comments of at most three of them.
 * @param label not empty
 * @throws ActionError if a request to GitHub fails
 */
export async function findAgentAccounts(
  repository: string,
  label: string,
  github: Pick<GitHub, 'listNewestPullRequests' | 'listComments'>,
): Promise<readonly Account[]> {
  const newest = pickNewestByAuthor(await github.listNewestPullRequests(repository, label))
  const accounts: Account[] = []
  for (const pullRequest of newest.slice(0, MAX_ACCOUNTS)) {
    const comments = await listAllMarkerComments(pullRequest, github)
    if (comments.some(({ author }) => author === 'trusted')) accounts.push(pullRequest.author)
  }
  return accounts
}

// The step that waits for a job labels its pull request: it adds the label, and a marker comment. Either of them proves that a job
// opened the pull request.

/** A minute and a half in total: the step that waits for the job labels the pull request when it has read the job's end. */
const LABELLING_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
const USUAL_LABELLING_MS = LABELLING_PAUSES_MS.reduce((sum, ms) => sum + ms, 0)
/** Added to the poll interval: with a long interval, the step reads the job's end later. */
const LABELLING_AFTER_POLL_MS = 60_000
/** After a few rejected requests to GitHub or the service, a step labels the pull request this late. */
const LABELLING_AFTER_REFUSALS_MS = 180_000
const LATE_LABELLING_PAUSE_MS = 30_000
/** The age up to which a pull request may still be labelled: this run may have waited for a runner, and the job may end later. */
const NEW_FOR_MS = 300_000

/** Returns when a step with these inputs labels its pull request at the latest, if no request is rejected. */
const getLabellingMs = ({ pollIntervalMs = 0 }: AgentStep['inputs']): number =>
  Math.max(USUAL_LABELLING_MS, pollIntervalMs + LABELLING_AFTER_POLL_MS)

/** Returns the pauses between two look-ups of the label and the marker comment, in milliseconds. */
function listLabellingPauses(maxMs: number): readonly number[] {
  const count = Math.ceil((maxMs - USUAL_LABELLING_MS) / LATE_LABELLING_PAUSE_MS)
  return [...LABELLING_PAUSES_MS, ...Array<number>(count).fill(LATE_LABELLING_PAUSE_MS)]
}

/** Bots that are never the agent. Every workflow can open pull requests with the account of GitHub Actions. */
const NEVER_THE_AGENT: readonly string[] = ['github-actions[bot]', ...OTHER_BOTS]

/** The verdict about a pull request without label and marker comment. `agent`: the agent opened it. `wait`: it may still get them. */
type AuthorVerdict = 'agent' | 'wait' | 'wait-longer' | 'others'

/** Distinguishes the work of this action's jobs from the work of others. Throws ActionError if a request to GitHub fails. */
interface OwnWork {
  /**
   * Whether a job of this action opened a pull request. Its label or its marker comment proves that. If an app or an account of
   * the agent opened the pull request, waits for them. A bot that opened earlier pull requests of this action needs neither.
   */
  readonly isOwn: (pullRequest: SourcePullRequest) => Promise<boolean>
  /**
   * Decides from the pusher who did the work on a branch without a pull request. The agent pushes a branch before it opens the pull
   * request. But a person with an account of the agent, or another bot, may push other branches.
   */
  readonly judgeBranch: (name: string) => Promise<readonly number[] | 'agent' | 'others'>
}

function openOwnWork(step: AgentStep): OwnWork {
  const { clock, context, core, inputs, planningBudget, signal } = step
  const { event, repository } = context
  const { label } = inputs
  let listed: Promise<readonly Account[]> | undefined

  /** Whether an account opened earlier pull requests of this action. The accounts are listed once. */
  async function isAgentAccount({ login, type }: Account): Promise<boolean> {
    if (label === '' || login === '' || (type === 'Bot' && NEVER_THE_AGENT.includes(login))) return false
    const accounts = await (listed ??= findAgentAccounts(repository, label, openGitHub(step)))
    return accounts.some((account) => account.login === login)
  }

  function isNew({ createdAt }: Pick<SourcePullRequest, 'createdAt'>): boolean {
    const ageMs = clock.wallTime().getTime() - Date.parse(createdAt)
    return ageMs < Math.max(NEW_FOR_MS, getLabellingMs(inputs))
  }

  /**
   * Judges a pull request without label and marker comment by its author. An account that opened earlier pull requests of this
   * action is the agent's, but a person may use such an account too. A pull request that was merged immediately may be labelled
   * later.
   */
  async function judgeByAuthor({ author, createdAt, state }: SourcePullRequest): Promise<AuthorVerdict> {
    const isBot = author.type === 'Bot'
    const isByApp = event.kind === 'push' && event.sender.isBot && isOpen({ state })
    const mayBeLabelled = isNew({ createdAt })
    const checkAccount = () => isAgentAccount(author)
    // A new pull request may still be labelled, so an error is ignored. An older one is decided by the account alone.
    const isKnown =
      (isBot || mayBeLabelled) && (await (mayBeLabelled ? orUndefined(checkAccount()) : checkAccount())) === true
    if (isKnown) return isBot ? 'agent' : 'wait-longer'
    return isByApp || (mayBeLabelled && isBot) ? 'wait' : 'others'
  }

  /**
   * Repeats the look-up for as long as the step that labels the pull request may take.
   * @returns undefined if nothing was found
   */
  async function pollUntilFound<T>(
    what: string,
    find: () => Promise<T | undefined>,
    minMs = LABELLING_AFTER_REFUSALS_MS,
  ): Promise<T | undefined> {
    const heartbeat = new Heartbeat({ clock, log: core.log })
    heartbeat.log(`Waiting for ${what}.`)
    for (const pauseMs of listLabellingPauses(Math.max(getLabellingMs(inputs), minMs))) {
      // The pause does not count against the budget.
      if (!planningBudget.allowWait(pauseMs)) return undefined
      await clock.sleep(pauseMs, signal)
      const found = await find()
      if (found !== undefined) return found
      heartbeat.logIfDue(`Still waiting for ${what}.`)
    }
    return undefined
  }

  async function awaitLabelOrMarker(hasLabelOrMarker: () => Promise<boolean>): Promise<boolean> {
    for (const pauseMs of LABELLING_PAUSES_MS) {
      if (clock.now() + pauseMs >= getGuardEnd(step)) return false
      await clock.sleep(pauseMs, signal)
      if (await hasLabelOrMarker()) return true
    }
    return false
  }

  async function isOwn(pullRequest: SourcePullRequest): Promise<boolean> {
    const { number } = pullRequest
    const github = openGitHub(step)
    const address = { repository, number }
    let listedLabels: readonly string[] | undefined = pullRequest.labels
    const hasLabelOrMarker = async (): Promise<boolean> => {
      const labels = listedLabels ?? (await github.readPullRequest(address)).labels
      listedLabels = undefined
      if (hasLabel(label, labels)) return true
      const comments = await listAllMarkerComments(address, github)
      return comments.some(({ author }) => author === 'trusted')
    }
    if (await hasLabelOrMarker()) return true
    if (label === '') return false
    const findLabelOrMarker = async () => ((await hasLabelOrMarker()) ? true : undefined)
    const labelOrMarker = `the label or the marker comment of pull request #${number}`
    switch (await judgeByAuthor(pullRequest)) {
      case 'agent':
        return true
      case 'others':
        return false
      case 'wait':
        if (getLabellingMs(inputs) === USUAL_LABELLING_MS) return awaitLabelOrMarker(hasLabelOrMarker)
        return (await pollUntilFound(`${labelOrMarker}, which a bot opened`, findLabelOrMarker, 0)) === true
      case 'wait-longer':
        return (
          (await pollUntilFound(`${labelOrMarker}, which an account of the agent opened`, findLabelOrMarker)) === true
        )
    }
  }

  async function judgeBranch(name: string): Promise<readonly number[] | 'agent' | 'others'> {
    const { isBot, login } = event.sender
    const isKnown = await isAgentAccount({ login, type: isBot ? 'Bot' : 'User' })
    if (isKnown && isBot) return 'agent'
    // An app without an earlier pull request may be the agent in its first turn.
    const mayBeNewAgent = isBot && label !== '' && !NEVER_THE_AGENT.includes(login)
    if (!isKnown && !mayBeNewAgent) return 'others'
    const github = openGitHub(step)
    const pusher = isKnown ? 'an account of the agent' : 'a bot'
    // The pull request may have been merged immediately. An older closed pull request is not evidence about this push.
    const findPullRequest = async () =>
      (await github.findPullRequestsOfBranch(repository, name, 'all')).find((found) => isOpen(found) || isNew(found))
    const what = `a pull request of branch ${quoteName(name)}, which ${pusher} pushed`
    const found = await pollUntilFound(what, findPullRequest, isKnown ? LABELLING_AFTER_REFUSALS_MS : 0)
    return found !== undefined && (await isOwn(found)) ? [found.number] : 'others'
  }

  return { isOwn, judgeBranch }
}

/**
 * Who did the work of a change. A list of numbers: it came from these pull requests, and this action's jobs opened all of them.
 * `agent`: an account of the agent pushed the change, which has no pull request yet. `others`: a part is the work of others.
 * `direct`: a part was pushed directly, mostly by others. `too-many`: more than `MAX_LOOK_UPS` look-ups would be needed.
 */
type Ownership = readonly number[] | 'agent' | 'others' | 'direct' | 'unknown' | 'too-many'

/**
 * Checks whether all commits came from pull requests that this action's jobs opened. Stops at the first commit that did not.
 * A merged pull request is the source of its commits. An open pull request is the source of the commits that its author pushed to
 * its branch, but not of commits by others or of the commits before its branch. An event about a commit, such as its checks,
 * belongs to an open pull request that lists the commit.
 * @param commits newest first
 * @throws ActionError if a request to GitHub fails
 */
async function findOwnChanges(
  commits: readonly EventCommit[],
  sources: SourceLookUp,
  { isOwn }: OwnWork,
  step: AgentStep,
): Promise<Ownership> {
  const own = new Set<number>()
  const explained = new Set<string>()
  let lookUps = 0
  for (const commit of commits) {
    if (explained.has(commit.sha)) continue
    if (++lookUps > MAX_LOOK_UPS) {
      step.core.log(`Stopped after the look-up of ${MAX_LOOK_UPS} of ${commits.length} commits.`)
      return 'too-many'
    }
    const found = await sources.find(commit)
    if (found.length === 0) return 'direct'
    explained.add(commit.sha)
    for (const source of found) {
      const { author, number } = source
      if (!own.has(number) && !(await isOwn(source))) return 'others'
      own.add(number)
      if (commits.every(({ sha }) => explained.has(sha))) continue
      const listed = await sources.listCommits(number)
      const owners = listOwners(author, listed, findHead(listed))
      // Commits of others in it may also have come from another pull request.
      const isByAgent = ({ account: { login } }: PullRequestCommit): boolean => login !== '' && owners.has(login)
      for (const sha of matchCommits(listed, commit, commits, isByAgent)) explained.add(sha)
    }
  }
  return [...own]
}

/** Each check returns why the step is skipped, as a full sentence, or undefined. */
interface LoopGuard {
  /** Whether the guard needs the complete range, even if no input does. */
  readonly needsRange: boolean
  /** Checks the pull requests, the commit or the branch that the event names. */
  readonly checkEvent: () => Promise<string | undefined>
  /** Checks the commits of the compared change. */
  readonly checkChange: (found: FoundChange | undefined) => Promise<string | undefined>
}

const UNKNOWN_OWNERSHIP = 'Could not determine whether the change is the work of this action'
const RETRY_HINT = 'Run the step again when GitHub responds.'
const BY_BOT = "A bot started this run, possibly because of the agent's own work."
const UNKNOWN_CAUSE =
  "An event other than a push, a pull request or a merge queue started the triggering workflow run, and GitHub does not record what that run was about. It may be the agent's own work."

const OWN_EVENT = 'The event is about a pull request that a job of this action opened'
const OWN_CHANGE = "All commits came from pull requests opened by this action's jobs"
const PUSHED_BY_AGENT =
  'An account that opened earlier pull requests of this action pushed the branch, which has no pull request yet.'
const TOO_MANY = `more than ${MAX_LOOK_UPS} commits need a look-up.`
const SMALLER_RANGE_HINT = 'Send the change in parts with `change-range: BASE...HEAD`.'

/** GitHub's docs: the payload of a push has at most this number of commits. */
const MAX_PUSHED_COMMITS = 2_048

const formatOwn = (reason: string, numbers: readonly number[]): string =>
  `${reason}: ${numbers.map((number) => `#${number}`).join(', ')}.`

/** Keeps the agent's own work from starting the agent. */
export function openLoopGuard(origin: EventOrigin, sources: SourceLookUp, step: AgentStep): LoopGuard {
  const { context, core, inputs, journal } = step
  const { changeRange, label, onOpenPr, prRepository } = inputs
  const { repository, event } = context
  const { kind, numbers, branch, commits, needsRange } = origin
  const subject = 'subject' in event ? event.subject : undefined
  // Each follow-up to an event of the open pull request would cause the next one.
  const isHere = prRepository === '' || isSameRepository(prRepository, repository)
  const isRollingHere = onOpenPr !== 'new' && isHere
  /** Why the step is skipped if it is unknown who did the work; undefined if the step then runs. */
  const reasonIfUnknown = kind !== 'people' && event.sender.isBot ? BY_BOT : undefined

  /**
   * @param reason why the step is skipped if the change is the agent's, without the numbers of its pull requests
   * @param check determines who did the work
   */
  async function explainOwnership(
    reason: string,
    check: (github: GitHub) => Promise<Ownership>,
  ): Promise<string | undefined> {
    const consequence =
      reasonIfUnknown === undefined ? 'so it was not skipped' : 'so it was skipped, because a bot started the run'
    // A skipped run succeeds, so it would move the base of the next range past changes that a person may have made.
    const mustBeKnown = reasonIfUnknown !== undefined && isChangeWanted(inputs)
    if (step.github === undefined && !mustBeKnown) {
      // By default every push is checked, so a step without a token gets no notice.
      core.log(`${UNKNOWN_OWNERSHIP}, ${consequence}: there is no \`github-token\`.`)
      return reasonIfUnknown
    }
    const getOwnership = async (): Promise<Ownership> => check(openGitHub(step))
    const ownership = mustBeKnown
      ? await orNotSent(UNKNOWN_OWNERSHIP, getOwnership, RETRY_HINT)
      : await journal.orWarn(`${UNKNOWN_OWNERSHIP}, ${consequence}`, getOwnership)
    switch (ownership) {
      case 'too-many':
        if (mustBeKnown)
          throw new ActionError('not-sent', `${UNKNOWN_OWNERSHIP}: ${TOO_MANY}`, { hint: SMALLER_RANGE_HINT })
        return reasonIfUnknown
      case undefined:
      case 'unknown':
        return reasonIfUnknown
      case 'others':
      case 'direct':
        return undefined
      case 'agent':
        return PUSHED_BY_AGENT
      default:
        return formatOwn(reason, ownership)
    }
  }

  const ownWork = openOwnWork(step)

  /** The agent creates its branch before it opens the pull request. */
  async function checkBranch(name: string, github: GitHub): Promise<Ownership> {
    const [found] = await github.findPullRequestsOfBranch(repository, name, 'open')
    if (found !== undefined) return (await ownWork.isOwn(found)) ? [found.number] : 'others'
    if (kind === 'change') return 'others'
    const pushed = await ownWork.judgeBranch(name)
    return pushed === 'others' ? 'unknown' : pushed
  }

  async function checkNumbers(github: GitHub): Promise<Ownership> {
    for (const number of numbers)
      if (!(await ownWork.isOwn(await github.readPullRequest({ repository, number })))) return 'others'
    return numbers
  }

  /**
   * Commits on a branch without a pull request may be the agent's, if the event or its sender brought all of them.
   * @param compared the commits of the range, which can contain earlier commits by the sender
   */
  async function checkCommits(
    checked: readonly EventCommit[],
    compared: readonly ComparedCommit[] = [],
  ): Promise<Ownership> {
    const ownership = await findOwnChanges(checked, sources, ownWork, step)
    const earlier = compared.filter(({ account }) => account?.login === event.sender.login)
    const brought = new Set([...commits, ...earlier].map(({ sha }) => sha))
    const isBySender = kind === 'change' && checked.every(({ sha }) => brought.has(sha))
    return ownership === 'direct' && branch !== undefined && isBySender ? ownWork.judgeBranch(branch) : ownership
  }

  async function checkEvent(): Promise<string | undefined> {
    // Anybody can forge the beginning of such a comment, but then only the forged comment is skipped.
    if (kind === 'ours') return 'This action wrote the comment that started the run.'
    if (kind === 'people') return undefined
    if (kind === 'unknown') {
      journal.notice('Skipped: the cause of this run is unknown', UNKNOWN_CAUSE)
      return UNKNOWN_CAUSE
    }
    // The agent may comment on any pull request, for example on the one that it has documented.
    if (reasonIfUnknown !== undefined && (event.kind === 'comment' || event.kind === 'review')) return reasonIfUnknown
    if (hasLabel(label, subject?.labels ?? [])) return formatOwn(OWN_EVENT, numbers)
    const isAboutCommit = kind === 'other' && commits.length > 0
    const checkedBranch = kind === 'other' || isRollingHere ? branch : undefined
    if (numbers.length === 0 && !isAboutCommit && checkedBranch === undefined)
      return kind === 'other' ? reasonIfUnknown : undefined
    return explainOwnership(OWN_EVENT, async (github) => {
      const ofPullRequests = numbers.length === 0 ? undefined : await checkNumbers(github)
      // A person may open a pull request from the default branch, for example into a release branch. It does not decide about
      // the commits of the default branch, for which `branch` is undefined.
      if (ofPullRequests !== undefined && (ofPullRequests !== 'others' || branch !== undefined)) return ofPullRequests
      if (isAboutCommit) return checkCommits(commits)
      return checkedBranch === undefined ? 'others' : checkBranch(checkedBranch, github)
    })
  }

  /**
   * Lists the commits that must all be the agent's, newest first.
   * @returns an empty list if the commits are unknown; undefined if the decision does not depend on them, or GitHub lists only a
   *   part of the change, which then does not count as the agent's
   */
  function listCommits(found: FoundChange | undefined): typeof commits | undefined {
    if (commits.length >= MAX_PUSHED_COMMITS) return undefined
    // The newest commit of a tag does not show who wrote the commits before it.
    if (needsRange && found === undefined) return []
    const eventCommits = kind === 'change' && (commits.length > 0 || event.sender.isBot) ? commits : undefined
    const isAllPushed = changeRange.kind === 'event' && 'push' in event && event.push !== undefined && !needsRange
    // `checkChange` has already checked the pull request that `change-range` names.
    if (changeRange.kind === 'pull-request') return eventCommits
    // An explicit range is independent of the event, so the commits of the event decide.
    const isIndependent = changeRange.kind === 'between' && eventCommits !== undefined
    if (found === undefined || 'reason' in found || isAllPushed || isIndependent) return eventCommits
    // A comment by a person is meant for the agent, regardless of who wrote the commits. `checkEvent` has already checked other events.
    const isDecided = subject !== undefined || (kind === 'other' && commits.length > 0)
    if (isDecided || found.repository !== repository || found.unlisted !== undefined) return undefined
    if (found.commits.length < found.totalCommits) return undefined
    const others = found.commits.toReversed().filter(({ sha }) => commits.every((commit) => commit.sha !== sha))
    // Commits that did not come with the event are old enough for GitHub to know their pull requests.
    return [...commits, ...others.map((commit) => ({ ...commit, isByPusher: true }))]
  }

  async function checkChange(found: FoundChange | undefined): Promise<string | undefined> {
    const compared = found === undefined || 'reason' in found ? undefined : found
    const requested = compared?.repository === repository ? compared.pullRequest : undefined
    if (requested !== undefined) {
      const reason = await explainOwnership(OWN_CHANGE, async () =>
        (await ownWork.isOwn(requested)) ? [requested.number] : 'others',
      )
      if (reason !== undefined) return reason
    }
    const listed = listCommits(found)
    if (listed === undefined) return undefined
    const checked = listed.filter(({ sha }) => compared?.exempt?.commits.has(sha) !== true)
    if (checked.length === 0) return reasonIfUnknown
    return explainOwnership(kind === 'other' ? OWN_EVENT : OWN_CHANGE, () => checkCommits(checked, compared?.commits))
  }

  return { needsRange, checkEvent, checkChange }
}
