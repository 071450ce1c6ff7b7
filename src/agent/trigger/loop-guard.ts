import { hasLabel } from '../../github/labels.ts'
import type { GitHub } from '../../github/github.ts'
import type { AgentStep } from '../report/journal.ts'
import type { ChangeRange } from './change-range.ts'
import type { FoundChange } from './compare-range.ts'
import { findEventOrigin } from './event-origin.ts'
import { findOwnChanges, isOwnPullRequest, type Whose } from './own-changes.ts'
import { isChangeWanted } from './wanted-change.ts'

/** Each question tells why the agent is not asked, as a full sentence; undefined if it is. What is not known is a shortfall. */
interface LoopGuard {
  /** Whether it takes the whole range to tell, even if nobody else wants it. */
  readonly needsRange: boolean
  /** By what the event names, in turn: pull requests, its commit, its branch. */
  readonly ofEvent: () => Promise<string | undefined>
  /** By the commits of the change, once that was looked for. */
  readonly ofChange: (range: ChangeRange, found: FoundChange | undefined) => Promise<string | undefined>
}

const LOST = 'Could not tell whether the change is the work of this action'
const OF_BOT =
  "A bot started this run, and it is not known to be about anything but the agent's own work. With `skip-own-changes: false` it would be let through."

const OF_EVENT = "The event is about a pull request that this action's job opened"
const OF_CHANGE = "All of the change came from pull requests that this action's jobs opened"

const formatOwn = (what: string, numbers: readonly number[]): string =>
  `${what}: ${numbers.map((number) => `#${number}`).join(', ')}.`

/** Keeps the agent from being asked by its own work. */
export function openLoopGuard(step: AgentStep): LoopGuard {
  const { context, core, inputs } = step
  const { changeRange, label, skipOwnChanges, onOpenPr, prRepository } = inputs
  const { repository, event } = context
  const origin = findEventOrigin(context)
  const { kind, numbers, branch, commits, needsRange } = origin
  const subject = 'subject' in event ? event.subject : undefined
  /** A follow-up to what its open pull request has caused would cause the next one, whatever else is let through. */
  const isHere = prRepository === '' || prRepository.toLowerCase() === repository.toLowerCase()
  const goesOnHere = onOpenPr !== 'new' && isHere
  const unknown = kind !== 'people' && skipOwnChanges && event.sender.isBot ? OF_BOT : undefined

  async function ask(what: string, question: (github: GitHub) => Promise<Whose>): Promise<string | undefined> {
    const then = unknown === undefined ? 'so it was not skipped' : 'so it was skipped, as a bot started the run'
    const whose = await step.journal.bestEffort(`${LOST}, ${then}`, async () => {
      if (step.github !== undefined) return question(step.github)
      // By default this is asked of every push: whoever gives no token has decided against it.
      core.log(`${LOST}, ${then}: there is no \`github-token\`.`)
      return 'unknown'
    })
    if (whose === undefined || whose === 'unknown') return unknown
    return whose === 'others' ? undefined : formatOwn(what, whose)
  }

  /** The branch is made before its pull request is opened. */
  async function ofBranch(name: string, github: GitHub): Promise<Whose> {
    const state = event.kind === 'branch' && event.isDeleted ? 'all' : 'open'
    const [found] = await github.findPullRequestsOfBranch(repository, name, state)
    if (found === undefined) return kind === 'change' ? 'others' : 'unknown'
    return (await isOwnPullRequest(found, github, step)) ? [found.number] : 'others'
  }

  async function ofNumbers(github: GitHub): Promise<Whose> {
    for (const number of numbers)
      if (!(await isOwnPullRequest(await github.readPullRequest({ repository, number }), github, step))) return 'others'
    return numbers
  }

  async function ofEvent(): Promise<string | undefined> {
    // Anybody can begin a comment like that, and then it is theirs that is passed over.
    if (kind === 'ours') return 'This action wrote the comment that started the run.'
    if (kind === 'people' || (!skipOwnChanges && !goesOnHere)) return undefined
    if (skipOwnChanges && hasLabel(label, subject?.labels ?? [])) return formatOwn(OF_EVENT, numbers)
    const isOfCommit = kind === 'other' && commits.length > 0
    const ofItsBranch = kind === 'other' || goesOnHere ? branch : undefined
    if (numbers.length === 0 && !isOfCommit && ofItsBranch === undefined) return kind === 'other' ? unknown : undefined
    return ask(OF_EVENT, async (github) => {
      const ofPullRequests = numbers.length === 0 ? undefined : await ofNumbers(github)
      // A long-lived branch may have a pull request of its own, too.
      if (ofPullRequests !== undefined && (ofPullRequests !== 'others' || branch !== undefined)) return ofPullRequests
      if (isOfCommit) return findOwnChanges(commits, origin, github, step)
      return ofItsBranch === undefined ? 'others' : ofBranch(ofItsBranch, github)
    })
  }

  /** Those that all have to be the agent's, newest first; none if they are not known. Undefined if nothing hangs on them. */
  function commitsOf(range: ChangeRange, found: FoundChange | undefined): typeof commits | undefined {
    const ofTheEvent = kind === 'change' && (commits.length > 0 || event.sender.isBot) ? commits : undefined
    const isLookingBack = isChangeWanted(inputs) && range.kind === 'since-last-success'
    // What came before the event's own commits is not known then.
    if (found === undefined && isLookingBack) return ofTheEvent === undefined ? undefined : []
    const isAllPushed = changeRange.kind === 'event' && 'push' in event && event.push !== undefined && !needsRange
    // A range of its own has nothing to do with the event.
    const isTheirs = changeRange.kind === 'between' && ofTheEvent !== undefined
    if (found === undefined || 'reason' in found || isAllPushed || isTheirs) return ofTheEvent
    // What people say is for the agent, whoever's commits it is about, and so is what was found to be of others.
    const isDecided = subject !== undefined || (kind === 'other' && commits.length > 0)
    if (isDecided || found.repository !== repository || found.unlisted !== undefined) return undefined
    const others = found.commits.toReversed().filter(({ sha }) => commits.every((commit) => commit.sha !== sha))
    // What did not come with the event is older than any lag.
    return [...commits, ...others.map((commit) => ({ ...commit, isByPusher: true }))]
  }

  async function ofChange(range: ChangeRange, found: FoundChange | undefined): Promise<string | undefined> {
    const among = skipOwnChanges ? commitsOf(range, found) : undefined
    if (among === undefined) return undefined
    if (among.length === 0) return unknown
    const what = kind === 'other' ? OF_EVENT : OF_CHANGE
    return ask(what, (github) => findOwnChanges(among, origin, github, step))
  }

  return { needsRange: skipOwnChanges && needsRange, ofEvent, ofChange }
}
