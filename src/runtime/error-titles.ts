import type { ErrorCode } from './errors.ts'

/** What a red step is called. The error's message follows, so no title says what a message says. */
export const ERROR_TITLES: Readonly<Record<ErrorCode, string>> = {
  'invalid-input': 'The inputs are wrong',
  unreachable: 'No answer from the service',
  untrusted: 'No secure connection to the service',
  proxy: 'A problem with the proxy',
  unauthorized: 'The key was refused',
  forbidden: 'The key has too few rights',
  'not-found': 'Not found',
  'rate-limited': 'Too many requests',
  rejected: 'The request was not accepted',
  redirected: 'The service has another address',
  'service-error': 'A fault of the service',
  'bad-answer': "The service's answers make no sense",
  'unknown-fate': 'The prompt may have been taken',
  'not-sent': 'Nothing was sent',
  'left-behind': 'The pull request ended before the agent did',
  'unusable-link': 'The link to the pull request cannot be used',
  deadline: 'Out of time',
  cancelled: 'Cancelled',
  internal: 'Internal error',
}
