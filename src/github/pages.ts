import type * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import type { Query, RepositoryApi } from './ask-github.ts'
import { parseItems } from './parse-answer.ts'
import type { Answer } from './send.ts'

/** The most that GitHub gives on one page. */
export const PAGE_SIZE = 100

/** @throws TypeError if it is no list: a page to sign in is none */
function listIn(data: unknown, name?: string): readonly unknown[] {
  const list = name === undefined ? data : (data as Readonly<Record<string, unknown>>)[name]
  if (!(list instanceof Array)) throw new TypeError('A page is not a list.')
  return list as readonly unknown[]
}

/** Of the address only these are taken, so that it leads to no other host and no other list. */
function nextPlace({ headers: { link = '' } }: Answer): Query | undefined {
  const address = /<([^<>]*)>;[^,]*\brel="next"/.exec(link)?.[1]
  if (address === undefined) return undefined
  const query = new URLSearchParams(address.replace(/^[^?]*/, ''))
  const [page, after] = [query.get('page'), query.get('after')]
  // In lists that are too long for numbers a page is behind an entry.
  return { ...(page !== null && { page }), ...(after !== null && { after }) }
}

interface Listing {
  readonly path: string
  readonly query?: Query
  /** Of the list in its answer, if it stands beside something else. */
  readonly name?: string
  readonly mostPages: number
  /** What comes of more pages than these; by default the list is refused, as it is not known whole. */
  readonly past?: 'left'
}

/**
 * Pages from the first one on, for as long as GitHub names a next one, as one that is not full need not be the last.
 * @throws TypeError if a page is no list
 * @throws ActionError `rejected` if there are too many pages
 */
export async function* pagesOf(api: RepositoryApi, listing: Listing): AsyncGenerator<readonly unknown[]> {
  const { path, query = {}, name, mostPages, past } = listing
  let place: Query | undefined = { page: 1 }
  for (let left = mostPages; place !== undefined; left--) {
    if (left === 0 && past === 'left') return
    if (left === 0) throw new ActionError('rejected', `GitHub has more than ${mostPages * PAGE_SIZE} to list.`)
    const answer: Answer = await api.get(path, { per_page: PAGE_SIZE, ...query, ...place })
    yield listIn(answer.data, name)
    place = nextPlace(answer)
  }
}

/** All of them, each as a list. */
export async function readPages(api: RepositoryApi, listing: Listing): Promise<readonly (readonly unknown[])[]> {
  const pages: (readonly unknown[])[] = []
  for await (const page of pagesOf(api, listing)) pages.push(page)
  return pages
}

/** The first page of a list, and what is known of the rest. */
export interface FirstPage<T> {
  readonly items: readonly T[]
  /** How many more GitHub counts. What is on the page and cannot be read is one of these. */
  readonly missing: number
  /** Whether there may be another page. */
  readonly isFull: boolean
}

/**
 * @param name of the list in the answer, which stands beside how many GitHub counts
 * @throws TypeError if there is no list
 */
export function parseFirstPage<T>(schema: z.ZodMiniType<T>, answer: Answer, name: string): FirstPage<T> {
  const { total_count: total } = answer.data as { readonly total_count?: unknown }
  const page = listIn(answer.data, name)
  const items = parseItems(schema, page)
  const isFull = page.length >= PAGE_SIZE || nextPlace(answer) !== undefined
  // Without a count, there is at least one more where there may be another page.
  const counted = typeof total === 'number' ? total : page.length + (isFull ? 1 : 0)
  return { items, missing: Math.max(counted, page.length) - items.length, isFull }
}
