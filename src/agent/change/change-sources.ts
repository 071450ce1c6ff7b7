import { endingAt, within } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { AgentStep } from '../journal.ts'
import { findChangeRange } from './change-range.ts'
import { type Compared, compareWithFallback } from './compare-range.ts'
import { findEventOrigin } from './event-origin.ts'
import type { ChangeFindings } from './resolve-change.ts'
import {
  findSources,
  isOfEvent,
  namesPullRequest,
  openSourceLookUp,
  type SourceLookUp,
} from './source-pull-requests.ts'

/** The people who wrote the commits, by their logins: most commits first, and of as many whoever wrote the newest. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && account.login !== '')
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

const LOST_PEOPLE = 'Could not determine who wrote or approved the change, so these people are not asked for a review'

/** Compares the range if its people are to be asked for a review, and no input needed the comparison before. */
async function compareForPeople(compared: Compared | undefined, step: AgentStep): Promise<Compared | undefined> {
  const { context, inputs, journal } = step
  const { hasAuthors, hasApprovers } = inputs.reviewers
  const isNeeded = hasAuthors || (hasApprovers && !isOfEvent(findEventOrigin(context), step))
  if (compared !== undefined || !isNeeded) return compared
  const range = findChangeRange(context, inputs.changeRange)
  const ask = () => compareWithFallback(range, within(step, step.questions))
  const found = await journal.orWarn(LOST_PEOPLE, ask)
  return found === undefined || 'reason' in found ? undefined : found
}

/** Each costs a request or two, to find out who approved or merged it. */
const MAX_SOURCES = 10
/** The most that all look-ups may take, in milliseconds. */
const SOURCES_MS = 60_000
/** They are only shown, so they may take less. */
const NAMED_MS = 10_000
/** Each may cost a request or more. */
const MAX_NAMED = 5

/** Where the change that started the run came from, for what is done after the prompt. */
interface ChangeSources {
  /** The authors of its commits, by their logins, most commits first; none if they are not to be asked for a review. */
  readonly authors: readonly string[]
  /** The newest pull requests that brought it. @throws ActionError */
  readonly listPullRequests: () => Promise<readonly PullRequestAddress[]>
  /** The newest of them that are known already, or that the message of a commit names. @throws ActionError */
  readonly listNamed: () => Promise<readonly PullRequestAddress[]>
}

/** @throws ActionError `cancelled` */
export async function openChangeSources(found: ChangeFindings, step: AgentStep): Promise<ChangeSources> {
  const { clock, context, deadlineAt, inputs } = step
  const { repository, event } = context
  const compared = await compareForPeople(found.compared, step)
  const origin = findEventOrigin(context)
  const source = compared?.repository ?? repository
  const isOwn = source === repository
  const visibility = isOwn ? event.visibility : undefined
  // After a turn, GitHub knows all that it is going to know.
  const newestFirst = compared?.commits.toReversed() ?? origin.commits
  const commits: readonly EventCommit[] = newestFirst.map((commit) => ({ ...commit, isByPusher: true }))

  function openLookUp(timeMs: number) {
    const brief = endingAt(step, Math.min(clock.now() + timeMs, deadlineAt))
    return openSourceLookUp(source, origin, brief, isOwn ? found.lookedUp : undefined)
  }

  const given =
    compared?.pullRequest !== undefined
      ? [compared.pullRequest]
      : isOfEvent(origin, step)
        ? origin.numbers.map((number) => ({ repository, number, visibility }))
        : undefined
  const toAddresses = (numbers: Iterable<number>): readonly PullRequestAddress[] =>
    [...numbers]
      .filter((number) => compared?.exempt?.numbers.includes(number) !== true)
      .map((number) => ({ repository: source, number, visibility }))

  return {
    authors: inputs.reviewers.hasAuthors ? rankAuthors(compared?.commits ?? []) : [],
    listPullRequests: async () => {
      if (given !== undefined) return given
      const { pullRequests } = await findSources(commits, openLookUp(SOURCES_MS), MAX_SOURCES)
      return toAddresses(pullRequests.keys()).slice(0, MAX_SOURCES)
    },
    listNamed: async () => {
      if (given !== undefined) return given.slice(0, MAX_NAMED)
      const numbers = new Set<number>()
      let confirmDelivery: SourceLookUp | undefined
      let lookUps = 0
      for (const commit of commits) {
        if (numbers.size >= MAX_NAMED) break
        const known = isOwn ? found.lookedUp?.get(commit.sha) : undefined
        if (known === undefined && (!namesPullRequest(commit) || ++lookUps > MAX_NAMED)) continue
        const sources = await (known ?? (confirmDelivery ??= openLookUp(NAMED_MS)).find(commit))
        for (const { number, state } of sources) if (state === 'merged') numbers.add(number)
      }
      return toAddresses(numbers).slice(0, MAX_NAMED)
    },
  }
}
