/** Runs operations on a repository, and reads lists page by page. */
import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import type { Deadline } from '../runtime/deadline.ts'
import { redactAll } from '../text/redact.ts'
import { adviseFineGrainedToken, ErrorResponse, type GitHubResponse, toActionError } from './github-error.ts'
import { integerField, parseResponse, stringField, withGaps } from './schemas.ts'
import { type GitHubOptions, MAX_RETRIES, type Octokit, type RequestPolicy } from './transport.ts'

export interface Api {
  /** Sends the request of a typed route, such as `GET /repos/{owner}/{repo}/pulls/{pull_number}`. */
  readonly request: ReturnType<Octokit['request']['defaults']>
  /** The parameters of every route that name the repository. */
  readonly repo: { readonly owner: string; readonly repo: string }
  /** Sends a GraphQL query. For data that the token cannot read, the response has `errors` instead of `data`. */
  readonly graphql: (query: string) => ReturnType<Octokit['request']>
}

/**
 * Runs one operation on a repository, which may take several requests.
 * @param permission that the operation needs, as a workflow names it, such as `checks: read`
 * @param repository `owner/name`
 * @throws ActionError whose hint names the permission that the token lacks; any other error is a bug in this action
 */
export type Call = <T>(permission: string, repository: string, perform: (api: Api) => Promise<T>) => Promise<T>

/** Creates the call that all resources use: with redacted results, and `ActionError` for every failure. */
export function createCall(
  open: () => Promise<Octokit>,
  deadline: Deadline,
  { apiUrl, clock, redact, token }: Pick<GitHubOptions, 'apiUrl' | 'clock' | 'redact' | 'token'>,
): Call {
  // GitHub Enterprise Server has GraphQL at `/api/graphql`, beside `/api/v3`.
  const baseUrl = apiUrl.replace(/\/v3\/?$/, '')
  return async (permission, repository, perform) => {
    const { signal } = deadline
    signal.throwIfAborted()
    const [owner = '', repo = ''] = repository.split('/')
    try {
      const octokit = await open()
      const request = octokit.request.defaults({ request: { deadline } satisfies RequestPolicy })
      const graphql: Api['graphql'] = (query) =>
        request('POST /graphql', { baseUrl, query, request: { isIdempotent: true } })
      return redactAll(await perform({ request, repo: { owner, repo }, graphql }), redact)
    } catch (error) {
      signal.throwIfAborted()
      const failed = toActionError(error, permission, repository, redact, clock.wallTime())
      throw adviseFineGrainedToken(failed, token, permission)
    }
  }
}

/** GitHub's maximum page size. */
export const PAGE_SIZE = 100

/** The position of a page: its number, or the item before it in lists that are too long for numbers. */
export interface Cursor {
  readonly page?: number
  readonly after?: string
  /** Overrides the page size of the list. */
  readonly per_page?: number
  readonly request?: Omit<RequestPolicy, 'deadline'>
}

/**
 * Takes only the cursor from the `next` link, so that a response cannot redirect paging to another host or endpoint.
 */
export function getNextCursor({ headers: { link = '' } }: GitHubResponse): Cursor | undefined {
  const address = /<([^<>]*)>;[^,]*\brel="next"/.exec(link)?.[1]
  if (address === undefined) return undefined
  const query = new URLSearchParams(address.replace(/^[^?]*/, ''))
  const [page, after] = [query.get('page'), query.get('after')]
  return { ...(page !== null && { page: Number(page) }), ...(after !== null && { after }) }
}

type RequestPage = (cursor: Cursor) => Promise<GitHubResponse>

interface Listing<T> {
  /** Parses a response to its items. */
  readonly page: z.ZodMiniType<readonly T[]>
  readonly maxPages: number
  /** Whether a longer list is cut after `maxPages`. By default it is rejected, because it would be incomplete. */
  readonly canBeCut?: boolean
  /** Whether the item ends the list: no further page is read. */
  readonly isLast?: (item: T) => boolean
}

/** Where pages of the maximum size fail, pages of GitHub's own default size have been reported to work. */
const SMALL_PAGE_SIZE = 30

