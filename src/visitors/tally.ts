import type { VisitorRow, VisitorTotals } from './export-format.ts'
import { DOUBTS, type Doubt } from './report.ts'
import { pageKey } from './page-changes.ts'
import { TopPages } from './top-pages.ts'
import type { WalkedPage } from './walk-pages.ts'

function isSame(a: VisitorTotals, b: VisitorTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total
}

/** What is remembered of the pages that went by. */
export class Tally {
  readonly #doubts = new Set<Doubt>()
  readonly #topPages: TopPages<VisitorRow>
  readonly #pageTotals: Map<string, number> | undefined
  #totals: VisitorTotals | undefined
  #rows = 0

  /**
   * @param top how many pages are kept
   * @param hasPageTotals whether the total of each page is kept, to be compared
   */
  constructor(top: number, hasPageTotals = false) {
    this.#topPages = new TopPages(top, ({ total }) => total)
    if (hasPageTotals) this.#pageTotals = new Map()
  }

  add({ totals, rows, repeated }: WalkedPage): void {
    this.#totals ??= totals
    if (!isSame(this.#totals, totals)) this.#doubts.add('totals-changed')
    // A row that comes twice has moved back, so another one may have moved to where it was read already.
    if (repeated > 0) this.#doubts.add('rows-moved')
    this.#rows += rows.length
    for (const row of rows) {
      this.#topPages.add(row)
      this.#pageTotals?.set(pageKey(row.path), row.total)
    }
  }

  /** The service's own, as they were at first. */
  get totals(): VisitorTotals | undefined {
    return this.#totals
  }

  get rows(): number {
    return this.#rows
  }

  get topPages(): readonly VisitorRow[] {
    return this.#topPages.rows
  }

  /** By the keys of the pages. */
  get pageTotals(): Map<string, number> | undefined {
    return this.#pageTotals
  }

  get doubts(): readonly Doubt[] {
    return DOUBTS.filter((doubt) => this.#doubts.has(doubt))
  }
}
