import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'

const HOUR_MS = 3_600_000

/** Of a workflow's token, for each repository. */
const REQUESTS_PER_HOUR = 1_000

export interface RequestBudget {
  isSpent(nowMs: number): boolean
  /** An answer as it is sent: with what is left of the hour, and as a 304 where the asker has it already, which costs nothing. */
  charge(request: ServiceRequest, answer: ServiceResponse, nowMs: number): ServiceResponse
}

/** Weak, as those of GitHub are. */
function tagged({ method }: ServiceRequest, answer: ServiceResponse): ServiceResponse {
  if (method !== 'GET' || answer.status !== 200) return answer
  const etag = `W/"${createHash('sha256').update(answer.body).digest('hex')}"`
  return { ...answer, headers: { ...answer.headers, etag } }
}

/** Counts in hours that begin with a request. */
export function createRequestBudget(): RequestBudget {
  let used = 0
  let endsAtMs = -Infinity

  function begin(nowMs: number): void {
    if (nowMs < endsAtMs) return
    used = 0
    endsAtMs = nowMs + HOUR_MS
  }

  return {
    isSpent(nowMs) {
      begin(nowMs)
      return used >= REQUESTS_PER_HOUR
    },
    charge(request, answer, nowMs) {
      begin(nowMs)
      const whole = tagged(request, answer)
      const { etag } = whole.headers
      const isKnown = etag !== undefined && request.headers['if-none-match'] === etag
      const isSpent = used >= REQUESTS_PER_HOUR
      used = Math.min(REQUESTS_PER_HOUR, used + (isKnown ? 0 : 1))
      const told = {
        'x-ratelimit-limit': String(REQUESTS_PER_HOUR),
        'x-ratelimit-remaining': String(REQUESTS_PER_HOUR - used),
        'x-ratelimit-used': String(used),
        'x-ratelimit-reset': String(Math.ceil((endsAtMs - nowMs) / 1_000)),
        'x-ratelimit-resource': 'core',
      }
      if (isKnown) return { ...whole, status: 304, headers: { ...told, etag }, body: '' }
      return { ...whole, headers: isSpent ? { ...whole.headers, ...told } : { ...told, ...whole.headers } }
    },
  }
}
