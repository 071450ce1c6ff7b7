import type { VisitorRow, VisitorTotals } from './export-format.ts'
import { pageKey } from './page-changes.ts'
import type { Doubt } from './report.ts'
import { keepTop } from './top-pages.ts'
import type { WalkedPage } from './walk-pages.ts'

function isSame(a: VisitorTotals, b: VisitorTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total
}

/** What is remembered of the pages that went by, as the report tells it. */
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
