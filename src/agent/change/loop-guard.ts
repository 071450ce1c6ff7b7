import { openGitHub } from '../../action/step.ts'
import type { PullRequestCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { orNotSent, orUndefined } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { isMarkerComment } from '../marker.ts'
import type { AgentStep } from '../journal.ts'
import { findAgentAccounts, OTHER_BOTS } from './agent-accounts.ts'
import { type FoundChange, isChangeWanted } from './compare-range.ts'
import type { EventOrigin } from './event-origin.ts'
import {
  getGuardEnd,
  matchCommits,
  MAX_LOOK_UPS,
  type SourceLookUp,
  type SourcePullRequest,
} from './source-pull-requests.ts'

/**
 * The numbers of the pull requests that a change came from, if this action's jobs opened all of them. `others`: some of it is
 * the work of others.
 */
type Ownership = readonly number[] | 'others' | 'unknown'

/** Up to a minute and a half: a label is put on as soon as the step that waits for the job has seen its end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
/** Added to the poll interval: a step that reads its job seldom marks the pull request later. */
const MARK_AFTER_POLL_MS = 60_000
const LATE_MARK_PAUSE_MS = 30_000
/** For as long, in milliseconds, a pull request is new: its run may have waited for a runner, and the job's end comes later. */
const NEW_FOR_MS = 300_000

/** The pauses before a mark of this action is looked for again, in milliseconds, if it may be written as late as by this step. */
function getLateMarkPauses({ pollIntervalMs = 0 }: AgentStep['inputs']): readonly number[] {
  const knownMs = MARK_PAUSES_MS.reduce((sum, ms) => sum + ms, 0)
  const count = Math.ceil((pollIntervalMs + MARK_AFTER_POLL_MS - knownMs) / LATE_MARK_PAUSE_MS)
  return [...MARK_PAUSES_MS, ...Array<number>(Math.max(0, count)).fill(LATE_MARK_PAUSE_MS)]
}

/** Bots that are not the agent: with the account of workflows, anybody's workflow opens pull requests. */
const NO_AGENTS: readonly string[] = ['github-actions[bot]', ...OTHER_BOTS]

/** How an unmarked open pull request is judged. `agent`: it is the agent's. `wait`: its mark may still come. */
type Unmarked = 'agent' | 'wait' | 'wait-longer' | 'others'

/**
 * Judges an open pull request without a mark by its author. Accounts that authored earlier pull requests of this action are the
 * agent's; but a person may open pull requests of their own, too.
 */
async function judgeUnmarked(
  { author, createdAt }: SourcePullRequest,
  github: GitHub,
  { clock, context, inputs }: AgentStep,
): Promise<Unmarked> {
  const { event, repository } = context
  const { label } = inputs
  const isBot = author.type === 'Bot'
  const ageMs = clock.wallTime().getTime() - Date.parse(createdAt)
  const isByApp = event.kind === 'push' && event.sender.isBot
  const isNew = ageMs < Math.max(NEW_FOR_MS, (inputs.pollIntervalMs ?? 0) + MARK_AFTER_POLL_MS)
  const mayBeAgent = author.login !== '' && (isBot ? !NO_AGENTS.includes(author.login) : isNew)
  const accounts = mayBeAgent ? await orUndefined(findAgentAccounts(repository, label, github)) : undefined
  const isKnown = accounts?.some(({ login }) => login === author.login) === true
  if (isKnown) return isBot ? 'agent' : 'wait-longer'
  return isByApp || (isNew && isBot) ? 'wait' : 'others'
}

/**
 * Whether a job of this action opened a pull request: it has the label, or the comment that names the job. Both may still come
 * if an app or an account of the agent opened it.
 * @throws ActionError if GitHub does not tell
 */
async function isOwnPullRequest(pullRequest: SourcePullRequest, github: GitHub, step: AgentStep): Promise<boolean> {
  const { clock, context, core, inputs, questions, signal } = step
  const { number } = pullRequest
  if (!isOpen(pullRequest) && !inputs.skipOwnChanges) return false
  const address = { repository: context.repository, number }
  let known: readonly string[] | undefined = pullRequest.labels
  const hasMark = async (): Promise<boolean> => {
    const labels = known ?? (await github.readPullRequest(address)).labels
    known = undefined
    if (hasLabel(inputs.label, labels)) return true
    const comments = await github.listComments(address, isMarkerComment)
    return comments.some(({ body, author }) => author === 'trusted' && isMarkerComment(body))
  }
  if (await hasMark()) return true
  if (inputs.label === '' || !isOpen(pullRequest)) return false
  const unmarked = await judgeUnmarked(pullRequest, github, step)
  if (unmarked === 'agent' || unmarked === 'others') return unmarked === 'agent'
  const isLate = unmarked === 'wait-longer'
  const heartbeat = new Heartbeat({ clock, log: core.log })
  if (isLate) heartbeat.say(`An account of the agent opened pull request #${number}: waiting for its mark.`)
  for (const pauseMs of isLate ? getLateMarkPauses(inputs) : MARK_PAUSES_MS) {
    // A wait that is as long as the step that writes the mark may take is not counted as a question.
    const mayWait = isLate ? questions.allowWait(pauseMs) : clock.now() + pauseMs < getGuardEnd(step)
    if (!mayWait) return false
    await clock.sleep(pauseMs, signal)
    if (await hasMark()) return true
    if (isLate) heartbeat.beat(`Pull request #${number} has no mark yet.`)
  }
  return false
}

/**
 * Whether all of the commits came with pull requests that this action's jobs opened. The first commit that did not ends the
 * search. A merged pull request brought its commits. An open one brought those that whoever opened it pushed to its branch:
 * commits of others on it are theirs, and those that it only branched off came from elsewhere. What is said of a commit, such
 * as its checks, belongs to an open pull request that lists it.
 * @param commits newest first
 * @throws ActionError if GitHub does not tell
 */
async function findOwnChanges(
  commits: readonly EventCommit[],
  sources: SourceLookUp,
  github: GitHub,
  step: AgentStep,
): Promise<Ownership> {
  const own = new Set<number>()
  const explained = new Set<string>()
  let lookUps = 0
  for (const commit of commits) {
    if (explained.has(commit.sha)) continue
    if (++lookUps > MAX_LOOK_UPS) {
      step.core.log(`Too many of the ${commits.length} commits came from elsewhere to look up each.`)
      return 'unknown'
    }
    const found = await sources.find(commit)
    if (found.length === 0) return 'others'
    explained.add(commit.sha)
    for (const source of found) {
      const { author, number } = source
      if (!own.has(number) && !(await isOwnPullRequest(source, github, step))) return 'others'
      own.add(number)
      if (commits.every(({ sha }) => explained.has(sha))) continue
      // Commits of others on it may have come with another pull request, too.
      const isByAuthor = ({ account: { login } }: PullRequestCommit): boolean => login !== '' && login === author.login
      for (const sha of matchCommits(await sources.listCommits(number), commit, commits, isByAuthor)) explained.add(sha)
    }
  }
  return [...own]
}

/** Each check gives why nothing is sent, as a full sentence; undefined if the prompt is sent. */
interface LoopGuard {
  /** Whether the guard needs the whole range, even if no input does. */
  readonly needsRange: boolean
  /** Checks what the event names: pull requests, its commit, its branch. */
  readonly checkEvent: () => Promise<string | undefined>
  /** Checks the commits of the change, once it was compared. */
  readonly checkChange: (found: FoundChange | undefined) => Promise<string | undefined>
}

const LOST = 'Could not determine whether the change is the work of this action'
const ASK_AGAIN = 'Run the step again when GitHub responds. `skip-own-changes: false` leaves this check out.'
const BY_BOT =
  "A bot started this run, and it is not known to be about anything but the agent's own work. `skip-own-changes: false` lets it through."
const UNKNOWN_CAUSE =
  "Another event than a push, a pull request or a merge queue started the workflow run before this one, and GitHub does not record what that run was about. It may be the agent's own work. `skip-own-changes: false` runs the step, without a range."

const OF_EVENT = "The event is about a pull request that this action's job opened"
const OF_CHANGE = "All of the change came from pull requests that this action's jobs opened"

/** GitHub's docs: the payload of a push has no more commits than these. */
const MAX_PUSHED_COMMITS = 2_048

const formatOwn = (what: string, numbers: readonly number[]): string =>
  `${what}: ${numbers.map((number) => `#${number}`).join(', ')}.`

/** Keeps the agent's own work from starting the agent. */
export function openLoopGuard(origin: EventOrigin, sources: SourceLookUp, step: AgentStep): LoopGuard {
  const { context, core, inputs, journal } = step
  const { changeRange, label, skipOwnChanges, onOpenPr, prRepository } = inputs
  const { repository, event } = context
  const { kind, numbers, branch, commits, needsRange } = origin
  const subject = 'subject' in event ? event.subject : undefined
  /** A follow-up to what its open pull request has caused would cause the next one, whatever else is let through. */
  const isHere = prRepository === '' || isSameRepository(prRepository, repository)
  const isRollingHere = onOpenPr !== 'new' && isHere
  const unknown = kind !== 'people' && skipOwnChanges && event.sender.isBot ? BY_BOT : undefined

  async function ask(what: string, question: (github: GitHub) => Promise<Ownership>): Promise<string | undefined> {
    const then = unknown === undefined ? 'so it was not skipped' : 'so it was skipped, as a bot started the run'
    // A skipped run is green, and would move the base of the next range past what a person may have changed.
    const mustBeKnown = unknown !== undefined && isChangeWanted(inputs)
    if (step.github === undefined && !mustBeKnown) {
      // Every push asks by default, so a step without a token gets no notice.
      core.log(`${LOST}, ${then}: there is no \`github-token\`.`)
      return unknown
    }
    const answer = async (): Promise<Ownership> => question(openGitHub(step))
    const ownership = mustBeKnown
      ? await orNotSent(LOST, answer, ASK_AGAIN)
      : await journal.orWarn(`${LOST}, ${then}`, answer)
    if (ownership === undefined || ownership === 'unknown') return unknown
    return ownership === 'others' ? undefined : formatOwn(what, ownership)
  }

  /** The branch is made before its pull request is opened. */
  async function checkBranch(name: string, github: GitHub): Promise<Ownership> {
    const [found] = await github.findPullRequestsOfBranch(repository, name, 'open')
    if (found === undefined) return kind === 'change' ? 'others' : 'unknown'
    return (await isOwnPullRequest(found, github, step)) ? [found.number] : 'others'
  }

  async function checkNumbers(github: GitHub): Promise<Ownership> {
    for (const number of numbers)
      if (!(await isOwnPullRequest(await github.readPullRequest({ repository, number }), github, step))) return 'others'
    return numbers
  }

  async function checkEvent(): Promise<string | undefined> {
    // Anybody can begin a comment like that, and then it is theirs that is skipped.
    if (kind === 'ours') return 'This action wrote the comment that started the run.'
    if (kind === 'people' || (!skipOwnChanges && !isRollingHere)) return undefined
    if (kind === 'unknown') {
      if (!skipOwnChanges) return undefined
      journal.notice('Skipped, as the cause of this run is unknown', UNKNOWN_CAUSE)
      return UNKNOWN_CAUSE
    }
    if (skipOwnChanges && hasLabel(label, subject?.labels ?? [])) return formatOwn(OF_EVENT, numbers)
    const isOfCommit = kind === 'other' && commits.length > 0
    const ofItsBranch = kind === 'other' || isRollingHere ? branch : undefined
    if (numbers.length === 0 && !isOfCommit && ofItsBranch === undefined) return kind === 'other' ? unknown : undefined
    return ask(OF_EVENT, async (github) => {
      const ofPullRequests = numbers.length === 0 ? undefined : await checkNumbers(github)
      // A long-lived branch may have a pull request of its own, too.
      if (ofPullRequests !== undefined && (ofPullRequests !== 'others' || branch !== undefined)) return ofPullRequests
      if (isOfCommit) return findOwnChanges(commits, sources, github, step)
      return ofItsBranch === undefined ? 'others' : checkBranch(ofItsBranch, github)
    })
  }

  /**
   * Those that all have to be the agent's, newest first; none if they are not known. Undefined if nothing depends on them, or
   * if they are only a part of the change: a change that was read in part is not the agent's own.
   */
  function listCommits(found: FoundChange | undefined): typeof commits | undefined {
    if (commits.length >= MAX_PUSHED_COMMITS) return undefined
    // The newest commit of a tag does not say whose the others are.
    if (needsRange && found === undefined) return []
    const ofTheEvent = kind === 'change' && (commits.length > 0 || event.sender.isBot) ? commits : undefined
    const isAllPushed = changeRange.kind === 'event' && 'push' in event && event.push !== undefined && !needsRange
    // The pull request that `change-range` names is checked as a whole.
    if (changeRange.kind === 'pull-request') return ofTheEvent
    // A range of its own has nothing to do with the event.
    const isTheirs = changeRange.kind === 'between' && ofTheEvent !== undefined
    if (found === undefined || 'reason' in found || isAllPushed || isTheirs) return ofTheEvent
    // What people say is for the agent, whoever's commits it is about, and so is what was found to be of others.
    const isDecided = subject !== undefined || (kind === 'other' && commits.length > 0)
    if (isDecided || found.repository !== repository || found.unlisted !== undefined) return undefined
    if (found.commits.length < found.totalCommits) return undefined
    const others = found.commits.toReversed().filter(({ sha }) => commits.every((commit) => commit.sha !== sha))
    // What did not come with the event is older than any lag.
    return [...commits, ...others.map((commit) => ({ ...commit, isByPusher: true }))]
  }

  async function checkChange(found: FoundChange | undefined): Promise<string | undefined> {
    const compared = found === undefined || 'reason' in found ? undefined : found
    const requested = compared?.repository === repository ? compared.pullRequest : undefined
    if (skipOwnChanges && requested !== undefined) {
      const own = await ask(OF_CHANGE, async (github) =>
        (await isOwnPullRequest(requested, github, step)) ? [requested.number] : 'others',
      )
      if (own !== undefined) return own
    }
    const listed = skipOwnChanges ? listCommits(found) : undefined
    if (listed === undefined) return undefined
    const among = listed.filter(({ sha }) => compared?.exempt?.commits.has(sha) !== true)
    if (among.length === 0) return unknown
    const what = kind === 'other' ? OF_EVENT : OF_CHANGE
    return ask(what, (github) => findOwnChanges(among, sources, github, step))
  }

  return { needsRange: skipOwnChanges && needsRange, checkEvent, checkChange }
}
