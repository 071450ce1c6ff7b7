import type { VisitorRow } from './export-format.ts'

function compare(a: VisitorRow, b: VisitorRow): number {
  return b.total - a.total || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
}

/** The rows with the most visitors of all that were added, ties by path. It keeps no more than it was asked for. */
export class TopPages {
  readonly #most: number
  readonly #rows: VisitorRow[] = []

  constructor(most: number) {
    this.#most = most
  }

  get rows(): readonly VisitorRow[] {
    return this.#rows
  }

  add(row: VisitorRow): void {
    const last = this.#rows.at(-1)
    const isFull = this.#rows.length >= this.#most
    if (isFull && (last === undefined || compare(row, last) >= 0)) return
    if (isFull) this.#rows.pop()
    const at = this.#rows.findIndex((other) => compare(row, other) < 0)
    this.#rows.splice(at === -1 ? this.#rows.length : at, 0, row)
  }
}
