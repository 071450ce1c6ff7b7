import * as z from 'zod/mini'
import type { AskGitHub } from './ask-github.ts'
import { judgeWriters, type Author } from './comment-trust.ts'
import type { Need } from './github-error.ts'
import { number, parseAnswer, parseItems, part } from './parse-list.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { followPages, PAGE_SIZE, readPages } from './read-pages.ts'

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

/** How every comment begins that this action reads something from. */
export const MARKER_BEGINNING = '<!-- docs-agent-action: '

export interface MarkerComment {
  readonly id: number
  readonly body: string
  readonly author: Author
}

/** Below a pull request, or where an answer to a comment belongs: in its thread, or below its pull request or issue. */
export type CommentPlace = PullRequestAddress | CommentAddress

const account = z.object({ id: z.number(), login: z.string(), type: z.string() })
const body = z.catch(z.string(), '')
/** An account that is not as GitHub describes it is like one that was deleted: nobody is believed for it. */
const commentSchema = z.object({
  ...{ id: z.number(), body, author_association: z.catch(z.string(), '') },
  user: z.catch(z.nullable(account), null),
})
const reviewCommentSchema = z.object({
  ...{ body, path: z.string(), diff_hunk: z.catch(z.string(), '') },
  ...{ user: part(z.object({ id: number })), line: number, start_line: number },
})

const writtenSchema = z.object({ id: number })

const MOST_REVIEW_PAGES = 10
const MOST_PAGES = 50

function needOf(place: CommentPlace, access: 'read' | 'write'): Need {
  const isIssue = 'kind' in place && !place.isOnPullRequest
  return { permission: `${isIssue ? 'issues' : 'pull-requests'}: ${access}`, repository: place.repository }
}

/** The comment that began the thread, if the place is one. */
const threadOf = (place: CommentPlace): number | undefined =>
  'kind' in place && place.kind === 'review-comment' ? place.threadId : undefined

export interface Comments {
  /** Puts eyes on a comment; there once, however often it is asked for. GitHub's REST interface has no reactions to reviews. */
  readonly addEyes: (comment: CommentAddress) => Promise<void>
  /** The comments that belong to one review, oldest first. */
  readonly listReviewComments: (review: CommentAddress) => Promise<readonly ReviewComment[]>
  /**
   * The comments of a place that begin as a marker does, oldest first; in the place of an answer, those since the comment that
   * it answers.
   * @param matters by the text: of all others it makes no difference who wrote them, so that nobody is asked, and they are left out
   * @throws ActionError also if GitHub does not tell all
   */
  readonly listMarkerComments: (
    place: CommentPlace,
    matters?: (body: string) => boolean,
  ) => Promise<readonly MarkerComment[]>
  /** What a comment below a pull request says by now. */
  readonly readComment: (pullRequest: PullRequestAddress, commentId: number) => Promise<string>
  /**
   * Gives its id, if GitHub tells.
   * @throws ActionError also if the answer was lost
   */
  readonly addComment: (place: CommentPlace, body: string) => Promise<number | undefined>
  readonly editComment: (place: CommentPlace, commentId: number, body: string) => Promise<void>
}

export const connectComments = (ask: AskGitHub): Comments => ({
  addEyes: (address) =>
    ask(needOf(address, 'write'), async ({ rest: { reactions } }, where) => {
      const eyes = { ...where, comment_id: address.id, content: 'eyes' } as const
      if (address.kind === 'comment') await reactions.createForIssueComment(eyes)
      if (address.kind === 'review-comment') await reactions.createForPullRequestReviewComment(eyes)
    }),
  listReviewComments: (review) =>
    ask(needOf(review, 'read'), async ({ rest }, where) => {
      const comments = await readPages(async (page) => {
        const asked = { ...where, pull_number: review.number, review_id: review.id, per_page: PAGE_SIZE, page }
        return (await rest.pulls.listCommentsForReview(asked)).data
      }, MOST_REVIEW_PAGES)
      return parseItems(reviewCommentSchema, comments).map(({ user, body, path, diff_hunk, line, start_line }) => ({
        ...{ authorId: user?.id, body, path, line, startLine: start_line, hunk: diff_hunk },
      }))
    }),
  listMarkerComments: (place, matters = () => true) =>
    ask(needOf(place, 'read'), async (octokit, where) => {
      const { issues, pulls } = octokit.rest
      const since = 'kind' in place ? { since: place.writtenAt } : {}
      const asked = { ...where, ...since, per_page: PAGE_SIZE }
      const comments = await followPages<unknown>(
        (page) =>
          threadOf(place) === undefined
            ? issues.listComments({ ...asked, issue_number: place.number, ...page })
            : pulls.listReviewComments({ ...asked, pull_number: place.number, ...page }),
        MOST_PAGES,
      )
      const found = parseItems(commentSchema, comments).flatMap(
        ({ id, body, user, author_association: association }) =>
          body.startsWith(MARKER_BEGINNING) && matters(body) ? [{ id, body, account: user, association }] : [],
      )
      const authors = await judgeWriters(octokit, where, found)
      return found.map(({ id, body }, index) => ({ id, body, author: authors[index] ?? 'stranger' }))
    }),
  readComment: (place, commentId) =>
    ask(needOf(place, 'read'), async ({ rest }, where) => {
      const { data } = await rest.issues.getComment({ ...where, comment_id: commentId })
      return parseAnswer(commentSchema, data).body
    }),
  addComment: (place, body) =>
    ask(needOf(place, 'write'), async ({ rest: { pulls, issues } }, where) => {
      // One whose answer was lost would be there twice; the next run looks for it first.
      const what = { ...where, body, request: { retries: 0 } }
      const threadId = threadOf(place)
      const { data } = await (threadId === undefined
        ? issues.createComment({ ...what, issue_number: place.number })
        : pulls.createReplyForReviewComment({ ...what, pull_number: place.number, comment_id: threadId }))
      return parseAnswer(writtenSchema, data).id
    }),
  editComment: (place, commentId, body) =>
    ask(needOf(place, 'write'), async ({ rest: { pulls, issues } }, where) => {
      const what = { ...where, comment_id: commentId, body }
      await (threadOf(place) === undefined ? issues.updateComment(what) : pulls.updateReviewComment(what))
    }),
})
