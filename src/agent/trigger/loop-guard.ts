import type { GitHub } from '../../github/github.ts'
import type { EventCommit } from '../../github/event-parts.ts'
import { hasLabel } from '../../github/labels.ts'
import { pausesBefore, pollUntil } from '../../runtime/poll.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Journal } from '../report/journal.ts'
import type { Compared } from './compare-range.ts'
import { findEventOrigin } from './event-origin.ts'
import { findOwnChanges, type Bringer, type OwnChangesQuery } from './own-changes.ts'
import { isOwnPullRequest } from './own-pull-request.ts'

export interface GitHubUntil {
  readonly github: GitHub
  /** On the clock's scale: nothing is asked after it. */
  readonly endsAt: number
}

/** Each tells why the agent is not asked, as a full sentence; undefined if it is. What is not known is a shortfall. */
export interface LoopGuard {
  /** Whether only the change tells whether the event is the agent's own work. */
  readonly asksOfChange: boolean
  /** Whether it takes the whole range to tell, even if nobody else wants it. */
  readonly needsRange: boolean
  /** Where the change cannot be found out. */
  readonly ofUnknown: string | undefined
  readonly ofEvent: () => Promise<string | undefined>
  /** Of the commits that came with the event. */
  readonly ofItsCommits: () => Promise<string | undefined>
  readonly ofRange: (compared: Compared) => Promise<string | undefined>
}

/** Questions that come before the job get this much of the step's time, in milliseconds, and no more than half of it. */
const QUESTIONS_MS = 120_000
/** Up to a minute and a half: a label is put on as soon as the step that waits for the job has seen its end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
/** Up to a minute: as long as GitHub may take to know all that a merge brought. */
const LAG_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000]
/** For as long, in milliseconds, a pull request is new: its run may have waited for a runner, and the job's end comes later. */
const NEW_FOR_MS = 300_000

const LOST = 'Whether the change is the work of this action is not known'
const OF_BOT =
  "A bot started this run, and it is not known to be about anything but the agent's own work. With `skip-own-changes: false` it would be let through."

const listNumbers = (numbers: readonly number[]): string => numbers.map((number) => `#${number}`).join(', ')

const formatEvent = (numbers: readonly number[]): string =>
  `The event is about a pull request that this action's job opened: ${listNumbers(numbers)}.`

/**
 * Whom to ask before the job, and until when; undefined if there is no token.
 * @throws ActionError if GitHub's client cannot be started
 */
export async function openQuestions({ timeoutMs }: AgentInputs, step: Step): Promise<GitHubUntil | undefined> {
  const endsAt = step.startedAt + Math.min(QUESTIONS_MS, timeoutMs / 2)
  const github = await step.github()
  return github && { github: github.until(endsAt), endsAt }
}

