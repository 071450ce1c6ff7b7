import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'

const HOUR_MS = 3_600_000

/** Of a workflow's token, for each repository. */
const REQUESTS_PER_HOUR = 1_000

/** How many requests of the present hour are used and left, and in how many seconds the next hour begins. */
export interface RateLimit {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** Weak, as those of GitHub are. */
function tagged({ method }: ServiceRequest, answer: ServiceResponse): ServiceResponse {
  if (method !== 'GET' || answer.status !== 200) return answer
  const etag = `W/"${createHash('sha256').update(answer.body).digest('hex')}"`
  return { ...answer, headers: { ...answer.headers, etag } }
}

/** Counts in hours that begin with a request. */
export class RequestBudget {
  #used = 0
  #endsAtMs = -Infinity

  isSpent(nowMs: number): boolean {
    if (nowMs >= this.#endsAtMs) {
      this.#used = 0
      this.#endsAtMs = nowMs + HOUR_MS
    }
    return this.#used >= REQUESTS_PER_HOUR
  }

  describe(nowMs: number): RateLimit {
    this.isSpent(nowMs)
    const used = this.#used
    const resetSeconds = Math.ceil((this.#endsAtMs - nowMs) / 1_000)
    return { limit: REQUESTS_PER_HOUR, used, remaining: REQUESTS_PER_HOUR - used, resetSeconds }
  }

  /** An answer as it is sent: with what is left of the hour, and as a 304 where the asker has it already, which costs nothing. */
  charge(request: ServiceRequest, answer: ServiceResponse, nowMs: number): ServiceResponse {
    const isSpent = this.isSpent(nowMs)
    const whole = tagged(request, answer)
    const { etag } = whole.headers
    const isKnown = etag !== undefined && request.headers['if-none-match'] === etag
    this.#used = Math.min(REQUESTS_PER_HOUR, this.#used + (isKnown ? 0 : 1))
    const { limit, used, remaining, resetSeconds } = this.describe(nowMs)
    const told = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(resetSeconds),
      'x-ratelimit-resource': 'core',
    }
    if (isKnown) return { ...whole, status: 304, headers: { ...told, etag }, body: '' }
    return { ...whole, headers: isSpent ? { ...whole.headers, ...told } : { ...told, ...whole.headers } }
  }
}
