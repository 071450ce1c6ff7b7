export interface Timeline {
  /** Something that happens at a time, in milliseconds of the service's time. What is past happens at the next look. */
  at(atMs: number, happen: (atMs: number) => void): void
  /** Lets happen, in order, all that is due, and what follows from it. */
  runUntil(nowMs: number): void
}

export function createTimeline(): Timeline {
  const due: { atMs: number; happen: (atMs: number) => void }[] = []
  return {
    at(atMs, happen) {
      const later = due.findIndex((event) => event.atMs > atMs)
      due.splice(later === -1 ? due.length : later, 0, { atMs, happen })
    },
    runUntil(nowMs) {
      for (;;) {
        const next = due[0]
        if (next === undefined || next.atMs > nowMs) return
        due.shift()
        next.happen(next.atMs)
      }
    },
  }
}