/** Keeps the agent from being asked by its own work. */
export function openLoopGuard(inputs: AgentInputs, step: Step, journal: Journal): LoopGuard {
  const { label, skipOwnChanges, onOpenPr, prRepository } = inputs
  const { context, clock, core } = step
  const { repository, event } = context
  const isByBot = event.sender.isBot
  const origin = findEventOrigin(context)
  const { kind, numbers, branch, pushed, commits } = origin
  /** A follow-up to what its open pull request has caused would cause the next one, whatever else is let through. */
  const isHere = prRepository === '' || prRepository.toLowerCase() === repository.toLowerCase()
  const goesOnHere = onOpenPr !== 'new' && isHere
  const isGuarded = kind !== 'people' && (skipOwnChanges || goesOnHere)
  const unknown = isGuarded && skipOwnChanges && isByBot ? OF_BOT : undefined

  async function ask(question: (asked: GitHubUntil) => Promise<string | undefined>): Promise<string | undefined> {
    const then = unknown === undefined ? 'so it was not skipped' : 'so it was skipped, as a bot started the run'
    const answer = await journal.bestEffort(`${LOST}, ${then}`, async () => {
      const asked = await openQuestions(inputs, step)
      if (asked !== undefined) return { reason: await question(asked) }
      // By default this is asked of every push: whoever gives no token has decided against it.
      core.log(`${LOST}, ${then}: there is no \`github-token\`.`)
      return undefined
    })
    return answer === undefined ? unknown : answer.reason
  }

  /** A label and a marker may still come, if an app opened the pull request. */
  async function isOwn(pullRequest: Bringer, { github, endsAt }: GitHubUntil): Promise<boolean> {
    const { number, author, state, createdAt } = pullRequest
    const isOpen = state !== 'merged' && state !== 'closed'
    if (!isOpen && !skipOwnChanges) return false
    const isNew = author.type === 'Bot' && clock.wallTime().getTime() - Date.parse(createdAt) < NEW_FOR_MS
    const mayBeUnmarked = label !== '' && isOpen && (isNew || (pushed !== undefined && isByBot))
    let labels: readonly string[] | undefined = pullRequest.labels
    const look = (): Promise<boolean> => {
      const told = labels
      labels = undefined
      return isOwnPullRequest({ repository, number }, label, github, told)
    }
    return pollUntil(look, Boolean, pausesBefore(mayBeUnmarked ? MARK_PAUSES_MS : [], endsAt, clock), step)
  }

  async function ofCommits(among: readonly EventCommit[], asked: GitHubUntil): Promise<string | undefined> {
    const isAboutCommits = pushed === undefined && commits.length > 0
    const lagEndsAt = Math.min(asked.endsAt, clock.now() + 60_001)
    const again: OwnChangesQuery['askAgain'] = (look, willDo) =>
      pollUntil(look, willDo, pausesBefore(LAG_PAUSES_MS, lagEndsAt, clock), step)
    const answer = await findOwnChanges(
      {
        ...{ repository, commits: among, pushed, isAboutCommits },
        branch: isAboutCommits ? branch : undefined,
        isOwn: (pullRequest) => isOwn(pullRequest, asked),
        askAgain: commits.length === 0 ? undefined : again,
      },
      asked.github,
    )
    if (answer.kind === 'too-many')
      core.log(`Too many of the ${among.length} commits came from elsewhere to look up each.`)
    if (answer.kind !== 'own') return answer.kind === 'too-many' ? unknown : undefined
    if (kind === 'other') return formatEvent(answer.numbers)
    return `All of the change came from pull requests that this action's jobs opened: ${listNumbers(answer.numbers)}.`
  }

  /** The branch is made before its pull request is opened. */
  async function ofBranch(name: string, asked: GitHubUntil): Promise<string | undefined> {
    const state = event.kind === 'branch' && event.isDeleted ? 'all' : 'open'
    const [found] = await asked.github.findPullRequestsOfBranch(repository, name, state)
    if (found === undefined) return kind === 'change' ? undefined : unknown
    return (await isOwn(found, asked)) ? formatEvent([found.number]) : undefined
  }

  async function ofNumbers(asked: GitHubUntil): Promise<string | undefined> {
    for (const number of numbers)
      if (!(await isOwn(await asked.github.readPullRequest({ repository, number }), asked))) return undefined
    return formatEvent(numbers)
  }

  /** By what it names, in turn: pull requests, its commit, its branch. */
  async function ofEvent(): Promise<string | undefined> {
    // Anybody can begin a comment like that, and then it is theirs that is passed over.
    if (kind === 'ours') return 'This action wrote the comment that started the run.'
    if (!isGuarded) return undefined
    if (skipOwnChanges && hasLabel(label, origin.labels)) return formatEvent(numbers)
    const isOfCommit = kind === 'other' && commits.length > 0
    const ofItsBranch = kind === 'other' || goesOnHere ? branch : undefined
    if (numbers.length === 0 && !isOfCommit && ofItsBranch === undefined) return kind === 'other' ? unknown : undefined
    return ask(async (asked) => {
      const ofPullRequests = numbers.length === 0 ? undefined : await ofNumbers(asked)
      // A long-lived branch may have a pull request of its own, too.
      if (ofPullRequests !== undefined || (numbers.length > 0 && branch !== undefined)) return ofPullRequests
      if (isOfCommit) return ofCommits(commits, asked)
      return ofItsBranch === undefined ? undefined : ofBranch(ofItsBranch, asked)
    })
  }

  const isOfChange = skipOwnChanges && isGuarded && kind === 'change'

  async function ofRange({ repository: of, comparison, unlisted }: Compared): Promise<string | undefined> {
    // What people say is for the agent, whoever's commits it is about, and so is what was found to be of others.
    const isSaid = 'subject' in event && event.subject !== undefined
    const isDecided = isSaid || (kind === 'other' && commits.length > 0)
    if (!skipOwnChanges || isDecided || of !== repository || unlisted !== undefined) return undefined
    const others = comparison.commits.toReversed().filter(({ sha }) => commits.every((commit) => commit.sha !== sha))
    // What did not come with the event is older than any lag.
    const among = [...commits, ...others.map((commit) => ({ ...commit, isByPusher: true }))]
    return among.length === 0 ? unknown : ask((asked) => ofCommits(among, asked))
  }

  return {
    asksOfChange: isOfChange && (commits.length > 0 || isByBot),
    needsRange: isOfChange && origin.needsRange,
    ofUnknown: isOfChange ? unknown : undefined,
    ofEvent,
    ofItsCommits: async () => {
      if (!isOfChange || commits.length === 0) return isOfChange ? unknown : undefined
      return ask((asked) => ofCommits(commits, asked))
    },
    ofRange,
  }
}

/**
 * Why the event itself is not for the agent, before anything else is asked; undefined if it is. A step that attaches sends
 * nothing, and one with `command` hears people only.
 */
export async function findOwnEvent(inputs: AgentInputs, step: Step, journal: Journal): Promise<string | undefined> {
  if (inputs.task.kind === 'attach' || inputs.command !== '') return undefined
  return openLoopGuard(inputs, step, journal).ofEvent()
}
