import type { AskGitHub, Octokit } from './ask-github.ts'
import type { Need } from './github-error.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

/** Something that a person wrote, and where an answer to it belongs. */
export interface CommentAddress extends PullRequestAddress {
  readonly kind: 'comment' | 'review-comment' | 'review'
  /** Of the comment or of the review. */
  readonly id: number
  /** The comment that began the thread of a review comment: GitHub takes no replies to replies. */
  readonly threadId: number
  readonly isOnPullRequest: boolean
  /** As GitHub writes times. */
  readonly writtenAt: string
}

/** A comment at one place of a change. */
export interface ReviewComment extends Place {
  readonly authorId: number | undefined
  readonly body: string
}

export interface Place {
  readonly path: string
  /** Undefined if it is about the whole file, or its lines are no longer there. */
  readonly startLine: number | undefined
  readonly line: number | undefined
  readonly hunk: string
}

const TRUSTED = ['OWNER', 'MEMBER', 'COLLABORATOR']
const MOST_PAGES = 10

function needOf({ repository, isOnPullRequest }: CommentAddress, access: 'read' | 'write'): Need {
  return { permission: `${isOnPullRequest ? 'pull-requests' : 'issues'}: ${access}`, repository }
}

/**
 * Puts eyes on a comment; there once, however often it is asked for. GitHub's REST interface has no reactions to reviews.
 * @throws ActionError if the token may not
 */
export function addEyes(ask: AskGitHub, address: CommentAddress): Promise<void> {
  const where = { ...splitRepository(address.repository), comment_id: address.id, content: 'eyes' } as const
  return ask(needOf(address, 'write'), async ({ rest: { reactions } }) => {
    if (address.kind === 'comment') await reactions.createForIssueComment(where)
    if (address.kind === 'review-comment') await reactions.createForPullRequestReviewComment(where)
  })
}

/**
 * The comments that belong to one review, oldest first.
 * @throws ActionError if GitHub does not tell
 */
export function listReviewComments(ask: AskGitHub, review: CommentAddress): Promise<readonly ReviewComment[]> {
  const { repository, number, id } = review
  return ask(needOf(review, 'read'), async ({ rest }) => {
    const comments = await readPages(async (page) => {
      const where = { ...splitRepository(repository), pull_number: number, review_id: id, per_page: PAGE_SIZE, page }
      return (await rest.pulls.listCommentsForReview(where)).data
    }, MOST_PAGES)
    return comments.map(({ user, body, path, diff_hunk, line, start_line }) => ({
      authorId: user?.id,
      body,
      path,
      line,
      startLine: start_line ?? undefined,
      hunk: diff_hunk,
    }))
  })
}

/** Comments of the place to which the reply goes, since the one that it answers. */
async function readComments({ rest }: Octokit, address: CommentAddress, page: number) {
  const { repository, number, kind, writtenAt: since } = address
  const where = { ...splitRepository(repository), since, per_page: PAGE_SIZE, page }
  return kind === 'review-comment'
    ? (await rest.pulls.listReviewComments({ ...where, pull_number: number })).data
    : (await rest.issues.listComments({ ...where, issue_number: number })).data
}

/**
 * The id of a reply that begins with `marker`. One by somebody who does not belong to the repository is none of ours.
 * @throws ActionError if GitHub does not tell
 */
export function findReply(ask: AskGitHub, address: CommentAddress, marker: string): Promise<number | undefined> {
  return ask(needOf(address, 'read'), async (octokit) => {
    const comments = await readPages<Awaited<ReturnType<typeof readComments>>[number]>(
      (page) => readComments(octokit, address, page),
      MOST_PAGES,
    )
    return comments.find(
      ({ user, author_association, body }) =>
        body?.startsWith(marker) === true && (user?.type === 'Bot' || TRUSTED.includes(author_association)),
    )?.id
  })
}

/**
 * Writes a reply: in the thread of a review comment, else below the pull request or the issue.
 * @throws ActionError if the token may not, and if the answer was lost
 */
export function addReply(ask: AskGitHub, address: CommentAddress, body: string): Promise<void> {
  const { repository, number, kind, threadId } = address
  // One whose answer was lost would be there twice.
  const what = { ...splitRepository(repository), body, request: { retries: 0 } }
  return ask(needOf(address, 'write'), async ({ rest: { pulls, issues } }) => {
    if (kind === 'review-comment')
      await pulls.createReplyForReviewComment({ ...what, pull_number: number, comment_id: threadId })
    else await issues.createComment({ ...what, issue_number: number })
  })
}

/**
 * Writes a reply anew.
 * @throws ActionError if the token may not
 */
export function editReply(ask: AskGitHub, address: CommentAddress, replyId: number, body: string): Promise<void> {
  const what = { ...splitRepository(address.repository), comment_id: replyId, body }
  return ask(needOf(address, 'write'), async ({ rest: { pulls, issues } }) => {
    await (address.kind === 'review-comment' ? pulls.updateReviewComment(what) : issues.updateComment(what))
  })
}
