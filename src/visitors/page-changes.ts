import { createHash } from 'node:crypto'
import type { VisitorRow } from './export-format.ts'
import { keepTop } from './top-pages.ts'

/** Unique visitors of one page in two periods. */
export interface PageChange {
  readonly path: string
  readonly before: number
  readonly now: number
}

/** How many pages are named that gained, and as many that lost. */
const MOST_CHANGES = 10
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
