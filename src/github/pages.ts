import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import type { GitHubResponse } from './github-error.ts'
import { all, required } from './read-json.ts'
import { integer, parseResponse, text, withGaps } from './schemas.ts'

/** The most that GitHub gives on one page. */
export const PAGE_SIZE = 100

/** Where a page begins: its number, or in lists that are too long for numbers, the item before it. */
export interface Cursor {
  readonly page?: number
  readonly after?: string
}

/** Takes only the cursor from the `next` link, so that a response cannot redirect paging to another host or endpoint. */
function getNextCursor({ headers: { link = '' } }: GitHubResponse): Cursor | undefined {
  const address = /<([^<>]*)>;[^,]*\brel="next"/.exec(link)?.[1]
  if (address === undefined) return undefined
  const query = new URLSearchParams(address.replace(/^[^?]*/, ''))
  const [page, after] = [query.get('page'), query.get('after')]
  return { ...(page !== null && { page: Number(page) }), ...(after !== null && { after }) }
}

type RequestPage = (cursor: Cursor) => Promise<GitHubResponse>

/** How the items of a response are read: by a schema, or each by a function, where a malformed item rejects the list. */
type Reading<T> =
  { readonly page: z.ZodMiniType<readonly T[]> } | { readonly read: (item: object) => T; readonly name?: string }

type Listing<T> = Reading<T> & {
  readonly mostPages: number
  /** What comes of more pages than these; by default the list is refused, as it is not known whole. */
  readonly past?: 'left'
  /** No page is read after one that has such an item. */
  readonly isLast?: (item: T) => boolean
}

function readItems<T>(response: GitHubResponse, reading: Reading<T>): readonly T[] {
  if ('page' in reading) return parseResponse(reading.page, response)
  return required(all(response, reading.name === undefined ? 'data' : `data.${reading.name}`, reading.read))
}

/**
 * Pages from the first one on, for as long as GitHub names a next one, as one that is not full need not be the last.
 * @throws InvalidResponse if a page cannot be read
 * @throws ActionError `rejected` if there are too many pages
 */
export async function readPages<T>(requestPage: RequestPage, listing: Listing<T>): Promise<readonly (readonly T[])[]> {
  const { mostPages, past, isLast = () => false } = listing
  const pages: (readonly T[])[] = []
  for (let cursor: Cursor | undefined = { page: 1 }; cursor !== undefined;) {
    if (pages.length === mostPages && past === 'left') break
    if (pages.length === mostPages)
      throw new ActionError('rejected', `GitHub has more than ${mostPages * PAGE_SIZE} to list.`)
    const response: GitHubResponse = await requestPage(cursor)
    const page = readItems(response, listing)
    pages.push(page)
    cursor = page.some(isLast) ? undefined : getNextCursor(response)
  }
  return pages
}

/** What is on all of them. */
export async function readAll<T>(requestPage: RequestPage, listing: Listing<T>): Promise<readonly T[]> {
  return (await readPages(requestPage, listing)).flat()
}

/** The first page of a list, and what is known of the rest. */
export interface FirstPage<T> {
  readonly items: readonly T[]
  /** How many more GitHub counts. What is on the page and cannot be read is one of these. */
  readonly missing: number
  /** Whether there may be another page. */
  readonly isFull: boolean
  /** What GitHub makes of all of them, where it does. */
  readonly sum?: string | undefined
}

/**
 * @param name of the list in the response, which stands beside how many GitHub counts
 * @throws InvalidResponse if there is no list
 */
export function toFirstPage<T>(response: GitHubResponse, name: string, item: z.ZodMiniType<T>): FirstPage<T> {
  const page = parseResponse(
    z.pipe(
      z.object({ [name]: withGaps(item) }),
      z.transform((data) => data[name] ?? []),
    ),
    response,
  )
  const { total_count: count, state: sum } = parseResponse(z.object({ total_count: integer, state: text }), response)
  const isWellFormed = (item: T | undefined): item is T => item !== undefined
  const items = page.filter(isWellFormed)
  const isFull = page.length >= PAGE_SIZE || getNextCursor(response) !== undefined
  // Without a count, there is at least one more where there may be another page.
  const counted = count ?? page.length + (isFull ? 1 : 0)
  return { items, missing: Math.max(counted, page.length) - items.length, isFull, sum }
}
