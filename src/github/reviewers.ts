import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { path, type AskGitHub } from './ask-github.ts'
import { text } from './parse-answer.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { readPages } from './pages.ts'

const person = z.nullish(z.object({ login: z.string() }))
/** One that cannot be read may be about somebody who does not want to be asked again, so that none is left out. */
const eventsSchema = z.array(
  z.object({
    ...{ event: text, user: person, requested_reviewer: person },
    requested_team: z.nullish(z.object({ slug: z.string() })),
  }),
)

type TimelineEvent = z.infer<typeof eventsSchema>[number]

/** Whom an event is about, if it is about a review. */
function reviewerIn({ event = '', user, requested_reviewer: one, requested_team: team }: TimelineEvent, owner: string) {
  if (team) return `${owner}/${team.slug}`
  if (one) return one.login
  if (event.startsWith('review_request')) throw new TypeError('A request for a review is for nobody.')
  return event === 'reviewed' ? user?.login : undefined
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

export const connectReviewers = (ask: AskGitHub): Reviewers => ({
  listReviewersSoFar: ({ repository, number }) =>
    ask('pull-requests: read', repository, async (api) => {
      const listing = { path: path`/issues/${number}/timeline`, schema: eventsSchema, mostPages: MOST_PAGES }
      const names = (await readPages(api, listing)).flat().map((event) => reviewerIn(event, api.owner))
      return names.flatMap((name) => name?.toLowerCase() ?? [])
    }),
  requestReview: ({ repository, number }, name) =>
    ask('pull-requests: write', repository, async (api) => {
      const [owner = '', team] = name.split('/')
      if (team !== undefined && owner.toLowerCase() !== api.owner.toLowerCase())
        throw new ActionError('rejected', `A team of another organization than \`${api.owner}\` cannot be asked.`)
      const whom = team === undefined ? { reviewers: [name] } : { team_reviewers: [team] }
      await api.send('POST', path`/pulls/${number}/requested_reviewers`, whom)
    }),
})
