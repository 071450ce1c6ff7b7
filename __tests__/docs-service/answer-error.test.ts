import { expect, test } from '@jest/globals'
import { errorOfAnswer, errorOfFailure, errorOfResult } from '../../src/docs-service/answer-error.ts'
import type { FailureCause } from '../../src/http/failure-cause.ts'
import type { Operation } from '../../src/docs-service/operation.ts'
import { describeError, type ErrorCode } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'

const KEY = 'dk_0123456789abcdef'
const redact = createRedactor([KEY])
const CREATE: Operation = { kind: 'create', projectId: 'docs' }

const errorOf = (status: number, body = '', retryAfterMs?: number): ReturnType<typeof errorOfAnswer> =>
  errorOfAnswer({ kind: 'answer', status, body, retryAfterMs }, CREATE, redact)

const quoteOf = (body: unknown): string | undefined => errorOf(400, JSON.stringify(body)).quote

test.each([
  [300, 'redirected'],
  [301, 'redirected'],
  [308, 'redirected'],
  [400, 'rejected'],
  [401, 'unauthorized'],
  [402, 'rejected'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'rejected'],
  [408, 'service-error'],
  [409, 'rejected'],
  [413, 'rejected'],
  [415, 'rejected'],
  [418, 'rejected'],
  [422, 'rejected'],
  [425, 'rate-limited'],
  [429, 'rate-limited'],
  [500, 'service-error'],
  [503, 'service-error'],
] satisfies [number, ErrorCode][])(
  'status %i is the error %s, which names the status and says what to do',
  (status, code) => {
    const { message, hint, ...error } = errorOf(status)

    expect(error.code).toBe(code)
    expect(message).toContain(`(${status})`)
    expect(hint).not.toBe('')
  },
)

test.each([
  ['{"error":"There is no such job."}', 'not-found'],
  ['{}', 'not-found'],
  ['<!doctype html><title>Not found</title>', 'bad-answer'],
  ['', 'bad-answer'],
  ['null', 'bad-answer'],
  ['[]', 'bad-answer'],
])('a job is not there only by an answer of the interface: %j', (body, code) => {
  const answer = { kind: 'answer', status: 404, body, retryAfterMs: undefined } as const
  const read = { kind: 'read', projectId: 'docs', jobId: 'job_1' } as const
  expect(errorOfAnswer(answer, read, redact).code).toBe(code)
  expect(errorOfAnswer(answer, CREATE, redact).code).toBe('not-found')
})

test.each([
  [401, 'expire'],
  [403, 'scope'],
  [404, '`project-id`'],
  [413, 'Shorten'],
  [302, '`base-url`'],
])('the hint for %i leads to the likely cause', (status, word) => {
  expect(errorOf(status).hint).toContain(word)
})

test('an error keeps how long the service asks to be left alone', () => {
  expect(errorOf(429, '', 7_000).retryAfterMs).toBe(7_000)
  expect(errorOf(429).retryAfterMs).toBeUndefined()
})

test("the service's own words are kept apart from ours", () => {
  const error = errorOf(400, '{"error":"The prompt is too short."}')

  expect(error.message).not.toContain('too short')
  expect(error.quote).toBe('The prompt is too short.')
  expect(describeError(error)).toBe('The service rejected the request (400). It says: “The prompt is too short.”')
  expect(describeError(errorOf(400))).toBe('The service rejected the request (400).')
})

test.each([
  '',
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  '{"error":7}',
  '{"error":{"message":"x"}}',
  '{"error":" "}',
  '<html>',
])('the body %j has no words to quote', (body) => {
  expect(errorOf(400, body).quote).toBeUndefined()
})

test.each([`${KEY} {`, `{"error": ${KEY}}`, `<p>${KEY}</p>`])(
  'a body that does not parse is quoted nowhere',
  (body) => {
    const { message, hint, quote } = errorOf(500, body)

    expect(`${message} ${String(hint)} ${String(quote)}`).not.toContain('dk_')
  },
)

test('of a status that nobody lists it says no more than that', () => {
  expect(describeError(errorOf(599, ''))).toBe('The service failed (599).')
})

test('quotes are one clean line', () => {
  expect(quoteOf({ error: 'one\n::error::two\u001b[31m\u202e ##[error]three' })).toBe(
    'one ::error::two # #[error]three',
  )
})

