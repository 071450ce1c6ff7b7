import * as z from 'zod/mini'
import type { Call } from './call.ts'
import { judgeWriters, WRITER, type Author } from './comment-trust.ts'
import type { Place } from './event-parts.ts'
import { type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { integer, parseResponse, part, skipMalformed, textOrEmpty } from './schemas.ts'

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

/** How every comment begins that this action reads something from. */
export const MARKER_BEGINNING = '<!-- docs-agent-action: '

export interface MarkerComment {
  readonly id: number
  readonly body: string
  readonly author: Author
}

/** Below a pull request, or where an answer to a comment belongs: in its thread, or below its pull request or issue. */
export type CommentPlace = PullRequestAddress | CommentAddress

const commentSchema = z.object({ ...WRITER, id: z.int(), body: textOrEmpty })

/** A comment at one place of a change. */
export type ReviewComment = Readonly<z.infer<typeof reviewCommentSchema>>

const reviewCommentSchema = z.pipe(
  z.object({
    ...{ path: z.string(), start_line: integer, line: integer, diff_hunk: textOrEmpty },
    ...{ body: textOrEmpty, user: part({ id: integer }) },
  }),
  z.transform(({ path, start_line: startLine, line, diff_hunk: hunk, body, user }) => {
    const place: Place = { path, startLine, line, hunk }
    return { ...place, body, authorId: user.id }
  }),
)

const MOST_REVIEW_PAGES = 10
const MOST_PAGES = 50

function permissionFor(access: 'read' | 'write', place: CommentPlace): string {
  return `${'kind' in place && !place.isOnPullRequest ? 'issues' : 'pull-requests'}: ${access}`
}

/** Whether it is a thread at the lines of a change. All other comments are below a pull request or an issue. */
const isThread = (place: CommentPlace): place is CommentAddress => 'kind' in place && place.kind === 'review-comment'

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
  /** @param options `isSentOnce` for a body that is merged with the comment as it was read: a retry would send an outdated one */
  readonly editComment: (
    place: CommentPlace,
    commentId: number,
    body: string,
    options?: { readonly isSentOnce?: boolean },
  ) => Promise<void>
}

export const connectComments = (call: Call): Comments => ({
  addEyes: (comment) =>
    call(permissionFor('write', comment), comment.repository, async ({ request, repo }) => {
      if (comment.kind === 'review') return
      const reaction = { ...repo, comment_id: comment.id, content: 'eyes' } as const
      if (isThread(comment)) await request('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', reaction)
      else await request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', reaction)
    }),
  listReviewComments: (review) =>
    call(permissionFor('read', review), review.repository, ({ request, repo }) => {
      const ofReview = { ...repo, pull_number: review.number, review_id: review.id, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments'
      const limits = { mostPages: MOST_REVIEW_PAGES, past: 'left' } as const
      return readAll((cursor) => request(route, { ...ofReview, ...cursor }), {
        page: skipMalformed(reviewCommentSchema),
        ...limits,
      })
    }),
  listMarkerComments: (place, matters = () => true) =>
    call(permissionFor('read', place), place.repository, async (api) => {
      const { request, repo } = api
      const query = { ...repo, per_page: PAGE_SIZE, ...('kind' in place && { since: place.writtenAt }) }
      const readPage = (cursor: Cursor) =>
        isThread(place)
          ? request('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
              ...{ ...query, pull_number: place.number, ...cursor },
            })
          : request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
              ...{ ...query, issue_number: place.number, ...cursor },
            })
      const comments = await readAll(readPage, { page: skipMalformed(commentSchema), mostPages: MOST_PAGES })
      const found = comments.filter(({ body }) => body.startsWith(MARKER_BEGINNING) && matters(body))
      const authorOf = await judgeWriters(api, found)
      return found.map((comment) => ({ id: comment.id, body: comment.body, author: authorOf(comment) }))
    }),
  readComment: (place, commentId) =>
    call(permissionFor('read', place), place.repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}'
      const response = await request(route, { ...repo, comment_id: commentId })
      return parseResponse(commentSchema, response).body
    }),
  addComment: (place, body) =>
    call(permissionFor('write', place), place.repository, async (api) => {
      // If the response was lost, a retry would add the comment twice: the caller looks it up first.
      const comment = { ...api.repo, body, request: { retries: 0 } }
      const response = isThread(place)
        ? await api.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', {
            ...{ ...comment, pull_number: place.number, comment_id: place.threadId },
          })
        : await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            ...{ ...comment, issue_number: place.number },
          })
      return parseResponse(z.object({ id: integer }), response).id
    }),
  editComment: (place, commentId, body, { isSentOnce = false } = {}) =>
    call(permissionFor('write', place), place.repository, async ({ request, repo }) => {
      const comment = { ...repo, comment_id: commentId, body, request: { isSentOnce } }
      if (isThread(place)) await request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', comment)
      else await request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', comment)
    }),
})
