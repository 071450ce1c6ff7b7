import { path, type AskGitHub } from './ask-github.ts'
import { judgeWriters, toWriter, type Author } from './comment-trust.ts'
import { toPlace } from './event-parts.ts'
import { readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { number, object, required, text } from './read-json.ts'

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

const toComment = (comment: object) => ({
  ...toWriter(comment),
  id: required(number(comment, 'id')),
  body: text(comment, 'body') ?? '',
})

/** A comment at one place of a change. */
export type ReviewComment = Readonly<ReturnType<typeof toReviewComment>>

const toReviewComment = (comment: object) => ({
  ...toPlace(comment),
  body: text(comment, 'body') ?? '',
  authorId: number(comment, 'user.id'),
})

const MOST_REVIEW_PAGES = 10
const MOST_PAGES = 50

function permissionFor(access: 'read' | 'write', place: CommentPlace): string {
  return `${'kind' in place && !place.isOnPullRequest ? 'issues' : 'pull-requests'}: ${access}`
}

/** Whether it is a thread at the lines of a change. All other comments are below a pull request or an issue. */
const isThread = (place: CommentPlace): place is CommentAddress => 'kind' in place && place.kind === 'review-comment'

const rootOf = (place: CommentPlace): string => (isThread(place) ? '/pulls' : '/issues')
const listPath = (place: CommentPlace): string => `${rootOf(place)}/${place.number}/comments`
const commentPath = (place: CommentPlace, id: number): string => `${rootOf(place)}/comments/${id}`

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

export const connectComments = (ask: AskGitHub): Comments => ({
  addEyes: (comment) =>
    ask(permissionFor('write', comment), comment.repository, async (api) => {
      if (comment.kind === 'review') return
      await api.send('POST', `${commentPath(comment, comment.id)}/reactions`, { content: 'eyes' })
    }),
  listReviewComments: (review) =>
    ask(permissionFor('read', review), review.repository, async (api) => {
      const listed = { path: path`/pulls/${review.number}/reviews/${review.id}/comments`, mostPages: MOST_REVIEW_PAGES }
      return readAll(api, { ...listed, read: toReviewComment, unreadable: 'left', past: 'left' })
    }),
  listMarkerComments: (place, matters = () => true) =>
    ask(permissionFor('read', place), place.repository, async (api) => {
      const query = 'kind' in place ? { since: place.writtenAt } : {}
      const listed = { path: listPath(place), query, mostPages: MOST_PAGES }
      const comments = await readAll(api, { ...listed, read: toComment, unreadable: 'left' })
      const found = comments.filter(({ body }) => body.startsWith(MARKER_BEGINNING) && matters(body))
      const authorOf = await judgeWriters(api, found)
      return found.map((comment) => ({ id: comment.id, body: comment.body, author: authorOf(comment) }))
    }),
  readComment: (place, commentId) =>
    ask(permissionFor('read', place), place.repository, async (api) => {
      const answer = await api.get(commentPath(place, commentId))
      return required(object(answer, 'data', toComment)).body
    }),
  addComment: (place, body) =>
    ask(permissionFor('write', place), place.repository, async (api) => {
      const listed = listPath(place) + (isThread(place) ? path`/${place.threadId}/replies` : '')
      // If the response was lost, a retry would add the comment twice: the caller looks it up first.
      const answer = await api.send('POST', listed, { body }, { retries: 0 })
      return required(object(answer, 'data', (written) => ({ id: number(written, 'id') }))).id
    }),
  editComment: (place, commentId, body, { isSentOnce = false } = {}) =>
    ask(permissionFor('write', place), place.repository, async (api) => {
      await api.send('PATCH', commentPath(place, commentId), { body }, { isSentOnce })
    }),
})
