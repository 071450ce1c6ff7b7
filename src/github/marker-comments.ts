import type { AskGitHub } from './ask-github.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface PullRequestComment {
  readonly id: number
  readonly body: string
  /** Whether an owner, a member, a collaborator or an app wrote it. Others prove nothing by what they write. */
  readonly isTrusted: boolean
}

const TRUSTED = ['OWNER', 'MEMBER', 'COLLABORATOR']
const MOST_PAGES = 10

/**
 * All comments of a pull request, those of strangers too, oldest first.
 * @throws ActionError where GitHub does not tell
 */
export function listComments(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly PullRequestComment[]> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const comments = await readPages(async (page) => {
      const where = { ...splitRepository(repository), issue_number: number, per_page: PAGE_SIZE, page }
      return (await rest.issues.listComments(where)).data
    }, MOST_PAGES)
    return comments.map(({ id, body, user, author_association }) => ({
      id,
      body: body ?? '',
      isTrusted: user?.type === 'Bot' || TRUSTED.includes(author_association),
    }))
  })
}

/** @throws ActionError where the token may not */
export function editComment(ask: AskGitHub, repository: string, commentId: number, body: string): Promise<void> {
  return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
    await rest.issues.updateComment({ ...splitRepository(repository), comment_id: commentId, body })
  })
}
