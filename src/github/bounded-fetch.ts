import { Response, type RequestInit } from 'undici'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { readBounded } from '../runtime/read-bounded.ts'

/** What is needed of an answer, whoever's `Response` it is. */
export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: Iterable<[string, string]>
  readonly url: string
  readonly body: AsyncIterable<Uint8Array> | null
}

export type Fetch = (url: string, init: RequestInit) => Promise<Answer>

/** One attempt, its answer's last byte included. */
const ATTEMPT_MS = 30_000

/** Far more than 300 files with their changes. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Reads the whole answer here, so that one that never ends is cut off too. What it makes of it is undici's `Response`, as
 * for the global one Node would load an undici of its own.
 */
async function readWhole(asked: Promise<Answer>): Promise<Response> {
  const answer = await asked
  const body = await readBounded(answer.body, MOST_BYTES)
  const whole = new Response(body.length === 0 ? null : body, {
    status: answer.status,
    statusText: answer.statusText,
    headers: [...answer.headers],
  })
  // Octokit resolves the address of a following page by it, and the constructor does not take it.
  return Object.defineProperty(whole, 'url', { value: answer.url })
}

/**
 * A `fetch` whose every attempt ends: after 30 s, or as soon as `signal` aborts. Octokit has no time limit of its own, and
 * its retries come through here again.
 */
export function createBoundedFetch(
  fetch: Fetch,
  clock: Clock,
  signal: AbortSignal,
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    // A signal of the process is heard only when the loop turns, and this may be something that GitHub is told to write.
    await clock.turn()
    signal.throwIfAborted()
    const attempt = (end: AbortSignal): Promise<Response> => readWhole(fetch(url, { ...init, signal: end }))
    return withDeadline(attempt, { clock, signal, timeoutMs: ATTEMPT_MS })
  }
}
