import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'

const HOUR_MS = 3_600_000

/** GitHub's limit for a workflow's token, for each repository. */
const REQUESTS_PER_HOUR = 1_000

/** The rate limit of the current hour. The next hour begins in `resetSeconds`. */
export interface RateLimit {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** GitHub's ETags are weak. */
function addEtag({ method }: ServiceRequest, response: ServiceResponse): ServiceResponse {
  if (method !== 'GET' || response.status !== 200) return response
  const etag = `W/"${createHash('sha256').update(response.body).digest('hex')}"`
  return { ...response, headers: { ...response.headers, etag } }
}

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

  getRateLimit(nowMs: number): RateLimit {
    this.isSpent(nowMs)
    const used = this.#used
    const resetSeconds = Math.ceil((this.#endsAtMs - nowMs) / 1_000)
    return { limit: REQUESTS_PER_HOUR, used, remaining: REQUESTS_PER_HOUR - used, resetSeconds }
  }

  /** Counts a request, and adds the rate limit headers. Returns an uncounted 304 if the client already has the response. */
  charge(request: ServiceRequest, response: ServiceResponse, nowMs: number): ServiceResponse {
    const isSpent = this.isSpent(nowMs)
    const tagged = addEtag(request, response)
    const { etag } = tagged.headers
    const isKnown = etag !== undefined && request.headers['if-none-match'] === etag
    this.#used = Math.min(REQUESTS_PER_HOUR, this.#used + (isKnown ? 0 : 1))
    const { limit, used, remaining, resetSeconds } = this.getRateLimit(nowMs)
    const limitHeaders = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(resetSeconds),
      'x-ratelimit-resource': 'core',
    }
    if (isKnown) return { ...tagged, status: 304, headers: { ...limitHeaders, etag }, body: '' }
    const { headers } = tagged
    return { ...tagged, headers: isSpent ? { ...headers, ...limitHeaders } : { ...limitHeaders, ...headers } }
  }
}
