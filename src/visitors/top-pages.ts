interface Page {
  readonly path: string
}

/** The pages that weigh the most of all that were added, ties by path. It keeps no more than it was asked for. */
export class TopPages<Row extends Page> {
  readonly #most: number
  readonly #weigh: (row: Row) => number
  readonly #rows: Row[] = []

  constructor(most: number, weigh: (row: Row) => number) {
    this.#most = most
    this.#weigh = weigh
  }

  get rows(): readonly Row[] {
    return this.#rows
  }

  #compare(a: Row, b: Row): number {
    return this.#weigh(b) - this.#weigh(a) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  }

  add(row: Row): void {
    const last = this.#rows.at(-1)
    const isFull = this.#rows.length >= this.#most
    if (isFull && (last === undefined || this.#compare(row, last) >= 0)) return
    if (isFull) this.#rows.pop()
    const at = this.#rows.findIndex((other) => this.#compare(row, other) < 0)
    this.#rows.splice(at === -1 ? this.#rows.length : at, 0, row)
  }
}
