import { endingAt, within } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { AgentStep } from '../report/journal.ts'
import { findChangeRange } from './change-range.ts'
import { type Compared, compareWithFallback } from './compare-range.ts'
import { findEventOrigin } from './event-origin.ts'
import type { ChangeFindings } from './resolve-change.ts'
import { findSources, isOfEvent, openSourceLookUp } from './source-pull-requests.ts'

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

/** Where the change that started the run came from, for what is done after the prompt. */
interface ChangeSources {
  /** The authors of its commits, by their logins, most commits first; none if they are not to be asked for a review. */
  readonly authors: readonly string[]
  /** The newest pull requests that brought it. @throws ActionError */
  readonly listPullRequests: () => Promise<readonly PullRequestAddress[]>
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
    return openSourceLookUp(
      source,
      isOwn ? origin : { ...origin, commits: [] },
      brief,
      isOwn ? found.lookedUp : undefined,
    )
  }

  return {
    authors: inputs.reviewers.hasAuthors ? rankAuthors(compared?.commits ?? []) : [],
    listPullRequests: async () => {
      if (compared?.pullRequest !== undefined) return [compared.pullRequest]
      if (isOfEvent(origin, step)) return origin.numbers.map((number) => ({ repository, number, visibility }))
      const { pullRequests } = await findSources(commits, openLookUp(SOURCES_MS), MAX_SOURCES)
      const counted = [...pullRequests.keys()].filter((number) => compared?.exempt?.numbers.includes(number) !== true)
      return counted.slice(0, MAX_SOURCES).map((number) => ({ repository: source, number, visibility }))
    },
  }
}
