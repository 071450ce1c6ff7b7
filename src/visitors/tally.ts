import { isDeepStrictEqual } from 'node:util'
import { joinSentences } from '../text/sentences.ts'
import type { VisitorRow, VisitorTotals } from './export-format.ts'
import { shortenPath, type WalkedPage } from './read-pages.ts'

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
  const isAbove = (other: Row): boolean => {
    const more = weigh(other) - weigh(row)
    return more > 0 || (more === 0 && other.path < row.path)
  }
  // From the end: most rows weigh too little to be kept.
  kept.splice(kept.findLastIndex(isAbove) + 1, 0, row)
  if (kept.length > most) kept.pop()
}

/** What is kept of a list while its pages are read. */
export class Tally {
  /** The service's own, as they were at first. */
  totals: VisitorTotals | undefined
  /** How many are distinct. */
  rows = 0
  /** Those with the most visitors, ties by path. */
  readonly topPages: VisitorRow[] = []
  /** By the shortened paths, if they are kept, to be compared. */
  readonly pageTotals = new Map<string, number>()
  readonly #top: number
  readonly #hasPageTotals: boolean
  #haveTotalsChanged = false
  #haveRowsMoved = false

  /** @param top how many pages are kept as those with the most visitors */
  constructor(top: number, hasPageTotals: boolean) {
    this.#top = top
    this.#hasPageTotals = hasPageTotals
  }

  add({ totals, rows, repeated }: WalkedPage): void {
    this.totals ??= totals
    this.#haveTotalsChanged ||= !isDeepStrictEqual(this.totals, totals)
    // A row that comes twice has moved back, so another one may have moved to where it was read already.
    this.#haveRowsMoved ||= repeated > 0
    this.rows += rows.length
    for (const row of rows) {
      keepTop(this.topPages, row, this.#top, ({ total }) => total)
      if (this.#hasPageTotals) this.pageTotals.set(shortenPath(row.path), row.total)
    }
  }

  /** Why a list that was read to its end may still lack something, as full sentences; empty if it is whole. */
  get doubts(): string {
    return joinSentences([
      this.#haveTotalsChanged ? "The service's totals changed while the pages were read." : '',
      this.#haveRowsMoved
        ? 'Rows moved while the pages were read: some came twice and were written once, so others may be missing.'
        : '',
    ])
  }
}
