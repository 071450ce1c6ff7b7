import { createHash } from 'node:crypto'
import type { VisitorRow, VisitorTotals } from './export-format.ts'
import type { Doubt, PageChange } from './report.ts'
import type { WalkedPage } from './read-pages.ts'

/**
 * Puts a row where it belongs among those that weigh the most, ties by path.
 * @param kept in this order, and never more than `most`
 */
export function keepTop<Row extends { readonly path: string }>(
  kept: Row[],
  row: Row,
  most: number,
  weigh: (row: Row) => number,
): void {
  const isBefore = (other: Row): boolean => {
    const more = weigh(other) - weigh(row)
    return more > 0 || (more === 0 && other.path < row.path)
  }
  // From the end: most rows weigh too little to be kept.
  kept.splice(kept.findLastIndex(isBefore) + 1, 0, row)
  if (kept.length > most) kept.pop()
}

/** As many characters as the summary shows of a path. */
const SHOWN_PATH = 120

/**
 * A page's path, for as long as many of them are kept: of a longer one the beginning and a hash, so that no two are the same.
 * It is copied, as what is cut from a text holds on to the whole of it.
 */
export function pageKey(path: string): string {
  if (path.length <= SHOWN_PATH) return path
  const hash = createHash('sha256').update(path).digest('hex')
  return Buffer.from(`${path.slice(0, SHOWN_PATH)}${hash}`).toString()
}

function isSame(a: VisitorTotals, b: VisitorTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total
}

export class Tally {
  totals: VisitorTotals | undefined
  rows = 0
  readonly topPages: VisitorRow[] = []
  readonly doubts = new Set<Doubt>()
  /** By the keys of the pages, if it is kept, to be compared. */
  readonly pageTotals: Map<string, number> | undefined
  readonly #top: number

  /** @param top how many pages are kept */
  constructor(top: number, hasPageTotals = false) {
    this.#top = top
    this.pageTotals = hasPageTotals ? new Map() : undefined
  }

  add({ totals, rows, repeated }: WalkedPage): void {
    this.totals ??= totals
    if (!isSame(this.totals, totals)) this.doubts.add('totals-changed')
    // A row that comes twice has moved back, so another one may have moved to where it was read already.
    if (repeated > 0) this.doubts.add('rows-moved')
    this.rows += rows.length
    for (const row of rows) {
      keepTop(this.topPages, row, this.#top, ({ total }) => total)
      this.pageTotals?.set(pageKey(row.path), row.total)
    }
  }
}

/** How many pages are named that gained, and as many that lost. */
const MOST_CHANGES = 10

const gainOf = ({ now, before }: PageChange): number => now - before

/** The pages that gained and lost the most. Of the two lists only one is kept. */
export class PageChanges {
  readonly gained: PageChange[] = []
  readonly lost: PageChange[] = []
  readonly #now: Map<string, number>
  readonly #isNowWhole: boolean

  /**
   * @param now the total of each page by its key, from which those are taken that were before, too
   * @param isNowWhole whether a page that is not in `now` is known to have had no visitor
   */
  constructor(now: Map<string, number>, isNowWhole: boolean) {
    this.#now = now
    this.#isNowWhole = isNowWhole
  }

  addBefore({ path, total: before }: VisitorRow): void {
    const key = pageKey(path)
    const now = this.#now.get(key)
    this.#now.delete(key)
    if (now !== undefined || this.#isNowWhole) this.#add({ path: key, before, now: now ?? 0 })
  }

  /** Takes what is left of the pages for new ones. */
  addNew(): void {
    for (const [path, now] of this.#now) this.#add({ path, before: 0, now })
  }

  #add(change: PageChange): void {
    if (gainOf(change) > 0) keepTop(this.gained, change, MOST_CHANGES, gainOf)
    if (gainOf(change) < 0) keepTop(this.lost, change, MOST_CHANGES, (one) => -gainOf(one))
  }
}
