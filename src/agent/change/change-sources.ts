import { endingAt, openGitHub, within } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import { failsForAll } from '../../github/github-error.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import { rethrowFatal } from '../../runtime/errors.ts'
import type { AgentStep } from '../journal.ts'
import { findChangeRange } from './change-range.ts'
import { compareWithFallback } from './compare-range.ts'
import { findEventOrigin } from './event-origin.ts'
import type { ChangeFindings } from './resolve-change.ts'
import {
  findSources,
  isOfEvent,
  namesPullRequest,
  openSourceLookUp,
  type SourceLookUp,
} from './source-pull-requests.ts'

// Where a change came from: who wrote and approved it, and which pull requests brought it. Only `compareForPeople` is called
// before the prompt; the others look up what the inputs ask for after the first turn has ended.

const LOST_PEOPLE = 'Could not determine who wrote or approved the change, so these people are not asked for a review'

/**
 * Compares the range if its people are to be asked for a review, and no input needed the comparison before.
 * @throws ActionError `cancelled`
 */
export async function compareForPeople(change: ChangeFindings, step: AgentStep): Promise<ChangeFindings> {
  const { context, inputs, journal } = step
  const { hasAuthors, hasApprovers } = inputs.reviewers
  const isNeeded = hasAuthors || (hasApprovers && !isOfEvent(findEventOrigin(context), step))
  if (change.compared !== undefined || !isNeeded) return change
  const range = findChangeRange(context, inputs.changeRange)
  const compare = () => compareWithFallback(range, within(step, step.questions))
  const found = await journal.orWarn(LOST_PEOPLE, compare)
  return found === undefined || 'reason' in found ? change : { ...change, compared: found }
}

/** Each costs a request or two, to find out who approved or merged it. */
const MAX_SOURCES = 10
/** The most that all look-ups may take, in milliseconds. */
const SOURCES_MS = 60_000
/** They are only shown, so they may take less. */
const NAMED_MS = 10_000
/** Each may cost a request or more. */
const MAX_NAMED = 5

/** What is known without a request of where a change came from. */
interface KnownSources {
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** The repository that has them. */
  readonly repository: string
  /** The look-ups of that repository so far. */
  readonly lookedUp: SourceLookUp['found'] | undefined
  /** The pull requests that brought all of it; undefined if only the commits can tell. */
  readonly pullRequests: readonly PullRequestAddress[] | undefined
}

function listKnownSources({ compared, lookedUp }: ChangeFindings, step: AgentStep): KnownSources {
  const { repository, event } = step.context
  const origin = findEventOrigin(step.context)
  const source = compared?.repository ?? repository
  const newestFirst = compared?.commits.toReversed() ?? origin.commits
  const ofEvent = () => origin.numbers.map((number) => ({ repository, number, visibility: event.visibility }))
  return {
    // After a turn, GitHub knows all that it is going to know.
    commits: newestFirst.map((commit) => ({ ...commit, isByPusher: true })),
    repository: source,
    lookedUp: source === repository ? lookedUp : undefined,
    pullRequests:
      compared?.pullRequest !== undefined ? [compared.pullRequest] : isOfEvent(origin, step) ? ofEvent() : undefined,
  }
}

function openLookUp({ repository, lookedUp }: KnownSources, timeMs: number, step: AgentStep): SourceLookUp {
  const { clock, context, deadlineAt } = step
  const brief = endingAt(step, Math.min(clock.now() + timeMs, deadlineAt))
  return openSourceLookUp(repository, findEventOrigin(context), brief, lookedUp)
}

/** @param exempt what came with a label of `skip-labels`, which is none of the change */
function toAddresses(
  numbers: Iterable<number>,
  { repository }: KnownSources,
  exempt: readonly number[] = [],
  { context }: AgentStep,
): readonly PullRequestAddress[] {
  const visibility = repository === context.repository ? context.event.visibility : undefined
  return [...numbers].filter((number) => !exempt.includes(number)).map((number) => ({ repository, number, visibility }))
}

