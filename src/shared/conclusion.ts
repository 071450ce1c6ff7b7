import type { ErrorCode } from './errors.ts'

/** The verdict in words: the same ones in the log, in the annotation and at the top of the summary. */
export interface Conclusion {
  readonly isGreen: boolean
  readonly title: string
  /** What happened, as full sentences. */
  readonly text: string
  /** What to do now, as full sentences. */
  readonly advice: readonly string[]
}

export const ERROR_TITLES: Readonly<Record<ErrorCode, string>> = {
  'invalid-input': 'The inputs are wrong',
  unreachable: 'The service could not be reached',
  untrusted: "The service's certificate is not trusted",
  proxy: 'The proxy refused',
  unauthorized: 'The key was refused',
  forbidden: 'The key may not do this',
  'not-found': 'The service does not know this',
  'rate-limited': 'The service limits the rate of requests',
  rejected: 'The service rejected the request',
  redirected: 'The service has another address',
  'service-error': 'The service failed',
  'bad-answer': "The service's answers make no sense",
  'unknown-fate': 'The prompt may have been taken',
  'not-sent': 'The prompt was not sent',
  deadline: 'The time ran out',
  cancelled: 'Cancelled',
}

/** @param quote what the service said, in its own words */
export function tellConclusion({ text, advice }: Conclusion, quote: string | undefined, ...more: string[]): string {
  const quoted = quote === undefined ? [] : [`The service says: “${quote}”`]
  return [text, ...quoted, ...advice, ...more].join(text.includes('\n') ? '\n' : ' ')
}
