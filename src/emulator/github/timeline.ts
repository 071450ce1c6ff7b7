interface Event {
  readonly atMs: number
  readonly happen: (atMs: number) => void
}

export class Timeline {
  readonly #due: Event[] = []

  /** Something happens at a time, in milliseconds of the service's time. What is past happens at the next look. */
  at(atMs: number, happen: Event['happen']): void {
    const later = this.#due.findIndex((event) => event.atMs > atMs)
    this.#due.splice(later === -1 ? this.#due.length : later, 0, { atMs, happen })
  }

  /** Lets happen, in order, all that is due, and what follows from it. */
  runUntil(nowMs: number): void {
    for (let next = this.#due[0]; next !== undefined && next.atMs <= nowMs; next = this.#due[0]) {
      this.#due.shift()
      next.happen(next.atMs)
    }
  }
}
