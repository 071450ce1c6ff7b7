import * as z from 'zod/mini'
import { path, type AskGitHub } from './ask-github.ts'
import { judgeWriters, type Author } from './comment-trust.ts'
import type { Need } from './github-error.ts'
import { number, parseAnswer, parseItems, part } from './parse-answer.ts'
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
  id: z.number(),
  body,
  author_association: z.catch(z.string(), ''),
  user: z.catch(z.nullable(account), null),
})
const reviewCommentSchema = z.object({
  body,
  path: z.string(),
  diff_hunk: z.catch(z.string(), ''),
  user: part(z.object({ id: number })),
  line: number,
  start_line: number,
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

/** What is below a pull request or an issue, or at the lines of a change. */
const listPath = (place: CommentPlace): string =>
  threadOf(place) === undefined ? path`/issues/${place.number}/comments` : path`/pulls/${place.number}/comments`

const commentPath = (place: CommentPlace, commentId: number): string =>
  threadOf(place) === undefined ? path`/issues/comments/${commentId}` : path`/pulls/comments/${commentId}`

export const connectComments = (ask: AskGitHub) => ({
  /** Puts eyes on a comment; there once, however often it is asked for. GitHub's REST interface has no reactions to reviews. */
  addEyes: (address: CommentAddress): Promise<void> =>
    ask(needOf(address, 'write'), async (api) => {
      if (address.kind === 'review') return
      await api.send('POST', `${commentPath(address, address.id)}/reactions`, { content: 'eyes' })
    }),
  /** The comments that belong to one review, oldest first. */
  listReviewComments: (review: CommentAddress): Promise<readonly ReviewComment[]> =>
    ask(needOf(review, 'read'), async (api) => {
      const listed = path`/pulls/${review.number}/reviews/${review.id}/comments`
      const pages = await readPages(api, { path: listed, mostPages: MOST_REVIEW_PAGES, past: 'left' })
      return parseItems(reviewCommentSchema, pages.flat()).map(({ user, diff_hunk, line, start_line, ...comment }) => ({
        ...comment,
        line,
        authorId: user?.id,
        startLine: start_line,
        hunk: diff_hunk,
      }))
    }),
  /**
   * The comments of a place that begin as a marker does, oldest first; in the place of an answer, those since the comment that
   * it answers.
   * @param matters by the text: of all others it makes no difference who wrote them, so that nobody is asked, and they are left out
   * @throws ActionError also if GitHub does not tell all
   */
  listMarkerComments: (
    place: CommentPlace,
    matters: (body: string) => boolean = () => true,
  ): Promise<readonly MarkerComment[]> =>
    ask(needOf(place, 'read'), async (api) => {
      const query = 'kind' in place ? { since: place.writtenAt } : {}
      const pages = await readPages(api, { path: listPath(place), query, mostPages: MOST_PAGES })
      const found = parseItems(commentSchema, pages.flat()).flatMap(
        ({ id, body, user, author_association: association }) =>
          body.startsWith(MARKER_BEGINNING) && matters(body) ? [{ id, body, account: user, association }] : [],
      )
      const authors = await judgeWriters(api, found)
      return found.map(({ id, body }, index) => ({ id, body, author: authors[index] ?? 'stranger' }))
    }),
  /** What a comment below a pull request says by now. */
  readComment: (place: PullRequestAddress, commentId: number): Promise<string> =>
    ask(needOf(place, 'read'), async (api) => {
      const { data } = await api.get(commentPath(place, commentId))
      return parseAnswer(commentSchema, data).body
    }),
  /**
   * Gives its id, if GitHub tells.
   * @throws ActionError also if the answer was lost
   */
  addComment: (place: CommentPlace, body: string): Promise<number | undefined> =>
    ask(needOf(place, 'write'), async (api) => {
      const threadId = threadOf(place)
      const listed =
        threadId === undefined ? listPath(place) : path`/pulls/${place.number}/comments/${threadId}/replies`
      // One whose answer was lost would be there twice; the next run looks for it first.
      const { data } = await api.send('POST', listed, { body }, 0)
      return parseAnswer(writtenSchema, data).id
    }),
  editComment: (place: CommentPlace, commentId: number, body: string): Promise<void> =>
    ask(needOf(place, 'write'), async (api) => {
      await api.send('PATCH', commentPath(place, commentId), { body })
    }),
})
