import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import type { Call } from './call.ts'
import { type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { skipMalformed, textOrEmpty } from './schemas.ts'

const person = z.nullish(z.object({ login: z.string() }))

const eventSchema = z.object({
  event: textOrEmpty,
  user: person,
  requested_reviewer: person,
  requested_team: z.nullish(z.object({ slug: z.string() })),
})

/** Whom an event is about, if it is about a review. */
function toReviewers(event: z.infer<typeof eventSchema>, owner: string): readonly string[] {
  const team = event.requested_team && `${owner}/${event.requested_team.slug}`
  const author = event.event === 'reviewed' ? event.user?.login : undefined
  const reviewer = team ?? event.requested_reviewer?.login ?? author
  return reviewer === undefined ? [] : [reviewer.toLowerCase()]
}

/** A pull request in which more has happened is too old to ask anybody new. */
const MOST_PAGES = 10

export interface Reviewers {
  /**
   * Whoever was asked for a review of a pull request so far, be the request taken back or not, and whoever gave one. In small
   * letters, teams as `org/team`. GitHub keeps it for ever, and nobody else can write it.
   */
  readonly listReviewersSoFar: (pullRequest: PullRequestAddress) => Promise<readonly string[]>
  /**
   * Asks one person, or one team of the owner of the repository.
   * @throws ActionError `rejected` if it cannot be asked, such as who has no access
   */
  readonly requestReview: (pullRequest: PullRequestAddress, name: string) => Promise<void>
}

export const connectReviewers = (call: Call): Reviewers => ({
  listReviewersSoFar: ({ repository, number }) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, issue_number: number, per_page: PAGE_SIZE }
      const readPage = (cursor: Cursor) =>
        request('GET /repos/{owner}/{repo}/issues/{issue_number}/timeline', { ...query, ...cursor })
      // The account of a reviewer may be deleted (`null`). That event is skipped, and all others count.
      const events = await readAll(readPage, { page: skipMalformed(eventSchema), mostPages: MOST_PAGES })
      return events.flatMap((event) => toReviewers(event, repo.owner))
    }),
  requestReview: ({ repository, number }, name) =>
    call('pull-requests: write', repository, async ({ request, repo }) => {
      const [owner = '', team] = name.split('/')
      if (team !== undefined && owner.toLowerCase() !== repo.owner.toLowerCase())
        throw new ActionError('rejected', `A team of another organization than \`${repo.owner}\` cannot be asked.`)
      const reviewers = team === undefined ? { reviewers: [name] } : { team_reviewers: [team] }
      const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers'
      await request(route, { ...repo, pull_number: number, ...reviewers })
    }),
})