/**
 * The newest pull requests that brought a change.
 * @throws ActionError if GitHub does not tell
 */
export async function listSources(change: ChangeFindings, step: AgentStep): Promise<readonly PullRequestAddress[]> {
  const known = listKnownSources(change, step)
  if (known.pullRequests !== undefined) return known.pullRequests
  const { pullRequests } = await findSources(known.commits, openLookUp(known, SOURCES_MS, step), MAX_SOURCES)
  return toAddresses(pullRequests.keys(), known, change.compared?.exempt?.numbers, step).slice(0, MAX_SOURCES)
}

/**
 * The newest pull requests that brought a change and are known already, or that the message of a commit names.
 * @throws ActionError if GitHub does not tell
 */
export async function listNamedSources(
  change: ChangeFindings,
  step: AgentStep,
): Promise<readonly PullRequestAddress[]> {
  const known = listKnownSources(change, step)
  if (known.pullRequests !== undefined) return known.pullRequests.slice(0, MAX_NAMED)
  const numbers = new Set<number>()
  let lookUp: SourceLookUp | undefined
  let lookUps = 0
  for (const commit of known.commits) {
    if (numbers.size >= MAX_NAMED) break
    const found = known.lookedUp?.get(commit.sha)
    if (found === undefined && (!namesPullRequest(commit) || ++lookUps > MAX_NAMED)) continue
    const sources = await (found ?? (lookUp ??= openLookUp(known, NAMED_MS, step)).find(commit))
    for (const { number, state } of sources) if (state === 'merged') numbers.add(number)
  }
  return toAddresses(numbers, known, change.compared?.exempt?.numbers, step).slice(0, MAX_NAMED)
}

/** The people who wrote the commits, by their logins: most commits first, and of as many whoever wrote the newest. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && account.login !== '')
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

/** The most that finding out who approved the change may take, in milliseconds. */
const APPROVERS_MS = 60_000
const LOST_APPROVERS = 'Not everybody who approved the change is known, to be asked for a review'

async function readApprovers(source: PullRequestAddress, github: GitHub): Promise<readonly string[]> {
  const approvers = await github.listApprovers(source)
  if (approvers.length > 0) return approvers
  const { mergedBy } = await github.readPullRequest(source)
  return mergedBy.type === 'User' && mergedBy.login !== '' ? [mergedBy.login] : []
}

/**
 * The people who approved the pull requests that a change came from, and of each that nobody approved, who merged it: most
 * pull requests first. One that cannot be read is reported and costs no other one.
 * @throws ActionError `cancelled`
 */
async function findApprovers(change: ChangeFindings, step: AgentStep): Promise<readonly string[]> {
  const { journal } = step
  const counts = new Map<string, number>()
  await journal.orWarn(LOST_APPROVERS, async () => {
    const github = openGitHub(step, APPROVERS_MS)
    for (const source of await listSources(change, step)) {
      try {
        for (const login of await readApprovers(source, github)) counts.set(login, (counts.get(login) ?? 0) + 1)
      } catch (caught) {
        const error = rethrowFatal(caught)
        if (failsForAll(error)) throw error
        journal.warn(`Who approved pull request #${source.number} is not asked for a review`, error)
      }
    }
  })
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

/**
 * Who approved or wrote a change, as far as the inputs ask for their reviews, by their logins, the likeliest reviewers first.
 * @throws ActionError `cancelled`
 */
export async function findPeople(change: ChangeFindings, step: AgentStep): Promise<readonly string[]> {
  const { hasAuthors, hasApprovers } = step.inputs.reviewers
  const approvers = hasApprovers ? await findApprovers(change, step) : []
  return [...approvers, ...(hasAuthors ? rankAuthors(change.compared?.commits ?? []) : [])]
}
