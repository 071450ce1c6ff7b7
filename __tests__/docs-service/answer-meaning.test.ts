import { expect, test } from '@jest/globals'
import { decidePost, errorOfResult, type Operation, type PostDecision } from '../../src/docs-service/retry.ts'
import type { WireAnswer } from '../../src/docs-service/transport.ts'
import type { FailureCause } from '../../src/http/exchange.ts'
import { type ActionError, describeError, ERROR_TITLES, type ErrorCode } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'

const KEY = 'dk_0123456789abcdef'
const redact = createRedactor([KEY])
const CREATE: Operation = { kind: 'create', projectId: 'docs', path: '/' }
const READ: Operation = { kind: 'read', projectId: 'docs', path: '/', jobId: 'job_1' }

const answered = (status: number) => ({ kind: 'answer', status, body: '', retryAfterMs: undefined }) as const

function errorOf(status: number, body = '', fields: Partial<WireAnswer> = {}, operation = CREATE): ActionError {
  return errorOfResult({ ...answered(status), body, ...fields }, operation, redact)
}

/** A word of the hint, by which it leads to the likely cause. */
const CAUSES: Readonly<Record<number, string>> = {
  301: '`base-url`',
  401: 'expire',
  403: 'scope',
  404: '`project-id`',
  413: 'Shorten',
}

test.each<[ErrorCode, readonly number[]]>([
  ['redirected', [300, 301, 308]],
  ['rejected', [400, 402, 405, 409, 413, 415, 418, 422]],
  ['unauthorized', [401]],
  ['forbidden', [403]],
  ['not-found', [404]],
  ['rate-limited', [425, 429]],
  ['service-error', [408, 500, 503]],
])('%s is the error for %j, which names the status and says what to do', (code, statuses) => {
  for (const status of statuses) {
    const { message, hint, ...error } = errorOf(status)
    expect([status, error.code]).toEqual([status, code])
    expect(message).toContain(`(${status})`)
    expect(hint).toMatch(/^[A-Z].*\.$/)
    expect(hint).toContain(CAUSES[status] ?? '')
  }
})

test.each<readonly [string, ErrorCode]>([
  ['{"error":"There is no such job."}', 'not-found'],
  ['{}', 'not-found'],
  ...['<!doctype html><title>Not found</title>', '', 'null', '[]'].map((body) => [body, 'bad-answer'] as const),
])('a job is not there only by an answer of the interface: %j', (body, code) => {
  expect(errorOf(404, body, {}, READ).code).toBe(code)
  expect(errorOf(404, body).code).toBe('not-found')
})

const OPERATIONS: readonly Operation[] = [
  CREATE,
  { kind: 'message', projectId: 'docs', path: '/', jobId: 'job_1' },
  { kind: 'message', projectId: 'docs', path: '/', jobId: 'job_1', isJobIdInput: true },
  READ,
  { ...READ, isJobIdInput: true },
  { kind: 'visitors', projectId: 'docs', path: '/' },
]
const STATUSES = [400, 401, 402, 403, 404, 405, 413, 415, 418, 422, 425, 429, 500, 503]

test.each(OPERATIONS)('all advice for $kind fits what it sends (`job-id` is an input: $isJobIdInput)', (operation) => {
  const advice = STATUSES.map((status) => errorOf(status, '{}', {}, operation).hint)
  for (const sentence of advice) expect(sentence).toMatch(/^[A-Z].*\.$/)
  const all = advice.join(' ')
  const { kind } = operation
  expect(/prompt|credits/.test(all)).toBe(kind === 'create' || kind === 'message')
  expect(all.includes('`job-id`')).toBe(operation.isJobIdInput === true)
  expect(/`date-from`|analytics|export/.test(all)).toBe(kind === 'visitors')
  expect(all.includes('write access')).toBe(kind === 'create' || kind === 'message')
})

test("the service's own words are kept apart from ours", () => {
  const error = errorOf(400, '{"error":"The prompt is too short."}', { retryAfterMs: 7_000 })
  const message = 'The service rejected the request (400).'
  expect(error).toMatchObject({ message, quote: 'The prompt is too short.', retryAfterMs: 7_000 })
  expect(describeError(error)).toBe('The service rejected the request (400). It says: “The prompt is too short.”')
  expect(describeError(errorOf(599))).toBe('The service failed (599).')
})

const WORDLESS = [
  '',
  'null',
  '"text"',
  '[]',
  '{}',
  '{"error":7}',
  '{"error":{"message":"x"}}',
  '{"error":" "}',
  '<html>',
]

