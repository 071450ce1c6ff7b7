import { type ServiceResponse, htmlResponse, jsonResponse } from '../http/exchange.ts'
import { type Faults, NOTHING } from '../http/faults.ts'

const SHORT_S = 5
const DAY_S = 86_400
const LATE_MS = 8_000

/** Times in headers count in seconds of the service's time, from now. */
function limited(status: 403 | 429, message: string, headers: ServiceResponse['headers']): ServiceResponse {
  return jsonResponse(status, { message, documentation_url: 'https://docs.github.com/rest' }, headers)
}

const noneLeft = (seconds: number): ServiceResponse['headers'] => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(seconds),
})

const PRIMARY = 'API rate limit exceeded for installation.'
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'

const FAULTS = {
  none: (answer) => answer(),
  unavailable: () => jsonResponse(503, { message: 'No server is currently available to service your request.' }),
  'primary-limit': () => limited(403, PRIMARY, noneLeft(SHORT_S)),
  'secondary-limit': () => limited(403, SECONDARY, { 'retry-after': String(SHORT_S) }),
  'plain-limit': () => ({ ...NOTHING, status: 429, headers: { 'retry-after': String(SHORT_S) }, delivery: 'whole' }),
  'long-limit': () => limited(429, PRIMARY, noneLeft(DAY_S)),
  html: () => htmlResponse(200, '<!doctype html><title>Sign in</title><p>Sign in to your account.'),
  reset: () => NOTHING,
  never: () => ({ ...NOTHING, delivery: 'never' }),
  'answer-lost': (answer) => ({ ...answer(), delivery: 'reset' }),
  late: (answer) => ({ ...answer(), delayMs: LATE_MS }),
} as const satisfies Faults

/** What goes wrong with a request to GitHub. A number is the status of a refusal. */
export type GitHubFault = number | keyof typeof FAULTS

export function applyGitHubFault(fault: GitHubFault, answer: () => ServiceResponse): ServiceResponse {
  return typeof fault === 'number' ? jsonResponse(fault, { message: 'Refused' }) : FAULTS[fault](answer)
}
