import { isDeepStrictEqual } from 'node:util'
import { joinSentences } from '../text/sentences.ts'
import type { VisitorRow, VisitorTotals } from './export-format.ts'
import { shortenPath, type WalkedPage } from './read-pages.ts'

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
      this.#keepTop(row)
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

  #keepTop(row: VisitorRow): void {
    // From the end: most rows have too few visitors to be kept.
    const above = this.topPages.findLastIndex(
      ({ total, path }) => total > row.total || (total === row.total && path < row.path),
    )
    this.topPages.splice(above + 1, 0, row)
    if (this.topPages.length > this.#top) this.topPages.pop()
  }
}
