import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { MAX_PAGE_ROWS } from '../docs-service/schemas.ts'
import { ActionError } from '../runtime/errors.ts'
import { joinSentences } from '../text/sentences.ts'
import type { VisitorRow, VisitorTotals } from './export-format.ts'
import type { ReadPage } from './read-pages.ts'

/** 2.5 million rows, and more than four days at 100 requests an hour: whoever says "more" after that never stops. */
export const MAX_PAGES = 10_000
/** Holds for a service that sends more rows a page than it was asked for, too. */
const MAX_ROWS = MAX_PAGES * MAX_PAGE_ROWS

/** In bytes. No server takes addresses that are longer, and the pages at the top are kept in memory. */
const LONGEST_PATH = 8 * 1024

function wrongAnswer(message: string): ActionError {
  return new ActionError('bad-answer', message, {
    hint: 'Check `base-url`: a proxy may answer instead of the service. Otherwise, try again later.',
  })
}

function endless(what: string): ActionError {
  return wrongAnswer(`The list of pages does not end: ${what}.`)
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** As many characters as the summary shows of a path. */
export const SHOWN_PATH = 120

/**
 * A path as it is kept to be compared: of a longer one the beginning and a hash, so that no two are the same. It is copied,
 * as what is cut from a text holds on to the whole of it.
 */
export function shortenPath(path: string): string {
  if (path.length <= SHOWN_PATH) return path
  return Buffer.from(`${path.slice(0, SHOWN_PATH)}${hashOf(path)}`).toString()
}

/**
 * Gives whether a text was not there before. Most paths are short, and kept as they are. Of others it is a hash, which takes
 * little room and is longer than these, so that no two are the same.
 */
function addIfNew(text: string, seen: Set<string>): boolean {
  return seen.size < seen.add(text.length < 64 ? text : hashOf(text)).size
}

/** Those that weigh the most, ties by path. */
export function topOf<Row extends { readonly path: string }>(
  rows: readonly Row[],
  most: number,
  weigh: (row: Row) => number,
): readonly Row[] {
  return rows.toSorted((a, b) => weigh(b) - weigh(a) || (a.path < b.path ? -1 : 1)).slice(0, most)
}

type UseRows = (rows: readonly VisitorRow[], totals: VisitorTotals) => void

/** The visitors of a range, and what is kept of them while their pages are read. */
export class VisitorList {
  /** The service's own, as they were at first; undefined until then. */
  totals: VisitorTotals | undefined
  /** How many were read and are distinct. */
  rows = 0
  /** Those with the most visitors, ties by path. */
  topPages: readonly VisitorRow[] = []
  /** By the shortened paths, if they are kept. */
  readonly pageTotals = new Map<string, number>()
  readonly #keepsPageTotals: boolean
  #haveTotalsChanged = false
  #haveRowsMoved = false

  /** @param keepsPageTotals for pages that are to be compared */
  constructor(keepsPageTotals = false) {
    this.#keepsPageTotals = keepsPageTotals
  }

  /**
   * Reads all rows, one answer of the service after the other, so that no request is wasted. The service's order is not documented
   * and rows can move between two answers, so each path is let through once. Kept in memory are short paths and hashes. A
   * last part of nothing but rows that moved is an end; a part that came before is a service that does not turn the page.
   * @param top how many pages are kept as those with the most visitors
   * @param use takes the new rows of each part, before they count here
   * @throws ActionError `bad-answer` if there is no end or a path is too long, and what reading a page throws
   */
  async read(readPage: ReadPage, top = 0, use?: UseRows): Promise<void> {
    const [seen, seenParts] = [new Set<string>(), new Set<string>()]
    let offset = 0
    for (let count = 1; count <= MAX_PAGES; count++) {
      const { totals, visitors, hasMore } = await readPage(offset)
      offset += visitors.length
      if (offset > MAX_ROWS) throw endless(`the service sent more than ${MAX_ROWS} rows`)
      if (visitors.some(({ path }) => Buffer.byteLength(path) > LONGEST_PATH))
        throw wrongAnswer(`The service sent a path that is longer than ${LONGEST_PATH} bytes.`)
      const rows = visitors.filter(({ path }) => addIfNew(path, seen))
      const isNewPart = addIfNew(JSON.stringify(visitors.map(({ path }) => path)), seenParts)
      if (hasMore && visitors.length === 0) throw endless('the service sent an empty part and says that there is more')
      if (hasMore && rows.length === 0)
        throw endless('the service sent a part in which every row had come before, and says that there is more')
      if (!isNewPart) throw endless('the service sent the same part again')
      use?.(rows, totals)
      this.totals ??= totals
      this.#haveTotalsChanged ||= !isDeepStrictEqual(this.totals, totals)
      // A row that comes twice has moved back, so another one may have moved to where it was read already.
      this.#haveRowsMoved ||= rows.length < visitors.length
      this.rows += rows.length
      if (this.#keepsPageTotals) for (const { path, total } of rows) this.pageTotals.set(shortenPath(path), total)
      this.topPages = topOf([...this.topPages, ...rows], top, ({ total }) => total)
      if (!hasMore) return
    }
    throw endless(`after ${MAX_PAGES} answers the service still says that there is more`)
  }

  /** Why a list that was read to its end may still lack something, as full sentences; empty if it is whole. */
  get doubts(): string {
    return joinSentences([
      this.#haveTotalsChanged && "The service's totals changed while the pages were read.",
      this.#haveRowsMoved &&
        'Rows moved while the pages were read: some came twice and were written once, so others may be missing.',
    ])
  }
}
