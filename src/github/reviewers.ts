import { ActionError } from '../runtime/errors.ts'
import { path, type AskGitHub } from './ask-github.ts'
import { readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { optional, required, text } from './read-json.ts'

/** Whom an event is about, if it is about a review. */
function toReviewers(event: object, owner: string): readonly string[] {
  const loginOf = (user: object): string => required(text(user, 'login'))
  const kind = text(event, 'event') ?? ''
  const by = optional(event, 'user', loginOf)
  const person = optional(event, 'requested_reviewer', loginOf)
  const team = optional(event, 'requested_team', (team) => `${owner}/${required(text(team, 'slug'))}`)
  const reviewer = team ?? person ?? (kind === 'reviewed' ? by : undefined)
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

export const connectReviewers = (ask: AskGitHub): Reviewers => ({
  listReviewersSoFar: ({ repository, number }) =>
    ask('pull-requests: read', repository, async (api) => {
      const read = (event: object) => toReviewers(event, api.owner)
      // The account of a reviewer may be deleted (`null`). That event is skipped, and all others count.
      const listing = {
        path: path`/issues/${number}/timeline`,
        read,
        mostPages: MOST_PAGES,
        unreadable: 'left',
      } as const
      return (await readAll(api, listing)).flat()
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
