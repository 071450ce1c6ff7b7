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
