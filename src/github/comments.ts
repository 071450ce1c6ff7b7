import * as z from 'zod/mini'
import type { Person, Place } from './event.ts'
import { orUndefinedIfRefused } from './github-error.ts'
import { type Api, type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { integer, orUndefined, parseResponse, part, skipMalformed, textOrEmpty } from './schemas.ts'

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

/** Who wrote a comment. `bot`: an app, which may be the one that the token of an earlier step was of, or anybody's. */
type Author = 'trusted' | 'bot' | 'stranger'

/** One that cannot be read is like one that was deleted: nobody is believed for it. */
const accountSchema = z.object({ id: z.int(), login: z.string(), type: z.string() })
type Account = Readonly<z.infer<typeof accountSchema>>

/** What a comment says of its author. */
const WRITER = {
  user: orUndefined(accountSchema),
  /** How GitHub shows them. It shows private members as strangers, so that it only says whom to ask first. */
  author_association: textOrEmpty,
}
interface Writer {
  readonly user?: Account | undefined
  readonly author_association: string
}

/** With this name write the workflows of the repository, and nobody else in it. */
const WORKFLOWS_BOT = 'github-actions[bot]'

/** Past so many people nobody is asked about: anybody can comment, and each question is a request. */
const MAX_ASKED = 10

const NO_STRANGERS = ['OWNER', 'MEMBER', 'COLLABORATOR']

const viewerSchema = part({ data: part({ viewer: part({ databaseId: integer }) }) })

/** Of a user or of an app (`GET /user` is for users only); undefined if GitHub does not tell. */
async function readOwnId(api: Api): Promise<number | undefined> {
  const answer = await orUndefinedIfRefused(api.graphql('query { viewer { databaseId } }'))
  return answer && parseResponse(viewerSchema, answer).data.viewer.databaseId
}

/** Whom to ask about: each once, those whom GitHub shows as belonging to the repository first, and of these the newest first. */
function peopleToAsk(writers: readonly Writer[]): readonly Account[] {
  const rank = ({ author_association: association }: Writer): number => (NO_STRANGERS.includes(association) ? 0 : 1)
  const people = writers
    .toReversed()
    .sort((a, b) => rank(a) - rank(b))
    .flatMap(({ user }) => (user === undefined || user.type === 'Bot' ? [] : user))
  return [...new Map(people.map((user) => [user.id, user])).values()].slice(0, MAX_ASKED)
}

/**
 * Who of those who wrote may be believed in a repository, by their ids: its workflows, the token's own user or app, and people
 * who may write. An app is not believed for being one, as everybody can make one. Where one may be believed, what all others
 * say does not matter, and nobody is asked about them.
 */
async function findTrusted(api: Api, writers: readonly Writer[]): Promise<readonly number[]> {
  const accounts = writers.flatMap(({ user }) => user ?? [])
  const workflows = accounts.filter(({ type, login }) => type === 'Bot' && login === WORKFLOWS_BOT)
  if (accounts.length === 0 || workflows.length > 0) return workflows.map(({ id }) => id)

  const ownId = await readOwnId(api)
  if (ownId !== undefined && accounts.some(({ id }) => id === ownId)) return [ownId]

  const trusted: number[] = []
  // That GitHub refuses to tell is an answer, too.
  for (const person of peopleToAsk(writers))
    if ((await orUndefinedIfRefused(mayWrite(api, person))) === true) trusted.push(person.id)
  return trusted
}

/** @param writers oldest first */
async function classifyAuthors(api: Api, writers: readonly Writer[]): Promise<(writer: Writer) => Author> {
  const trusted = await findTrusted(api, writers)
  return ({ user }) => {
    if (user === undefined) return 'stranger'
    if (trusted.includes(user.id)) return 'trusted'
    return user.type === 'Bot' ? 'bot' : 'stranger'
  }
}

export interface Permissions {
  /**
   * Whether somebody may write (`GET /repos/{owner}/{repo}/collaborators/{username}/permission`). `author_association` does
   * not say: it shows private members of an organisation as strangers.
   */
  readonly mayWrite: (repository: string, person: Asked) => Promise<boolean>
}

export const connectPermissions = (call: Call): Permissions => ({
  mayWrite: (repository, person) => call('metadata: read', repository, (api) => mayWrite(api, person)),
})

export interface ListedComment {
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
    path: z.string(),
    start_line: integer,
    line: integer,
    diff_hunk: textOrEmpty,
    body: textOrEmpty,
    user: part({ id: integer }),
  }),
  z.transform(({ path, start_line: startLine, line, diff_hunk: hunk, body, user }) => {
    const place: Place = { path, startLine, line, hunk }
    return { ...place, body, authorId: user.id }
  }),
)

const MAX_REVIEW_PAGES = 10
const MAX_PAGES = 50

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
   * The comments of a place whose text matters, oldest first; in the place of an answer, those since the comment that it
   * answers. Finding out who wrote a comment takes requests, so the others are left out.
   * @throws ActionError also if GitHub does not tell all
   */
  readonly listComments: (place: CommentPlace, matters: (body: string) => boolean) => Promise<readonly ListedComment[]>
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
      const limits = { maxPages: MAX_REVIEW_PAGES, past: 'left' } as const
      return readAll((cursor) => request(route, { ...ofReview, ...cursor }), {
        page: skipMalformed(reviewCommentSchema),
        ...limits,
      })
    }),
  listComments: (place, matters) =>
    call(permissionFor('read', place), place.repository, async (api) => {
      const { request, repo } = api
      const query = { ...repo, per_page: PAGE_SIZE, ...('kind' in place && { since: place.writtenAt }) }
      const readPage = (cursor: Cursor) =>
        isThread(place)
          ? request('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
              ...query,
              pull_number: place.number,
              ...cursor,
            })
          : request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
              ...query,
              issue_number: place.number,
              ...cursor,
            })
      const comments = await readAll(readPage, { page: skipMalformed(commentSchema), maxPages: MAX_PAGES })
      const found = comments.filter(({ body }) => matters(body))
      const getAuthor = await classifyAuthors(api, found)
      return found.map((comment) => ({ id: comment.id, body: comment.body, author: getAuthor(comment) }))
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
            ...comment,
            pull_number: place.number,
            comment_id: place.threadId,
          })
        : await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            ...comment,
            issue_number: place.number,
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

/** Without an id it is whoever has the login now. */
type Asked = Pick<Person, 'login'> & Partial<Person>

/** The older half of the answer, to which every finer role is mapped: `maintain` and roles of one's own as well. */
const WRITING = ['write', 'maintain', 'admin']

const permissionSchema = z.object({ permission: z.string(), user: z.nullish(z.object({ id: z.int() })) })

/** A user who is gone may not write. */
async function mayWrite(api: Api, { id, login }: Asked): Promise<boolean> {
  const { request, repo } = api
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
  const answer = await orUndefinedIfRefused(request(route, { ...repo, username: login }), [404])
  if (answer === undefined) {
    // It is the user who is gone only if the token sees the repository.
    await request('GET /repos/{owner}/{repo}', repo)
    return false
  }
  const { permission, user } = parseResponse(permissionSchema, answer)
  // A login can pass to somebody else.
  return (id === undefined || user?.id === id) && WRITING.includes(permission)
}
