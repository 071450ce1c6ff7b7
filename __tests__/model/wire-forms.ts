import type { FailureCause } from '../../src/http/exchange.ts'
import { parseRetryAfter, type WireRequest } from '../../src/docs-service/transport.ts'
import type { View } from './job-life.ts'
import type { BodyShape, Break, RetryAfter } from './schedule.ts'

type BreakPoint = 'before-sending' | 'sent' | 'read'

/** The failure that the client sees for each broken connection, and how far the request came. */
export const BREAKS: Readonly<Record<Break, { cause: FailureCause; code: string; point: BreakPoint }>> = {
  refused: { cause: 'no-connection', code: 'ECONNREFUSED', point: 'before-sending' },
  untrusted: { cause: 'untrusted', code: 'CERT_HAS_EXPIRED', point: 'before-sending' },
  'proxy-refused': { cause: 'proxy-refused', code: 'UND_ERR_ABORTED', point: 'before-sending' },
  invalid: { cause: 'invalid', code: 'UND_ERR_INVALID_ARG', point: 'before-sending' },
  'reset-in-handshake': { cause: 'broken', code: 'ECONNRESET', point: 'before-sending' },
  'reset-before-read': { cause: 'broken', code: 'ECONNRESET', point: 'sent' },
  'reset-after-read': { cause: 'broken', code: 'ECONNRESET', point: 'read' },
  'reset-after-read-unseen': { cause: 'broken', code: 'ECONNRESET', point: 'read' },
  'response-cut-off': { cause: 'broken', code: 'UND_ERR_SOCKET', point: 'read' },
}

const DATE_MS = Date.UTC(2026, 5, 1)

/** Parses a `Retry-After` header as the real transport does. */
export function parseRetryAfterMs(form: RetryAfter): number | undefined {
  const now = new Date(DATE_MS)
  const date = now.toUTCString()
  if (form === 'none') return undefined
  if (form === 'junk') return parseRetryAfter('1e400', date, now)
  if (form === 'past-date') return parseRetryAfter(new Date(0).toUTCString(), date, now)
  if ('seconds' in form) return parseRetryAfter(String(form.seconds), date, now)
  return parseRetryAfter(new Date(DATE_MS + form.dateInSeconds * 1000).toUTCString(), date, now)
}

/** Returns a job as in a response body. `text` is added to every field that may contain any text. */
export function createJobBody({ status, link }: View, id: string, text: string | undefined): object {
  if (text === undefined) return { id, status, prLink: link ?? null }
  // The redaction does not cover JSON in a URL, which nobody sends.
  const prLink = link && (text.includes('\\') ? link : `${link}?${text.replaceAll(' ', '-')}`)
  return { id, status, prLink, source: { repository: text, ref: text }, model: text, createdAt: text }
}

export const BODIES: Readonly<Record<BodyShape, (job: object) => string>> = {
  good: (job) => JSON.stringify(job),
  truncated: (job) => JSON.stringify(job).slice(0, -9),
  html: () => '<!doctype html><title>Sign in</title>',
  null: () => 'null',
  'wrong-id': (job) => JSON.stringify({ ...job, id: 'job_2' }),
  'bad-id': (job) => JSON.stringify({ ...job, id: '../../v1' }),
  'no-id': (job) => JSON.stringify({ ...job, id: undefined }),
  'no-status': (job) => JSON.stringify({ ...job, status: undefined }),
}

/** Whether the client can accept a response body. The response to a prompt needs only the job's id. */
export function isValidBody(body: BodyShape, method: WireRequest['method']): boolean {
  return body === 'good' || (method === 'POST' && body === 'no-status')
}
