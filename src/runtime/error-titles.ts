import type { ErrorCode } from './errors.ts'

/** What a red step is called. The error's message follows, so no title says what a message says. */
export const ERROR_TITLES: Readonly<Record<ErrorCode, string>> = {
  'invalid-input': 'The inputs are wrong',
  unreachable: 'No answer from the service',
  untrusted: 'No secure connection to the service',
  proxy: 'A problem with the proxy',
  unauthorized: 'The key was refused',
  forbidden: 'The key lacks a permission',
  'not-found': 'Not found',
  'rate-limited': 'Too many requests',
  rejected: 'The request was not accepted',
  redirected: 'The service redirects elsewhere',
  'service-error': 'A failure of the service',
  'bad-answer': 'The service gives invalid answers',
  'unknown-fate': 'The service may have accepted the prompt',
  'not-sent': 'Nothing was sent',
  'left-behind': 'The pull request was merged or closed too early',
  'unusable-link': 'The link to the pull request cannot be used',
  deadline: 'The time ran out',
  cancelled: 'Cancelled',
  internal: 'Internal error',
}
