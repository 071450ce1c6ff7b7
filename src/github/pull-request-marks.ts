import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'
import type { PullRequestAddress } from './pull-requests.ts'

/** A comment by an owner, a member, a collaborator, or an app; others could forge what is read from it. */
export interface TrustedComment {
  readonly body: string
}

const LABEL_COLOUR = '5319e7'
const LABEL_DESCRIPTION = 'Opened by a docs agent job'
const TRUSTED = ['OWNER', 'MEMBER', 'COLLABORATOR']
const MOST_COMMENT_PAGES = 5

function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof Error && 'status' in error && statuses.some((status) => status === error.status)
}

/**
 * Puts a label on a pull request, and makes it first where the repository does not know it.
 * @throws ActionError where the token may not
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

/** @throws ActionError where GitHub does not tell */
export function listTrustedComments(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly TrustedComment[]> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const comments = await readPages(async (page) => {
      const where = { ...splitRepository(repository), issue_number: number, per_page: PAGE_SIZE, page }
      return (await rest.issues.listComments(where)).data
    }, MOST_COMMENT_PAGES)
    return comments
      .filter(({ user, author_association }) => user?.type === 'Bot' || TRUSTED.includes(author_association))
      .map(({ body }) => ({ body: body ?? '' }))
  })
}

/** @throws ActionError where the token may not */
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
