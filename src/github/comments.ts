import * as z from 'zod/mini'
import { path, type AskGitHub } from './ask-github.ts'
import { judgeWriters, writerSchema, type Author } from './comment-trust.ts'
import { itemsOf, number, parseAnswer, part } from './parse-answer.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { readPages } from './pages.ts'

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

const commentSchema = z.object({ ...writerSchema.shape, id: z.number(), body: z.catch(z.string(), '') })
const reviewCommentSchema = z.pipe(
  z.object({
    body: z.catch(z.string(), ''),
    path: z.string(),
    diff_hunk: z.catch(z.string(), ''),
    user: part(z.object({ id: number })),
    line: number,
    start_line: number,
  }),
  z.transform(({ user, diff_hunk: hunk, line, start_line: startLine, ...comment }) => ({
    ...{ ...comment, authorId: user?.id, line, startLine, hunk },
  })),
)
/** A comment at one place of a change. */
export type ReviewComment = Place & Readonly<z.infer<typeof reviewCommentSchema>>

const writtenSchema = z.object({ id: number })

const MOST_REVIEW_PAGES = 10
const MOST_PAGES = 50

function permissionFor(access: 'read' | 'write', place: CommentPlace): string {
  return `${'kind' in place && !place.isOnPullRequest ? 'issues' : 'pull-requests'}: ${access}`
}

/** Whether it is a thread at the lines of a change. All other comments are below a pull request or an issue. */
const isThread = (place: CommentPlace): place is CommentAddress => 'kind' in place && place.kind === 'review-comment'

const listPath = (place: CommentPlace): string =>
  path`/${isThread(place) ? 'pulls' : 'issues'}/${place.number}/comments`

const commentPath = (place: CommentPlace, commentId: number): string =>
  path`/${isThread(place) ? 'pulls' : 'issues'}/comments/${commentId}`

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
  addEyes: (comment) =>
    ask(permissionFor('write', comment), comment.repository, async (api) => {
      if (comment.kind === 'review') return
      await api.send('POST', `${commentPath(comment, comment.id)}/reactions`, { content: 'eyes' })
    }),
  listReviewComments: (review) =>
    ask(permissionFor('read', review), review.repository, async (api) => {
      const listed = { path: path`/pulls/${review.number}/reviews/${review.id}/comments`, mostPages: MOST_REVIEW_PAGES }
      const pages = await readPages(api, { ...listed, schema: itemsOf(reviewCommentSchema), past: 'left' })
      return pages.flat()
    }),
  listMarkerComments: (place, matters = () => true) =>
    ask(permissionFor('read', place), place.repository, async (api) => {
      const query = 'kind' in place ? { since: place.writtenAt } : {}
      const listing = { path: listPath(place), query, schema: itemsOf(commentSchema), mostPages: MOST_PAGES }
      const comments = (await readPages(api, listing)).flat()
      const found = comments.filter(({ body }) => body.startsWith(MARKER_BEGINNING) && matters(body))
      const authorOf = await judgeWriters(api, found)
      return found.map((comment) => ({ id: comment.id, body: comment.body, author: authorOf(comment) }))
    }),
  readComment: (place, commentId) =>
    ask(permissionFor('read', place), place.repository, async (api) => {
      const { data } = await api.get(commentPath(place, commentId))
      return parseAnswer(commentSchema, data).body
    }),
  addComment: (place, body) =>
    ask(permissionFor('write', place), place.repository, async (api) => {
      const listed = isThread(place) ? path`/pulls/${place.number}/comments/${place.threadId}/replies` : listPath(place)
      // One whose answer was lost would be there twice; the next run looks for it first.
      const { data } = await api.send('POST', listed, { body }, 0)
      return parseAnswer(writtenSchema, data).id
    }),
  editComment: (place, commentId, body) =>
    ask(permissionFor('write', place), place.repository, async (api) => {
      await api.send('PATCH', commentPath(place, commentId), { body })
    }),
})
