interface Event {
  readonly atMs: number
  readonly run: (atMs: number) => void
}

export class Timeline {
  readonly #due: Event[] = []

  /**
   * Schedules a callback. If its time is past, the next `runUntil` runs it.
   * @param atMs in milliseconds of the service's clock
   */
  schedule(atMs: number, run: Event['run']): void {
    const later = this.#due.findIndex((event) => event.atMs > atMs)
    this.#due.splice(later === -1 ? this.#due.length : later, 0, { atMs, run })
  }

  /** Runs all due callbacks in order, including the ones that they schedule. */
  runUntil(nowMs: number): void {
    for (let next = this.#due[0]; next !== undefined && next.atMs <= nowMs; next = this.#due[0]) {
      this.#due.shift()
      next.run(next.atMs)
    }
  }
}
