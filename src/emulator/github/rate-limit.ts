import type { ServiceResponse } from '../http/exchange.ts'

const HOUR_MS = 3_600_000

/** GitHub's limit for a workflow's token, for each repository. */
const REQUESTS_PER_HOUR = 1_000

/** Counts requests. Each hour begins with its first request. */
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

  /** Counts a request, and adds the rate limit headers. */
  charge(response: ServiceResponse, nowMs: number): ServiceResponse {
    const isSpent = this.isSpent(nowMs)
    this.#used = Math.min(REQUESTS_PER_HOUR, this.#used + 1)
    const { headers } = response
    const limitHeaders = {
      'x-ratelimit-limit': String(REQUESTS_PER_HOUR),
      'x-ratelimit-remaining': String(REQUESTS_PER_HOUR - this.#used),
      'x-ratelimit-used': String(this.#used),
      'x-ratelimit-reset': String(Math.ceil((this.#endsAtMs - nowMs) / 1_000)),
      'x-ratelimit-resource': 'core',
    }
    return { ...response, headers: isSpent ? { ...headers, ...limitHeaders } : { ...limitHeaders, ...headers } }
  }
}