test('quotes are cut', () => {
  expect(quoteOf({ error: 'x'.repeat(1000) })).toBe(`${'x'.repeat(299)}…`)
})

test.each([280, 285, 290, 299])('a key at character %i of a quote is redacted before the quote is cut', (at) => {
  const quote = quoteOf({ error: `${'x'.repeat(at)}${KEY}!` })

  expect(quote).toMatch(/^x+[*!…]+$/)
})

test('a key that is torn apart by control characters is redacted before the quote is cut', () => {
  const torn = Array.from(KEY).join('\u0000')

  expect(quoteOf({ error: torn })).toBe('***')
  expect(quoteOf({ error: `${'x'.repeat(290)}${torn}` })).toBe(`${'x'.repeat(290)}***`)
})

const CODES: Readonly<Record<FailureCause, ErrorCode>> = {
  'no-connection': 'unreachable',
  untrusted: 'untrusted',
  'not-tls': 'untrusted',
  'proxy-refused': 'proxy',
  invalid: 'rejected',
  timeout: 'unreachable',
  cancelled: 'cancelled',
  broken: 'unreachable',
}

test.each(Object.entries(CODES) as [FailureCause, ErrorCode][])('the failure %s is the error %s', (cause, code) => {
  const error = errorOfFailure({ kind: 'failure', cause, code: 'ECONNRESET', sent: false })

  expect(error.code).toBe(code)
  expect(error.message).toContain('(ECONNRESET)')
})

test('where nobody listens, the address is in question', () => {
  const { hint } = errorOfFailure({ kind: 'failure', cause: 'no-connection', code: undefined, sent: false })

  expect(hint).toContain('`base-url`')
})

test('a private certificate authority is helped with the variable that Node reads', () => {
  const { hint } = errorOfFailure({ kind: 'failure', cause: 'untrusted', code: undefined, sent: false })

  expect(hint).toContain('`NODE_EXTRA_CA_CERTS`')
})

test('where TLS is not spoken, the port is in question and no certificate', () => {
  const { message, hint } = errorOfFailure({ kind: 'failure', cause: 'not-tls', code: undefined, sent: false })

  expect(message).toContain('does not speak TLS')
  expect(hint).toContain('the port in `base-url`')
  expect(`${message} ${String(hint)}`).not.toMatch(/certificate|NODE_EXTRA_CA_CERTS/)
})

test.each<[Operation, string]>([
  [CREATE, 'The service knows no project docs (404).'],
  [{ kind: 'visitors', projectId: 'docs' }, 'The service knows no project docs (404).'],
  [{ kind: 'read', projectId: 'docs', jobId: 'job_x' }, 'The service knows no job job_x in project docs (404).'],
  [{ kind: 'message', projectId: 'docs', jobId: 'job_x' }, 'The service knows no job job_x in project docs (404).'],
])('a 404 names what is not there: %j', (operation, message) => {
  const answer = { kind: 'answer', status: 404, body: '{}', retryAfterMs: undefined } as const
  expect(errorOfAnswer(answer, operation, redact).message).toBe(message)
})

test('a redirect names the host that it leads to', () => {
  const answer = { kind: 'answer', status: 302, body: '', retryAfterMs: undefined } as const

  expect(errorOfAnswer({ ...answer, redirectHost: 'login.example.com' }, CREATE, redact).hint).toContain(
    'leads to `login.example.com`',
  )
  expect(errorOfAnswer({ ...answer, redirectHost: `${KEY}.example.com` }, CREATE, redact).hint).not.toContain(KEY)
  expect(errorOfAnswer(answer, CREATE, redact).hint).not.toContain('leads to')
})

test('a failure without a short name shows none', () => {
  const { message } = errorOfFailure({ kind: 'failure', cause: 'timeout', code: undefined, sent: true })

  expect(message).toBe('The service did not answer in time.')
})

test('answers and failures both become errors', () => {
  const answer = { kind: 'answer', status: 401, body: '', retryAfterMs: undefined } as const
  const failure = { kind: 'failure', cause: 'broken', code: undefined, sent: true } as const

  expect([answer, failure].map((result) => errorOfResult(result, CREATE, redact).code)).toEqual([
    'unauthorized',
    'unreachable',
  ])
})
