import { openGitHub } from '../../action/step.ts'
import { findHead, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { ActionError, orNotSent } from '../../runtime/errors.ts'
import type { AgentStep } from '../journal.ts'
import { type FoundChange, isChangeWanted } from './compare-range.ts'
import type { EventOrigin } from './event-origin.ts'
import { openOwnWork, type OwnWork } from './own-work.ts'
import { matchCommits, MAX_LOOK_UPS, type SourceLookUp } from './source-pull-requests.ts'

/**
 * The numbers of the pull requests that a change came from, if this action's jobs opened all of them. `agent`: it has no pull
 * request yet, and an account of the agent pushed it. `others`: some of it is the work of others; `direct`: some of it came
 * without a pull request, which is mostly the work of others. `too-many`: more commits than are looked up.
 */
type Ownership = readonly number[] | 'agent' | 'others' | 'direct' | 'unknown' | 'too-many'

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
  { isOwn }: OwnWork,
  step: AgentStep,
): Promise<Ownership> {
  const own = new Set<number>()
  const explained = new Set<string>()
  let lookUps = 0
  for (const commit of commits) {
    if (explained.has(commit.sha)) continue
    if (++lookUps > MAX_LOOK_UPS) {
      step.core.log(`Too many of the ${commits.length} commits came from elsewhere to look up each.`)
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
      // Commits of others on it may have come with another pull request, too.
      const isByAgent = ({ account: { login } }: PullRequestCommit): boolean => login !== '' && owners.has(login)
      for (const sha of matchCommits(listed, commit, commits, isByAgent)) explained.add(sha)
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
const OF_AGENT =
  'An account that opened earlier pull requests of this action has pushed the branch, which has no pull request yet.'
const TOO_MANY = `more than ${MAX_LOOK_UPS} of its commits came from elsewhere.`
const ASK_FOR_LESS =
  '`change-range: BASE...HEAD` sends the change in parts, and `skip-own-changes: false` leaves this check out.'

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
    switch (ownership) {
      case 'too-many':
        if (mustBeKnown) throw new ActionError('not-sent', `${LOST}: ${TOO_MANY}`, { hint: ASK_FOR_LESS })
        return unknown
      case undefined:
      case 'unknown':
        return unknown
      case 'others':
      case 'direct':
        return undefined
      case 'agent':
        return OF_AGENT
      default:
        return formatOwn(what, ownership)
    }
  }

  const ownWork = openOwnWork(step)

  /** The branch is made before its pull request is opened. */
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

  /** A push to a branch that has no pull request yet may be the agent's, as far as all commits came with it. */
  async function checkCommits(among: readonly EventCommit[]): Promise<Ownership> {
    const ownership = await findOwnChanges(among, sources, ownWork, step)
    const isPushed = kind === 'change' && among.every(({ sha }) => commits.some((commit) => commit.sha === sha))
    return ownership === 'direct' && branch !== undefined && isPushed ? ownWork.judgeBranch(branch) : ownership
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
      if (isOfCommit) return checkCommits(commits)
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
      const own = await ask(OF_CHANGE, async () => ((await ownWork.isOwn(requested)) ? [requested.number] : 'others'))
      if (own !== undefined) return own
    }
    const listed = skipOwnChanges ? listCommits(found) : undefined
    if (listed === undefined) return undefined
    const among = listed.filter(({ sha }) => compared?.exempt?.commits.has(sha) !== true)
    if (among.length === 0) return unknown
    const what = kind === 'other' ? OF_EVENT : OF_CHANGE
    return ask(what, () => checkCommits(among))
  }

  return { needsRange: skipOwnChanges && needsRange, checkEvent, checkChange }
}
