import type { WireResult } from './transport.ts'

/** What may be done about one attempt to send a prompt. */
export type PostDecision =
  /** The service answered that it took the prompt; whether it did is for the answer's body to prove. */
  | 'accepted'
  /** Nothing reached the service: send it again, a few times. */
  | 'again'
  /** The service did not process it: send it again once it asks for no more patience. */
  | 'wait'
  /** Nothing was processed, and trying again would change nothing. */
  | 'stop'
  /** It may have been processed: never again. */
  | 'unknown'

const NOT_PROCESSED = new Set([425, 429])
const REJECTED = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422])

/**
 * Whether a prompt may be sent again. A job costs credits and there is no idempotency key, so "again" needs proof that
 * nothing was processed: the class of the error *and* that not one byte of the request was written. Gateways answer 5xx,
 * 408 and 409 after they have forwarded a request, and a redirect may follow a job that was created, so all these are
 * unknown, as is everything that is not listed.
 */
export function decidePost(result: WireResult): PostDecision {
  if (result.kind === 'answer') {
    if (result.status >= 200 && result.status < 300) return 'accepted'
    if (NOT_PROCESSED.has(result.status)) return 'wait'
    return REJECTED.has(result.status) ? 'stop' : 'unknown'
  }
  if (result.sent) return 'unknown'
  switch (result.cause) {
    case 'no-connection':
      return 'again'
    case 'untrusted':
    case 'not-tls':
    case 'proxy-refused':
    case 'invalid':
    case 'timeout':
    case 'cancelled':
      return 'stop'
    case 'broken':
      return 'unknown'
  }
}

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 60_000

/**
 * How long to wait before what failed is tried again, in milliseconds. What was refused waits in another way (`crowd.ts`).
 * @param attempt how often it was tried, from 1
 * @param random from 0 to 1, so that a matrix of jobs does not come back in step
 */
export function backOffMs(attempt: number, random: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS) * (0.75 + 0.5 * random)
}
