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

// Finds out who wrote and approved a change, and which pull requests it came from. Only `compareForPeople` is called before the
// prompt is sent. The other functions are called after the first turn has ended.

const UNKNOWN_PEOPLE =
  'Could not determine who wrote or approved the change, so no review was requested from these people'

/**
 * Compares the range if the inputs request reviews from its authors or approvers, and the range was not compared before.
 * @throws ActionError `cancelled`
 */
export async function compareForPeople(change: ChangeFindings, step: AgentStep): Promise<ChangeFindings> {
  const { context, inputs, journal } = step
  const { hasAuthors, hasApprovers } = inputs.reviewers
  const isNeeded = hasAuthors || (hasApprovers && !isOfEvent(findEventOrigin(context), step))
  if (change.compared !== undefined || !isNeeded) return change
  const range = findChangeRange(context, inputs.changeRange)
  const compare = () => compareWithFallback(range, within(step, step.planningBudget))
  const found = await journal.orWarn(UNKNOWN_PEOPLE, compare)
  return found === undefined || 'reason' in found ? change : { ...change, compared: found }
}

/** Each pull request costs one or two requests, to find out who approved or merged it. */
const MAX_SOURCES = 10
const SOURCES_TIMEOUT_MS = 60_000
/** Shorter, because named sources are only shown. */
const NAMED_SOURCES_TIMEOUT_MS = 10_000
/** Each pull request may cost more than one request. */
const MAX_NAMED = 5

/** What is known without a request about the sources of a change. */
interface KnownSources {
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** The repository of the commits. */
  readonly repository: string
  /** The look-ups of that repository so far. */
  readonly lookedUp: SourceLookUp['found'] | undefined
  /** The pull requests of the complete change; undefined if they must be looked up by commit. */
  readonly pullRequests: readonly PullRequestAddress[] | undefined
}

function listKnownSources({ compared, lookedUp }: ChangeFindings, step: AgentStep): KnownSources {
  const { repository, event } = step.context
  const origin = findEventOrigin(step.context)
  const source = compared?.repository ?? repository
  const newestFirst = compared?.commits.toReversed() ?? origin.commits
  const listEventSources = () => origin.numbers.map((number) => ({ repository, number, visibility: event.visibility }))
  return {
    // After a turn GitHub has recorded the source of every commit, so the look-up need not wait for it.
    commits: newestFirst.map((commit) => ({ ...commit, isByPusher: true })),
    repository: source,
    lookedUp: source === repository ? lookedUp : undefined,
    pullRequests:
      compared?.pullRequest !== undefined
        ? [compared.pullRequest]
        : isOfEvent(origin, step)
          ? listEventSources()
          : undefined,
  }
}

function openLookUp({ repository, lookedUp }: KnownSources, timeoutMs: number, step: AgentStep): SourceLookUp {
  const { clock, context, deadlineAt } = step
  const limited = endingAt(step, Math.min(clock.now() + timeoutMs, deadlineAt))
  return openSourceLookUp(repository, findEventOrigin(context), limited, lookedUp)
}

/** @param exempt the pull requests that `skip-labels` takes out of the change */
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
 * Lists the newest merged pull requests that a change came from, at most ten.
 * @throws ActionError if a request to GitHub fails
 */
export async function listSources(change: ChangeFindings, step: AgentStep): Promise<readonly PullRequestAddress[]> {
  const known = listKnownSources(change, step)
  if (known.pullRequests !== undefined) return known.pullRequests
  const { pullRequests } = await findSources(known.commits, openLookUp(known, SOURCES_TIMEOUT_MS, step), MAX_SOURCES)
  return toAddresses(pullRequests.keys(), known, change.compared?.exempt?.numbers, step).slice(0, MAX_SOURCES)
}

/**
 * Lists the newest merged pull requests that a change came from and that are already known or named in a commit message, at most
 * five.
 * @throws ActionError if a request to GitHub fails
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
    const sources = await (found ?? (lookUp ??= openLookUp(known, NAMED_SOURCES_TIMEOUT_MS, step)).find(commit))
    for (const { number, state } of sources) if (state === 'merged') numbers.add(number)
  }
  return toAddresses(numbers, known, change.compared?.exempt?.numbers, step).slice(0, MAX_NAMED)
}

/** Returns the logins of the people who wrote the commits, most commits first. In a tie, the author of the newest commit wins. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && account.login !== '')
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

const APPROVERS_TIMEOUT_MS = 60_000
const UNKNOWN_APPROVERS = 'Could not determine everybody who approved the change to request their reviews'

async function readApprovers(source: PullRequestAddress, github: GitHub): Promise<readonly string[]> {
  const approvers = await github.listApprovers(source)
  if (approvers.length > 0) return approvers
  const { mergedBy } = await github.readPullRequest(source)
  return mergedBy.type === 'User' && mergedBy.login !== '' ? [mergedBy.login] : []
}

/**
 * Returns the logins of the people who approved the pull requests that a change came from, most pull requests first. For a pull
 * request without an approval, it is the person who merged it. A pull request that cannot be read is reported and skipped.
 * @throws ActionError `cancelled`
 */
async function findApprovers(change: ChangeFindings, step: AgentStep): Promise<readonly string[]> {
  const { journal } = step
  const counts = new Map<string, number>()
  await journal.orWarn(UNKNOWN_APPROVERS, async () => {
    const github = openGitHub(step, APPROVERS_TIMEOUT_MS)
    for (const source of await listSources(change, step)) {
      try {
        for (const login of await readApprovers(source, github)) counts.set(login, (counts.get(login) ?? 0) + 1)
      } catch (caught) {
        const error = rethrowFatal(caught)
        if (failsForAll(error)) throw error
        journal.warn(`Could not determine who approved pull request #${source.number}, to request a review`, error)
      }
    }
  })
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

/**
 * Returns the logins of the people whose reviews the inputs request because they approved or wrote the change: approvers first.
 * @throws ActionError `cancelled`
 */
export async function findPeople(change: ChangeFindings, step: AgentStep): Promise<readonly string[]> {
  const { hasAuthors, hasApprovers } = step.inputs.reviewers
  const approvers = hasApprovers ? await findApprovers(change, step) : []
  return [...approvers, ...(hasAuthors ? rankAuthors(change.compared?.commits ?? []) : [])]
}
