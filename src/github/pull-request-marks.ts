import { ActionError } from '../shared/errors.ts'
import type { AskGitHub } from './ask-github.ts'
import { createTrust, type Author } from './comment-trust.ts'
import { hasStatus } from './github-error.ts'
import { PAGE_SIZE } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'
import type { PullRequestAddress } from './pull-requests.ts'

/** How every comment begins that this action reads something from. */
export const MARKER_BEGINNING = '<!-- docs-agent-action: '

export interface MarkerComment {
  readonly id: number
  readonly body: string
  readonly author: Author
}

const LABEL_COLOUR = '5319e7'
const LABEL_DESCRIPTION = 'Opened by a docs agent job'
const MOST_COMMENT_PAGES = 50

/**
 * Puts a label on a pull request, and makes it first where the repository does not know it.
 * @throws ActionError if the token may not
 */
export function addLabel(ask: AskGitHub, { repository, number }: PullRequestAddress, label: string): Promise<void> {
  const where = splitRepository(repository)
  return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
    try {
      await rest.issues.getLabel({ ...where, name: label })
    } catch (error) {
      if (!hasStatus(error, 404)) throw error
      await rest.issues
        .createLabel({ ...where, name: label, color: LABEL_COLOUR, description: LABEL_DESCRIPTION })
        .catch((refusal: unknown) => {
          // Somebody else made it meanwhile.
          if (!hasStatus(refusal, 422)) throw refusal
        })
    }
    await rest.issues.addLabels({ ...where, issue_number: number, labels: [label] })
  })
}

/**
 * The comments of a pull request that begin as a marker does, by anybody, oldest first. Pages are followed by GitHub's links,
 * as one that is not full need not be the last.
 * @throws ActionError if GitHub does not tell, or does not tell all
 */
export function listMarkerComments(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly MarkerComment[]> {
  return ask({ permission: 'pull-requests: read', repository }, async (octokit) => {
    const where = { ...splitRepository(repository), issue_number: number, per_page: PAGE_SIZE }
    const judge = createTrust(octokit, repository)
    const found: MarkerComment[] = []
    for (let page = 1; page <= MOST_COMMENT_PAGES; page++) {
      const { data, headers } = await octokit.rest.issues.listComments({ ...where, page })
      if (!Array.isArray(data)) throw new TypeError('A page of comments is no list.')
      for (const { id, body, user } of data) {
        if (body?.startsWith(MARKER_BEGINNING) === true) found.push({ id, body, author: await judge(user) })
      }
      if (!/\brel="next"/.test(headers.link ?? '')) return found
    }
    throw new ActionError('rejected', `GitHub has more than ${MOST_COMMENT_PAGES * PAGE_SIZE} comments to list.`)
  })
}

/** @throws ActionError if the token may not */
export function addComment(ask: AskGitHub, { repository, number }: PullRequestAddress, body: string): Promise<void> {
  return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
    await rest.issues.createComment({
      ...splitRepository(repository),
      issue_number: number,
      body,
      // A comment whose answer was lost would be there twice; the next run looks for it first.
      request: { retries: 0 },
    })
  })
}
