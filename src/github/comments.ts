/** Reads and writes comments and reviews, and decides whose comments are trusted. */
import * as z from 'zod/mini'
import { getSides, type Person, type DiffPosition } from './event.ts'
import { tolerateRefusal } from './github-error.ts'
import { type Api, type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import {
  integerField,
  optionalOrUndefined,
  parseResponse,
  looseObject,
  skipMalformed,
  stringField,
  stringOrEmpty,
} from './schemas.ts'

/** A comment or a review of a person, and where a reply belongs. */
export interface CommentAddress extends PullRequestAddress {
  readonly kind: 'comment' | 'review-comment' | 'review'
  /** The id of the comment or of the review. */
  readonly id: number
  /** The first comment of a thread of review comments, because GitHub rejects replies to replies. */
  readonly threadId: number
  readonly isOnPullRequest: boolean
  /** In GitHub's format. */
  readonly writtenAt: string
}

const commentSchema = z.lazy(() =>
  z.object({
    /** A malformed account counts as deleted, and is not trusted. */
    user: optionalOrUndefined(z.object({ id: z.int(), login: z.string(), type: z.string() })),
    /** Decides only whose permission is looked up first, because GitHub shows private members as outsiders. */
    author_association: stringOrEmpty,
    id: z.int(),
    body: stringOrEmpty,
    updated_at: stringOrEmpty,
  }),
)
const commentsSchema = z.lazy(() => skipMalformed(commentSchema))
type WireComment = Readonly<z.infer<typeof commentSchema>>

/** Without an id, the account that has the login now. */
type PermissionSubject = Pick<Person, 'login'> & Partial<Person>

/**
 * The legacy permissions with write access. GitHub maps every role to one of them, including `maintain` and custom
 * roles.
 */
const WRITE_PERMISSIONS = ['write', 'maintain', 'admin']

const permissionSchema = z.lazy(() => z.object({ permission: z.string(), user: z.nullish(z.object({ id: z.int() })) }))

/** A deleted user has no write access. */
async function readWriteAccess(api: Api, { id, login }: PermissionSubject): Promise<boolean> {
  const { request, repo } = api
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
  const response = await tolerateRefusal(request(route, { ...repo, username: login }), [404])
  if (response === undefined) {
    // The user is missing only if the token has access to the repository.
    await request('GET /repos/{owner}/{repo}', repo)
    return false
  }
  const { permission, user } = parseResponse(permissionSchema, response)
  // A login can pass to another account.
  return (id === undefined || user?.id === id) && WRITE_PERMISSIONS.includes(permission)
}

export interface Permissions {
  /**
   * Returns whether a person has write access (`GET /repos/{owner}/{repo}/collaborators/{username}/permission`).
   * `author_association` is no substitute, because it does not show private members of an organization.
   */
  readonly mayWrite: (repository: string, person: PermissionSubject) => Promise<boolean>
}

export const connectPermissions = (call: Call): Permissions => ({
  mayWrite: (repository, person) => call('metadata: read', repository, (api) => readWriteAccess(api, person)),
})

/** Only the workflows of the repository can write with this name. */
const WORKFLOWS_BOT = 'github-actions[bot]'

/** Each permission lookup is a request, and anybody can comment. */
const MAX_PERMISSION_LOOKUPS = 10

const KNOWN_ASSOCIATIONS = ['OWNER', 'MEMBER', 'COLLABORATOR']

const viewerSchema = z.lazy(() =>
  looseObject({ data: looseObject({ viewer: looseObject({ databaseId: integerField }) }) }),
)

/** Reads the id of the token's user or app (`GET /user` is for users only). Returns `undefined` if it is unknown. */
export async function readOwnId(api: Api): Promise<number | undefined> {
  const response = await tolerateRefusal(api.graphql('query { viewer { databaseId } }'))
  return response && parseResponse(viewerSchema, response).data.viewer.databaseId
}

/**
 * Returns the ids of the trusted authors: the repository's workflows, the token's own user or app, and people with
 * write access. Other apps are not trusted, because anybody can create an app. If an author is trusted without a
 * permission lookup, the other authors do not matter and are not looked up.
 * @param comments oldest first
 */
async function findTrustedAuthors(api: Api, comments: readonly WireComment[]): Promise<readonly number[]> {
  const accounts = comments.flatMap(({ user }) => user ?? [])
  const workflows = accounts.filter(({ type, login }) => type === 'Bot' && login === WORKFLOWS_BOT)
  if (accounts.length === 0 || workflows.length > 0) return workflows.map(({ id }) => id)

  const ownId = await readOwnId(api)
  if (ownId !== undefined && accounts.some(({ id }) => id === ownId)) return [ownId]

  // Owners, members and collaborators first, and among them the newest.
  const rank = ({ author_association: association }: WireComment): number =>
    KNOWN_ASSOCIATIONS.includes(association) ? 0 : 1
  const people = comments
    .toReversed()
    .sort((a, b) => rank(a) - rank(b))
    .flatMap(({ user }) => (user === undefined || user.type === 'Bot' ? [] : user))
  const candidates = [...new Map(people.map((user) => [user.id, user])).values()].slice(0, MAX_PERMISSION_LOOKUPS)
  const mayWrite = await Promise.all(candidates.map((person) => readWriteAccess(api, person)))
  return candidates.flatMap(({ id }, index) => (mayWrite[index] === true ? [id] : []))
}

export interface ListedComment {
  readonly id: number
  readonly body: string
  /** `bot`: an app that may belong to the token of an earlier step, or to anybody. */
  readonly author: 'trusted' | 'bot' | 'untrusted'
  /** The time since it was last written, on GitHub's clock, in milliseconds. Undefined if GitHub does not say. */
  readonly ageMs?: number | undefined
}

/** A comment whose author does not matter. */
export type CurrentComment = Pick<ListedComment, 'body' | 'ageMs'>

/** Below a pull request, or where a reply to a comment belongs: in its thread, or below its pull request or issue. */
export type CommentPlace = PullRequestAddress | CommentAddress

/** Returns the age of a comment. @param date that of the response with the comment */
function readAge({ updated_at: writtenAt }: WireComment, date = ''): Pick<ListedComment, 'ageMs'> {
  const ageMs = Date.parse(date) - Date.parse(writtenAt)
  return Number.isNaN(ageMs) ? {} : { ageMs: Math.max(0, ageMs) }
}

const addedCommentSchema = z.lazy(() => z.object({ id: integerField }))

/** A comment on a line or a file of a change. */
export type ReviewComment = Readonly<z.infer<typeof reviewCommentSchema>>

const reviewCommentSchema = z.lazy(() =>
  z.pipe(
    z.object({
      path: z.string(),
      start_line: integerField,
      line: integerField,
      start_side: stringField,
      side: stringField,
      diff_hunk: stringOrEmpty,
      body: stringOrEmpty,
      user: looseObject({ id: integerField }),
    }),
    z.transform(({ path, start_line: startLine, line, start_side: startSide, side, diff_hunk: hunk, body, user }) => {
      const position: DiffPosition = { path, startLine, line, ...getSides(startSide, side), hunk }
      return { ...position, body, authorId: user.id }
    }),
  ),
)
const reviewCommentsSchema = z.lazy(() => skipMalformed(reviewCommentSchema))

const MAX_REVIEW_PAGES = 10
const MAX_PAGES = 50

function getPermission(access: 'read' | 'write', place: CommentPlace): string {
  return `${'kind' in place && !place.isOnPullRequest ? 'issues' : 'pull-requests'}: ${access}`
}

/** Whether a place is a thread of review comments. All other comments are below a pull request or an issue. */
const isThread = (place: CommentPlace): place is CommentAddress => 'kind' in place && place.kind === 'review-comment'

export interface Comments {
  /**
   * Adds the reaction `eyes` to a comment, once. Does nothing for a review: GitHub's REST API has no reactions to
   * reviews.
   */
  readonly addEyes: (comment: CommentAddress) => Promise<void>
  /** Adds the reaction `eyes` to a pull request, once. */
  readonly addEyesToPullRequest: (pullRequest: PullRequestAddress) => Promise<void>
  /** Lists the comments of a review, oldest first. */
  readonly listReviewComments: (review: CommentAddress) => Promise<readonly ReviewComment[]>
  /**
   * Lists the relevant comments of a place, oldest first. For a reply, only the comments since the comment that it is
   * about.
   * @param isRelevant selects comments by their text; others are left out, and their authors are not looked up
   * @throws ActionError if a request fails or the list is incomplete
   */
  readonly listComments: (
    place: CommentPlace,
    isRelevant: (body: string) => boolean,
  ) => Promise<readonly ListedComment[]>
  /** Reads a comment below a pull request, as it is now. */
  readonly readComment: (pullRequest: PullRequestAddress, commentId: number) => Promise<CurrentComment>
  /**
   * Adds a comment and returns its id. Undefined if the response has no valid id.
   * @throws ActionError if the request fails. If the response was lost, the comment may have been added.
   */
  readonly addComment: (place: CommentPlace, body: string) => Promise<number | undefined>
  /** Replaces the text of a comment. */
  readonly editComment: (place: CommentPlace, commentId: number, body: string) => Promise<void>
}

export const connectComments = (call: Call): Comments => ({
  addEyesToPullRequest: (pullRequest) =>
    call('pull-requests: write', pullRequest.repository, async ({ request, repo }) => {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions'
      await request(route, {
        ...repo,
        issue_number: pullRequest.number,
        content: 'eyes',
        request: { isIdempotent: true },
      })
    }),
  addEyes: (comment) =>
    call(getPermission('write', comment), comment.repository, async ({ request, repo }) => {
      if (comment.kind === 'review') return
      const once = { content: 'eyes', request: { isIdempotent: true } } as const
      const reaction = { ...repo, comment_id: comment.id, ...once }
      if (isThread(comment)) await request('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', reaction)
      else await request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', reaction)
    }),
  listReviewComments: (review) =>
    call(getPermission('read', review), review.repository, ({ request, repo }) => {
      const query = { ...repo, pull_number: review.number, review_id: review.id, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments'
      const limits = { maxPages: MAX_REVIEW_PAGES, canBeCut: true } as const
      return readAll((cursor) => request(route, { ...query, ...cursor }), {
        page: reviewCommentsSchema,
        ...limits,
      })
    }),
  listComments: (place, isRelevant) =>
    call(getPermission('read', place), place.repository, async (api) => {
      const { request, repo } = api
      const query = { ...repo, per_page: PAGE_SIZE, ...('kind' in place && { since: place.writtenAt }) }
      let date: string | undefined
      const readPage = async (cursor: Cursor) => {
        const page = { ...query, ...cursor }
        const response = isThread(place)
          ? await request('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
              ...page,
              pull_number: place.number,
            })
          : await request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
              ...page,
              issue_number: place.number,
            })
        ;({ date } = response.headers)
        return response
      }
      const comments = await readAll(readPage, { page: commentsSchema, maxPages: MAX_PAGES })
      const relevant = comments.filter(({ body }) => isRelevant(body))
      const trusted = await findTrustedAuthors(api, relevant)
      return relevant.map((comment) => {
        const { id, body, user } = comment
        const unproven = user?.type === 'Bot' ? 'bot' : 'untrusted'
        const author = user !== undefined && trusted.includes(user.id) ? 'trusted' : unproven
        return { id, body, author, ...readAge(comment, date) }
      })
    }),
  readComment: (place, commentId) =>
    call(getPermission('read', place), place.repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}'
      const response = await request(route, { ...repo, comment_id: commentId })
      const comment = parseResponse(commentSchema, response)
      return { body: comment.body, ...readAge(comment, response.headers.date) }
    }),
  addComment: (place, body) =>
    call(getPermission('write', place), place.repository, async (api) => {
      const comment = { ...api.repo, body }
      const response = isThread(place)
        ? await api.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', {
            ...comment,
            pull_number: place.number,
            comment_id: place.threadId,
          })
        : await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            ...comment,
            issue_number: place.number,
          })
      return parseResponse(addedCommentSchema, response).id
    }),
  editComment: (place, commentId, body) =>
    call(getPermission('write', place), place.repository, async ({ request, repo }) => {
      const comment = { ...repo, comment_id: commentId, body }
      if (isThread(place)) await request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', comment)
      else await request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', comment)
    }),
})
