import { ActionError } from '../runtime/errors.ts'
import type { Query, RepositoryApi } from './ask-github.ts'
import type { Answer } from './octokit.ts'
import { all, items, list, number, required, text } from './read-json.ts'

/** The most that GitHub gives on one page. */
export const PAGE_SIZE = 100

/** Of the address only these are taken, so that it leads to no other host and no other list. */
function nextPlace({ headers: { link = '' } }: Answer): Query | undefined {
  const address = /<([^<>]*)>;[^,]*\brel="next"/.exec(link)?.[1]
  if (address === undefined) return undefined
  const query = new URLSearchParams(address.replace(/^[^?]*/, ''))
  const [page, after] = [query.get('page'), query.get('after')]
  // In lists that are too long for numbers a page is behind an entry.
  return { ...(page !== null && { page }), ...(after !== null && { after }) }
}

interface Listing<T> {
  readonly path: string
  readonly query?: Query
  /** Of the list in its answer, if it stands beside something else. */
  readonly name?: string
  /** What is made of an item. */
  readonly read: (item: object) => T
  /** What comes of items that cannot be read; by default the list is refused, as one of them may be the one that matters. */
  readonly unreadable?: 'left'
  readonly mostPages: number
  /** What comes of more pages than these; by default the list is refused, as it is not known whole. */
  readonly past?: 'left'
  /** No page is read after one that has such an item. */
  readonly isLast?: (item: T) => boolean
}

/**
 * Pages from the first one on, for as long as GitHub names a next one, as one that is not full need not be the last.
 * @throws InvalidResponse if a page cannot be read
 * @throws ActionError `rejected` if there are too many pages
 */
export async function readPages<T>(api: RepositoryApi, listing: Listing<T>): Promise<readonly (readonly T[])[]> {
  const { path, query = {}, name, read, unreadable, mostPages, past, isLast = () => false } = listing
  const listed = name === undefined ? 'data' : `data.${name}`
  const pages: (readonly T[])[] = []
  for (let place: Query | undefined = { page: 1 }; place !== undefined;) {
    if (pages.length === mostPages && past === 'left') break
    if (pages.length === mostPages)
      throw new ActionError('rejected', `GitHub has more than ${mostPages * PAGE_SIZE} to list.`)
    const answer: Answer = await api.get(path, { per_page: PAGE_SIZE, ...query, ...place })
    const page = required((unreadable === 'left' ? items : all)(answer, listed, read))
    pages.push(page)
    place = page.some(isLast) ? undefined : nextPlace(answer)
  }
  return pages
}

/** What is on all of them. */
export async function readAll<T>(api: RepositoryApi, listing: Listing<T>): Promise<readonly T[]> {
  return (await readPages(api, listing)).flat()
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
 * @param name of the list in the answer, which stands beside how many GitHub counts
 * @param read what is made of an item
 * @throws InvalidResponse if there is no list
 */
export function toFirstPage<T>(answer: Answer, name: string, read: (item: object) => T): FirstPage<T> {
  const page = required(list(answer, `data.${name}`, read))
  const found = page.filter((item) => item !== undefined)
  const isFull = page.length >= PAGE_SIZE || nextPlace(answer) !== undefined
  // Without a count, there is at least one more where there may be another page.
  const counted = number(answer, 'data.total_count') ?? page.length + (isFull ? 1 : 0)
  const missing = Math.max(counted, page.length) - found.length
  return { items: found, missing, isFull, sum: text(answer, 'data.state') }
}
