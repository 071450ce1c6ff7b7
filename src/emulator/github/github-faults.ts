import { type ServiceResponse, htmlResponse, jsonResponse } from '../http/exchange.ts'
import { type Faults, NO_RESPONSE } from '../http/faults.ts'

const SHORT_WAIT_SECONDS = 5
const DAY_SECONDS = 86_400
const DELAY_MS = 8_000

/** Times in headers are in seconds of the service's clock, from now. */
function createLimitResponse(status: 403 | 429, message: string, headers: ServiceResponse['headers']): ServiceResponse {
  return jsonResponse(status, { message, documentation_url: 'https://docs.github.com/rest' }, headers)
}

const createSpentHeaders = (seconds: number): ServiceResponse['headers'] => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(seconds),
})

const PRIMARY = 'API rate limit exceeded for installation.'
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'

const FAULTS = {
  none: (handle) => handle(),
  unavailable: () => jsonResponse(503, { message: 'No server is currently available to service your request.' }),
  'primary-limit': () => createLimitResponse(403, PRIMARY, createSpentHeaders(SHORT_WAIT_SECONDS)),
  'secondary-limit': () => createLimitResponse(403, SECONDARY, { 'retry-after': String(SHORT_WAIT_SECONDS) }),
  'plain-limit': () => ({
    ...NO_RESPONSE,
    status: 429,
    headers: { 'retry-after': String(SHORT_WAIT_SECONDS) },
    delivery: 'complete',
  }),
  'long-limit': () => createLimitResponse(429, PRIMARY, createSpentHeaders(DAY_SECONDS)),
  html: () => htmlResponse(200, '<!doctype html><title>Sign in</title><p>Sign in to your account.'),
  reset: () => NO_RESPONSE,
  never: () => ({ ...NO_RESPONSE, delivery: 'never' }),
  'response-lost': (handle) => ({ ...handle(), delivery: 'reset' }),
  late: (handle) => ({ ...handle(), delayMs: DELAY_MS }),
} as const satisfies Faults

/** A number is the status of an error response. */
export type GitHubFault = number | keyof typeof FAULTS

export function applyGitHubFault(fault: GitHubFault, handle: () => ServiceResponse): ServiceResponse {
  return typeof fault === 'number' ? jsonResponse(fault, { message: 'Refused' }) : FAULTS[fault](handle)
}