/** Reads pages from the first one on. All requests have the fields of `all`, and the first one also those of `first`. */
async function readFromStart<T>(
  requestPage: RequestPage,
  { page: pageSchema, maxPages, canBeCut = false, isLast = () => false }: Listing<T>,
  all: Cursor,
  first: Cursor = {},
): Promise<readonly (readonly T[])[]> {
  const pages: (readonly T[])[] = []
  for (let cursor: Cursor | undefined = { page: 1, ...first }; cursor !== undefined;) {
    if (pages.length === maxPages && canBeCut) break
    if (pages.length === maxPages)
      throw new ActionError('rejected', `GitHub has more than ${maxPages * (all.per_page ?? PAGE_SIZE)} items to list.`)
    const response: GitHubResponse = await requestPage({ ...all, ...cursor })
    const page = parseResponse(pageSchema, response)
    pages.push(page)
    cursor = page.some(isLast) ? undefined : getNextCursor(response)
  }
  return pages
}

/**
 * Reads the pages of a list as long as a response links to a next page, because a page that is not full may not be the last. The
 * last retry asks for small pages, from the first one on: large pull requests can be too much for large pages (502), and some
 * servers respond to them with 404, which is believed unless the repository is known to exist.
 * @throws InvalidResponse if a page is malformed
 * @throws ActionError `rejected` if there are too many pages
 */
export async function readPages<T>(requestPage: RequestPage, listing: Listing<T>): Promise<readonly (readonly T[])[]> {
  try {
    return await readFromStart(requestPage, listing, { request: { maxRetries: MAX_RETRIES - 1 } })
  } catch (error) {
    const { status = 0, isInKnownRepository = false } = error instanceof ErrorResponse ? error : {}
    if (status < 500 && !(status === 404 && isInKnownRepository)) throw error
    // A list that is cut is cut earlier, so that its callers can still tell by the number of pages.
    const maxPages =
      listing.canBeCut === true ? listing.maxPages : Math.ceil((listing.maxPages * PAGE_SIZE) / SMALL_PAGE_SIZE)
    const first = status === 404 ? {} : { request: { failuresBefore: MAX_RETRIES } }
    return readFromStart(requestPage, { ...listing, maxPages }, { per_page: SMALL_PAGE_SIZE }, first)
  }
}

/** Reads the items of all pages of a list, as `readPages` does. */
export async function readAll<T>(requestPage: RequestPage, listing: Listing<T>): Promise<readonly T[]> {
  return (await readPages(requestPage, listing)).flat()
}

/** The first page of a list, and how many items are missing. */
export interface FirstPage<T> {
  readonly items: readonly T[]
  /** How many more items GitHub counts, including malformed items on the page. */
  readonly missing: number
  /** Whether there may be another page. */
  readonly isFull: boolean
  /** GitHub's combined state of all items, if the list has one. */
  readonly combinedState?: string | undefined
}

const totalsSchema = z.lazy(() => z.object({ total_count: integerField, state: stringField }))

/**
 * Returns a parser of first pages, which throws `InvalidResponse` if there is no list. Create it once: zod compiles
 * each new schema when it first parses.
 * @param name the field of the response that contains the list
 */
export function createFirstPageParser<T>(
  name: string,
  item: z.ZodMiniType<T>,
): (response: GitHubResponse) => FirstPage<T> {
  const listSchema = z.lazy(() =>
    z.pipe(
      z.object({ [name]: withGaps(item) }),
      z.transform((data) => data[name] ?? []),
    ),
  )
  const isWellFormed = (item: T | undefined): item is T => item !== undefined
  return (response) => {
    const page = parseResponse(listSchema, response)
    const { total_count: total, state: combinedState } = parseResponse(totalsSchema, response)
    const items = page.filter(isWellFormed)
    const isFull = page.length >= PAGE_SIZE || getNextCursor(response) !== undefined
    // Without a total, a next page has at least one item.
    const count = total ?? page.length + (isFull ? 1 : 0)
    return { items, missing: Math.max(count, page.length) - items.length, isFull, combinedState }
  }
}
