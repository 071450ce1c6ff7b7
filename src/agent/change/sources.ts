/** Lists what a change came from, for the history and the reviewers: merged pull requests, and commits without one. */
import { type ActionError, catchExpected } from '../../runtime/errors.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { hasLabel } from '../../github/labels.ts'
import { joinWords } from '../../text/format.ts'
import type { Facts } from '../facts.ts'
import type { ChangeFacts } from './change.ts'
import type { Source } from '../record.ts'
import type { Acts } from '../step.ts'
import type { Compared } from './compare.ts'
import { findEventOrigin, type EventOrigin, REQUEST_EVENT_KINDS } from './event-origin.ts'
import { type ChangeCommit, listEventCommits, mergeCommits, type SourcePullRequest } from './origin.ts'

/** Whether the pull requests of the event are the change, instead of the commits of a range. */
export const isOfEvent = ({ numbers }: EventOrigin, { context: { event }, inputs }: Facts): boolean =>
  inputs.changeRange.kind === 'event' && (numbers.length > 0 || event.kind === 'pull-request')

/** Returns the commits of a change, newest first. */
export function listChangeCommits(compared: Compared | undefined, { context }: Facts): readonly ChangeCommit[] {
  const eventCommits = listEventCommits(context)
  return compared === undefined ? eventCommits : mergeCommits(compared.commits, eventCommits)
}

/** At the same time, so that a long list does not delay the end of the step. */
const MAX_PARALLEL_LOOK_UPS = 8

/** More would only lengthen the history comment, which shows five. */
const MAX_SOURCES = 100

/**
 * Lists what a change came from, newest first: merged pull requests, and commits that were pushed without one. If GitHub fails, or
 * there are too many look-ups, that is reported, and commits whose pull request is unknown are listed as if they had none.
 * @throws ActionError `cancelled`
 */
export async function listSources(change: ChangeFacts, step: Acts): Promise<readonly Source[]> {
  const { context } = step
  const { repository, event } = context
  const { compared, sources } = change
  const origin = findEventOrigin(context)
  if (compared?.pullRequest !== undefined) return [compared.pullRequest]
  if (isOfEvent(origin, step))
    return origin.numbers.map((number) => ({ repository, number, visibility: event.visibility }))
  if (sources === undefined || REQUEST_EVENT_KINDS.includes(event.kind)) return []
  const name = compared?.repository ?? repository
  const location = { repository: name, visibility: isSameRepository(name, repository) ? event.visibility : undefined }
  const commits = listChangeCommits(compared, step)
  let problem: ActionError | undefined
  const find = (commit: ChangeCommit): Promise<readonly SourcePullRequest[]> =>
    sources.find(commit, commits).catch((error: unknown) => {
      problem ??= catchExpected(error)
      return []
    })
  /** A pull request of the agent is no reason for its next one. */
  const isOwn = ({ author, labels }: SourcePullRequest): boolean =>
    author.type === 'Bot' && hasLabel(step.inputs.label, labels)
  const collected: Source[] = []
  const numbers = new Set<number>()
  for (let at = 0; at < commits.length; at += MAX_PARALLEL_LOOK_UPS) {
    const batch = commits.slice(at, at + MAX_PARALLEL_LOOK_UPS)
    for (const [index, pullRequests] of (await Promise.all(batch.map(find))).entries()) {
      const merged = pullRequests.filter(({ state }) => state === 'merged')
      if (merged.length === 0) collected.push({ ...location, sha: batch[index]?.sha ?? '' })
      for (const { number } of merged.filter((source) => !isOwn(source) && !numbers.has(source.number))) {
        numbers.add(number)
        collected.push({ ...location, number })
      }
    }
  }
  if (problem !== undefined) {
    const { label, reviewers } = step.inputs
    const effects = [
      ...(label === '' ? [] : ['the history names commits instead']),
      ...(reviewers.hasApprovers
        ? ['some people who approved these pull requests may not have been asked for a review']
        : []),
    ]
    const unknown = 'Could not determine all pull requests that the change came from'
    step.journal.warn(`${unknown}, so ${joinWords(effects)}`, problem)
  }
  return collected.slice(0, MAX_SOURCES)
}
