import { ActionError } from '../runtime/errors.ts'

/** The most that GitHub gives on one page. */
export const PAGE_SIZE = 100

/**
 * Reads pages from the first one on until one is not full, or `maxPages` are read.
 * @throws TypeError if a page is no list: a page to sign in is a text, and a text has a length too
 */
export async function readPages<T>(
  readPage: (page: number) => Promise<readonly T[]>,
  maxPages: number,
): Promise<readonly T[]> {
  let items: readonly T[] = []
  for (let page = 1; page <= maxPages; page++) {
    const found = await readPage(page)
    if (!(found instanceof Array)) throw new TypeError('A page is no list.')
    items = [...items, ...found]
    if (found.length < PAGE_SIZE) break
  }
  return items
}

interface LinkedPage<T> {
  readonly data: readonly T[]
  readonly headers: { readonly link?: string | undefined }
}

/** Where a page is: by its number, and in lists that are too long for numbers behind an entry. */
interface PagePlace {
  readonly page?: number
  readonly after?: string
}

/** Of the address only these are taken, so that it leads to no other host and no other list. */
function nextPlace(link = ''): PagePlace | undefined {
  const address = /<([^<>]*)>;[^,]*\brel="next"/.exec(link)?.[1]
  if (address === undefined) return undefined
  const query = new URLSearchParams(address.replace(/^[^?]*/, ''))
  const [page, after] = [query.get('page'), query.get('after')]
  return { ...(page === null ? {} : { page: Number(page) }), ...(after === null ? {} : { after }) }
}

/**
 * Reads pages from the first one on for as long as GitHub names a next one, as one that is not full need not be the last.
 * @throws TypeError if a page is no list
 * @throws ActionError `rejected` if there are more pages than `maxPages`
 */
export async function followPages<T>(
  readPage: (place: PagePlace) => Promise<LinkedPage<T>>,
  maxPages: number,
): Promise<readonly T[]> {
  let items: readonly T[] = []
  let place: PagePlace | undefined = { page: 1 }
  for (let pages = 0; place !== undefined; pages++) {
    if (pages === maxPages) throw new ActionError('rejected', `GitHub has more than ${maxPages * PAGE_SIZE} to list.`)
    const { data, headers } = await readPage(place)
    if (!(data instanceof Array)) throw new TypeError('A page is no list.')
    items = [...items, ...data]
    place = nextPlace(headers.link)
  }
  return items
}