test.each([...WORDLESS, `${KEY} {`, `{"error": ${KEY}}`])('the body %j has no words to quote', (body) => {
  expect(errorOf(400, body)).toMatchObject({ message: 'The service rejected the request (400).', quote: undefined })
})

test.each([
  ['one\n::error::two\u001b[31m\u202e ##[error]three', 'one ::error::two # #[error]three'],
  ['x'.repeat(1_000), `${'x'.repeat(299)}…`],
  [Array.from(KEY).join('\u0000'), '***'],
  [`${'x'.repeat(290)}${Array.from(KEY).join('\u0000')}`, `${'x'.repeat(290)}***`],
])('the words %j are quoted on one clean line, cut only after the key is redacted', (error, quote) => {
  expect(errorOf(400, JSON.stringify({ error })).quote).toBe(quote)
})

test('a redirect names the host that it leads to', () => {
  const hintOf = (redirectHost: string) => errorOf(302, '', { redirectHost }).hint
  expect(hintOf('login.example.com')).toContain('redirects to `login.example.com`')
  expect(hintOf(`${KEY}.example.com`)).not.toContain(KEY)
  expect(errorOf(302).hint).not.toContain('leads to')
})

const FAILURES: Readonly<Record<FailureCause, readonly [PostDecision, ErrorCode, RegExp]>> = {
  'no-connection': ['again', 'unreachable', /`base-url`/],
  untrusted: ['stop', 'untrusted', /certificate.*`NODE_EXTRA_CA_CERTS`/],
  'not-tls': ['stop', 'untrusted', /^(?!.*certificate).*does not use TLS.*the port in `base-url`/],
  'proxy-refused': ['stop', 'proxy', /credentials in `HTTPS_PROXY`/],
  invalid: ['stop', 'rejected', /`base-url`/],
  timeout: ['stop', 'unreachable', /in time.*network/],
  cancelled: ['stop', 'cancelled', /cancelled/],
  'too-large': ['unknown', 'bad-answer', /^(?!.*lost).*larger than 4 MiB.*`base-url`/],
  broken: ['unknown', 'unreachable', /connection was lost.*network/],
}
const CAUSES_OF_FAILURE = Object.keys(FAILURES) as FailureCause[]
const failed = (cause: FailureCause, sent = false) => ({ kind: 'failure', cause, code: undefined, sent }) as const

test.each(CAUSES_OF_FAILURE)('the failure %s is an error that leads to its cause', (cause) => {
  const [, code, words] = FAILURES[cause]
  const error = errorOfResult({ ...failed(cause), code: 'ECODE' }, CREATE, redact)
  expect(error.code).toBe(code)
  expect(`${error.message} ${String(error.hint)}`).toMatch(words)
  expect(error.message).toContain(' (ECODE).')
  expect(errorOfResult(failed(cause), CREATE, redact).message).not.toMatch(/undefined|\(/)
})

test.each(CAUSES_OF_FAILURE.map((cause) => [cause, FAILURES[cause][0]] as const))(
  'of a prompt that fails with %s: %s where nothing was sent, and never again where anything may have been',
  (cause, decision) => {
    expect(decidePost(failed(cause))).toBe(decision)
    expect(decidePost(failed(cause, true))).toBe('unknown')
  },
)

test('a status that is not listed may mean a job: redirects, 408, 409, all of 5xx', () => {
  const statuses = Array.from({ length: 500 }, (_, index) => 100 + index)
  const those = (decision: PostDecision): number[] =>
    statuses.filter((status) => decidePost(answered(status)) === decision)
  expect(those('accepted')).toEqual(statuses.slice(100, 200))
  expect(those('wait')).toEqual([425, 429])
  expect(those('stop')).toEqual([400, 401, 402, 403, 404, 405, 413, 415, 422])
  expect(those('again')).toEqual([])
})

test('no title says what the message behind it says', () => {
  const failures = CAUSES_OF_FAILURE.map((cause) => failed(cause))
  const errors = [
    ...[302, 408, ...STATUSES].map((status) => errorOf(status)),
    ...failures.filter(({ cause }) => cause !== 'cancelled').map((failure) => errorOfResult(failure, CREATE, redact)),
  ]
  const plain = (text: string): string => text.toLowerCase().replace(/^the |\.$/g, '')
  const repeated = errors.filter(({ code, message }) => plain(message).includes(plain(ERROR_TITLES[code])))
  expect(repeated.map(({ message }) => message)).toEqual([])
})
