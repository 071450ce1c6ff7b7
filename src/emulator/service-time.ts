import type { Clock } from '../runtime/clock.ts'

interface ServiceTimeOptions {
  readonly clock: Clock
  /** Seconds of the service's time in one second of the clock. */
  readonly speed: number
  /** In milliseconds since 1970. */
  readonly startMs: number
}

/** Starts the service's time. The result reads it, in milliseconds since 1970. */
export function startServiceTime({ clock, speed, startMs }: ServiceTimeOptions): () => number {
  const startedAt = clock.now()
  return () => startMs + (clock.now() - startedAt) * speed
}

/** A wait in whole seconds of the service's time, as the caller's clock measures it: rounded up, and at least one. */
export function toCallerSeconds(serviceSeconds: number, speed: number): number {
  return Math.max(1, Math.ceil(serviceSeconds / speed))
}
