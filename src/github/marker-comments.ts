import type { AskGitHub } from './ask-github.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { listMarkerComments } from './pull-request-marks.ts'
import { splitRepository } from './repository-name.ts'

export interface PullRequestComment {
  readonly id: number
  readonly body: string
  /** What strangers write proves nothing. An app may be the token's own, and the service proves the rest. */
  readonly isTrusted: boolean
}

/**
 * The comments of a pull request that begin as a marker does, those of strangers too, oldest first.
 * @throws ActionError if GitHub does not tell
 */
export async function listComments(
  ask: AskGitHub,
  address: PullRequestAddress,
): Promise<readonly PullRequestComment[]> {
  const comments = await listMarkerComments(ask, address)
  return comments.map(({ id, body, author }) => ({ id, body, isTrusted: author !== 'stranger' }))
}

/** @throws ActionError if the token may not */
export function editComment(ask: AskGitHub, repository: string, commentId: number, body: string): Promise<void> {
  return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
    await rest.issues.updateComment({ ...splitRepository(repository), comment_id: commentId, body })
  })
}
