/** `reviewers`: whom to request reviews of the pull request from, and the request. Hides who approved and wrote a change. */
import { requireGitHubAtEnd, requireGitHub } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { orUndefined, catchExpected } from '../../runtime/errors.ts'
import { isPerson } from '../change/origin.ts'
import { isOfEvent } from '../change/sources.ts'
import { findChangeRange } from '../change/range.ts'
import { findEventOrigin } from '../change/event-origin.ts'
import { compareWithFallback } from '../change/compare.ts'
import type { ChangeFacts } from '../change/change.ts'
import type { Facts, RequestedReviewers } from '../facts.ts'
import type { Source, Turn } from '../record.ts'
import type { Acts } from '../step.ts'
import { failsForAll } from '../../github/github-error.ts'
import { type Input, linesField, toItems, rejectInput, isGiven } from '../../action/inputs.ts'

/**
 * A login, which may end with an enterprise's short code or in `[bot]`, or a team. GitHub requests a review from its own reviewer
 * only by the login with `[bot]` (mfittko/dev-loops#1918). A leading `@` is accepted, because people copy mentions.
 */
const NAME = /^@?([A-Za-z0-9][\w-]{0,99}(?:\[bot\]|\/\w[\w.-]{0,99})?)$/

/** GitHub's limit for one pull request. */
const MAX_NAMES = 15

const AUTHORS = 'change-authors'

const APPROVERS = 'change-reviewers'

export const reviewersInput: Input<RequestedReviewers> = (text, raw) => {
  const given = toItems(text)
  const wrong = given.filter(({ item }) => !NAME.test(item))
  if (wrong.length > 0)
    return rejectInput(
      ...wrong.map(({ at }) => `${at} must be \`${AUTHORS}\`, \`${APPROVERS}\`, a login or \`org/team\``),
    )
  const items = given.map(({ item }) => item)
  const names = items.filter((item) => item !== AUTHORS && item !== APPROVERS).map((item) => item.replace('@', ''))
  if (names.length > MAX_NAMES) return rejectInput(`has more than ${MAX_NAMES} names, which is GitHub's limit`)
  if (given.length > 0 && !isGiven(raw, 'github-token')) return rejectInput('needs `github-token` to request reviews')
  return { hasAuthors: items.includes(AUTHORS), hasApprovers: items.includes(APPROVERS), names }
}

export const REVIEWERS_FIELDS = { reviewers: linesField('reviewers', reviewersInput) }

/** With more reviewers, nobody feels responsible. */
const MAX_PEOPLE = 5

const lower = (name: string): string => name.toLowerCase()

/**
 * Requests reviews of an open pull request, all with one request; if GitHub refuses that, one by one. A reviewer who cannot be
 * asked is a warning.
 * @param people the logins of people who approved or wrote the change that started the run, most relevant first
 * @throws ActionError `cancelled`
 */
export async function requestReviews(pullRequest: PullRequest, people: readonly string[], step: Acts): Promise<void> {
  const { inputs, journal } = step
  const author = lower(pullRequest.author.login)
  const wanted = [...inputs.reviewers.names, ...people.slice(0, MAX_PEOPLE)].filter((name) => lower(name) !== author)
  const reviewers = [...new Map(wanted.map((name) => [lower(name), name])).values()]
  const github = requireGitHubAtEnd(step)
  const request = async (names: readonly string[]): Promise<true> => {
    await github.requestReviews(pullRequest, names)
    journal.note(`Requested a review from ${names.map((name) => `\`${name}\``).join(', ')}.`)
    return true
  }
  const isAccepted = reviewers.length > 1 && (await orUndefined(request(reviewers)))
  if (isAccepted === true) return
  for (const name of reviewers) await journal.orWarn(`No review was requested from \`${name}\``, () => request([name]))
}

/** Whether to request reviews after the newest turn. A fix round requests none, because it works on the same pull request. */
export function needsReviews(pullRequest: PullRequest, turns: readonly Turn[], { inputs }: Facts): boolean {
  const { hasAuthors, hasApprovers, names } = inputs.reviewers
  const hasReviewers = hasAuthors || hasApprovers || names.length > 0
  const { job, effect } = turns.at(-1) ?? {}
  const hasWork = job?.status === 'completed' && effect?.kind !== 'unchanged' && effect?.kind !== 'none'
  return hasReviewers && turns.length === 1 && hasWork && isOpen(pullRequest)
}

// Finds out who wrote and approved a change, and which pull requests it came from. Only `compareForPeople` is called before the
// prompt is sent. The other functions are called after the first turn has ended.

const UNKNOWN_PEOPLE =
  'Could not determine who wrote or approved the change, so no review was requested from these people'

/**
 * Compares the range if the inputs request reviews from its authors or approvers, and the range was not compared before.
 * @throws ActionError `cancelled`
 */
export async function compareForPeople(change: ChangeFacts, step: Acts): Promise<ChangeFacts> {
  const { context, inputs, journal } = step
  const { hasAuthors, hasApprovers } = inputs.reviewers
  const isNeeded = hasAuthors || (hasApprovers && !isOfEvent(findEventOrigin(context), step))
  if (change.compared !== undefined || !isNeeded) return change
  const range = findChangeRange(context, inputs.changeRange)
  const compared = await journal.orWarn(UNKNOWN_PEOPLE, () => compareWithFallback(range, step))
  return compared === undefined || 'reason' in compared ? change : { ...change, compared }
}

/** Each pull request costs one or two requests, to find out who approved or merged it. */
const MAX_APPROVED = 10

/** Returns the logins of the people who wrote the commits, most commits first. In a tie, the author of the newest commit wins. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && isPerson(account.login))
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

const UNKNOWN_APPROVERS = 'Could not determine everybody who approved the change to request their reviews'

/**
 * Returns the logins of the people who approved the pull requests that a change came from, most pull requests first. For a pull
 * request without an approval, it is the person who merged it. A pull request that cannot be read is reported and skipped.
 * @throws ActionError `cancelled`
 */
async function findApprovers(sources: readonly Source[], step: Acts): Promise<readonly string[]> {
  const { journal } = step
  const counts = new Map<string, number>()
  const pullRequests = sources.flatMap(({ repository, number }) =>
    number === undefined ? [] : [{ repository, number }],
  )
  await journal.orWarn(UNKNOWN_APPROVERS, async () => {
    const github = requireGitHub(step)
    for (const source of pullRequests.slice(0, MAX_APPROVED)) {
      try {
        let approvers = await github.listApprovers(source)
        if (approvers.length === 0) {
          const { mergedBy } = await github.readPullRequest(source)
          if (mergedBy.type === 'User' && mergedBy.login !== '') approvers = [mergedBy.login]
        }
        for (const login of approvers) counts.set(login, (counts.get(login) ?? 0) + 1)
      } catch (caught) {
        const error = catchExpected(caught)
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
export async function findPeople(
  change: ChangeFacts,
  sources: readonly Source[],
  step: Acts,
): Promise<readonly string[]> {
  const { hasAuthors, hasApprovers } = step.inputs.reviewers
  const approvers = hasApprovers ? await findApprovers(sources, step) : []
  return [...approvers, ...(hasAuthors ? rankAuthors(change.compared?.commits ?? []) : [])]
}
