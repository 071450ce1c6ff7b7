import { expect, test } from '@jest/globals'
import { decidePost, toServiceError, type ServiceOperation, type PostDecision } from '../../src/docs-service/retry.ts'
import type { WireResponse } from '../../src/docs-service/transport.ts'
import type { FailureCause } from '../../src/http/exchange.ts'
import { type ActionError, describeError, ERROR_TITLES, type ErrorCode } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'

const KEY = 'dk_0123456789abcdef'
const redact = createRedactor([KEY])
const CREATE: ServiceOperation = { kind: 'create', projectId: 'docs' }
const READ: ServiceOperation = { kind: 'read', projectId: 'docs', jobId: 'job_1' }

const createResponse = (status: number) => ({ kind: 'response', status, body: '', retryAfterMs: undefined }) as const

function getError(status: number, body = '', fields: Partial<WireResponse> = {}, operation = CREATE): ActionError {
  return toServiceError({ ...createResponse(status), body, ...fields }, operation, redact)
}

/** A word that the hint for a status must contain. */
const HINT_WORDS: Readonly<Record<number, string>> = {
  301: '`base-url`',
  401: 'expire',
  403: 'scope',
  404: '`project-id`',
  413: 'Shorten',
  431: 'the secret',
}

test.each<[ErrorCode, readonly number[]]>([
  ['redirected', [300, 301, 308]],
  ['rejected', [400, 402, 405, 409, 413, 414, 415, 418, 422, 426, 431, 451]],
  ['unauthorized', [401]],
  ['forbidden', [403]],
  ['not-found', [404, 410]],
  ['rate-limited', [425, 429]],
  ['service-error', [408, 500, 501, 503, 505]],
])('reports %s for %j, with the status and a hint', (code, statuses) => {
  for (const status of statuses) {
    const { message, hint, ...error } = getError(status)
    expect([status, error.code]).toEqual([status, code])
    expect(message).toContain(`(${status})`)
    expect(hint).toMatch(/^[A-Z].*\.$/)
    expect(hint).toContain(HINT_WORDS[status] ?? '')
  }
})

test.each<readonly [string, ErrorCode]>([
  ['{"error":"There is no such job."}', 'not-found'],
  ['{}', 'not-found'],
  ...['<!doctype html><title>Not found</title>', '', 'null', '[]'].map((body) => [body, 'rejected'] as const),
])('a 404 or 410 means that the job is missing only if the service responded: %j', (body, code) => {
  for (const status of [404, 410]) {
    expect(getError(status, body, {}, READ)).toMatchObject({ code, status })
    expect(getError(status, body).code).toBe('not-found')
  }
})

test.each([401, 403])(
  'blames a firewall or proxy, and not the key, for a %i that is not the service’s JSON',
  (status) => {
    for (const body of ['<!doctype html><title>Blocked</title>', 'Unauthorized', '[]'])
      for (const operation of [CREATE, READ]) {
        const { code, message, hint } = getError(status, body, {}, operation)
        expect([code, message]).toEqual(['proxy', `A firewall or proxy responded instead of the service (${status}).`])
        expect(hint).not.toMatch(/key/)
      }
    for (const body of ['{}', '{"error":"Bad key"}', '']) expect(getError(status, body).hint).toMatch(/key/)
  },
)

test('blames a firewall for a 429 that is not the service’s JSON, and still waits', () => {
  const blocked = getError(429, '<!doctype html><title>Access denied</title>', { retryAfterMs: 7_000 })
  expect(blocked).toMatchObject({
    code: 'rate-limited',
    message: 'A firewall or proxy responded instead of the service (429).',
    hint: expect.stringContaining('lets the runner') as unknown,
    retryAfterMs: 7_000,
  })
  for (const body of ['{"error":"Slow down"}', '']) expect(getError(429, body).message).toContain('rate-limited')
})

const OPERATIONS: readonly ServiceOperation[] = [
  CREATE,
  { kind: 'message', projectId: 'docs', jobId: 'job_1' },
  { kind: 'message', projectId: 'docs', jobId: 'job_1', isJobIdInput: true },
  READ,
  { ...READ, isJobIdInput: true },
  { kind: 'visitors', projectId: 'docs' },
]
const STATUSES = [
  400, 401, 402, 403, 404, 405, 410, 413, 414, 415, 418, 422, 425, 426, 429, 431, 451, 500, 501, 503, 505,
]

test.each(OPERATIONS)(
  'all hints for $kind match the operation (the input `job-id` is set: $isJobIdInput)',
  (operation) => {
    const hints = STATUSES.map((status) => getError(status, '{}', {}, operation).hint)
    for (const sentence of hints) expect(sentence).toMatch(/^[A-Z].*\.$/)
    const all = hints.join(' ')
    const { kind } = operation
    expect(/prompt|credits/.test(all)).toBe(kind === 'create' || kind === 'message')
    expect(all.includes('`job-id`')).toBe(operation.isJobIdInput === true)
    expect(/`date-from`|analytics|export/.test(all)).toBe(kind === 'visitors')
    expect(all.includes('write access')).toBe(kind === 'create' || kind === 'message')
  },
)

test("keeps the service's own message separate from ours", () => {
  const error = getError(400, '{"error":"The prompt is too short."}', { retryAfterMs: 7_000 })
  const message = 'The service rejected the request (400).'
  expect(error).toMatchObject({ message, quote: 'The prompt is too short.', retryAfterMs: 7_000 })
  expect(describeError(error)).toBe('The service rejected the request (400). It says: “The prompt is too short.”')
  expect(describeError(getError(599))).toBe('The service failed (599).')
})

const WITHOUT_MESSAGE = [
  '',
  'null',
  '"text"',
  '[]',
  '{}',
  '{"error":7}',
  '{"errors":[{},7],"details":[7,null]}',
  '{"error":" "}',
  '<html>',
]

test.each([...WITHOUT_MESSAGE, `${KEY} {`, `{"error": ${KEY}}`])('quotes nothing of the body %j', (body) => {
  expect(getError(400, body)).toMatchObject({ message: 'The service rejected the request (400).', quote: undefined })
})

test.each([
  [{ error: 'A', message: 'A' }, 'A'],
  [{ error: 'A', message: 'B' }, 'A. B'],
  [{ error: 'A!', message: ' B. ', detail: 'A!' }, 'A! B.'],
  [{ error: { message: 'A', code: 'B' }, message: 'C' }, 'A. C'],
  [{ error: ' ', message: 'A', detail: 'B' }, 'A. B'],
  [{ error: 7, detail: 'A', errors: ['B'] }, 'A. B'],
  [{ detail: [{ msg: 'B' }], errors: ['A', 'B'] }, 'A. B'],
  [{ errors: [null, { message: 'A' }], details: [{ message: 'B' }] }, 'A. B'],
  [{ errors: 'B', details: [{ field: 'B' }, { message: 'A' }] }, 'A'],
  [{ type: 'about:blank', title: 'A', status: 400 }, 'A'],
  [{ title: 'B', detail: 'A' }, 'A. B'],
  [{ errors: [{ title: 'B', detail: 'A' }] }, 'A. B'],
  [{ detail: [{ loc: ['body'], msg: 'A' }] }, 'A'],
  [
    { error: 'Invalid query', details: [{ message: 'A must be within the last 90 days' }] },
    'Invalid query. A must be within the last 90 days',
  ],
])('quotes all reasons in %j: %s', (body, quote) => {
  expect(getError(400, JSON.stringify(body)).quote).toBe(quote)
  const leaked = JSON.stringify(body).replaceAll('A', JSON.stringify(`No ${KEY}`).slice(1, -1))
  expect(getError(400, leaked).quote).toBe(quote.replaceAll('A', 'No ***'))
})

test.each([
  ['one\n::error::two\u001b[31m\u202e ##[error]three', 'one ::error::two # #[error]three'],
  ['x'.repeat(1_000), `${'x'.repeat(299)}…`],
  [Array.from(KEY).join('\u0000'), '***'],
  [`${'x'.repeat(290)}${Array.from(KEY).join('\u0000')}`, `${'x'.repeat(290)}***`],
])('quotes the message %j on one clean line, and redacts the key before the cut', (error, quote) => {
  expect(getError(400, JSON.stringify({ error })).quote).toBe(quote)
})

test('the hint for a redirect names its host', () => {
  const getHint = (redirectHost: string) => getError(302, '', { redirectHost }).hint
  expect(getHint('login.example.com')).toContain('redirects to `login.example.com`')
  expect(getHint(`${KEY}.example.com`)).not.toContain(KEY)
  expect(getError(302).hint).not.toContain('leads to')
})

const FAILURES: Readonly<Record<FailureCause, readonly [PostDecision, ErrorCode, RegExp]>> = {
  'no-connection': ['again', 'unreachable', /`base-url`/],
  untrusted: ['stop', 'untrusted', /certificate.*`NODE_EXTRA_CA_CERTS`/],
  'wrong-name': ['stop', 'untrusted', /^(?!.*NODE_EXTRA).*certificate for its host name.*host in `base-url`/],
  expired: ['stop', 'untrusted', /^(?!.*NODE_EXTRA).*expired or is not valid yet.*clock/],
  'no-common-tls': ['stop', 'untrusted', /^(?!.*NODE_EXTRA).*no TLS version or cipher.*TLS 1\.2/],
  'client-certificate': ['stop', 'untrusted', /^(?!.*NODE_EXTRA).*requires a client certificate/],
  'proxy-tls': ['stop', 'proxy', /secure connection to the proxy.*`NODE_EXTRA_CA_CERTS`/],
  'not-tls': ['stop', 'untrusted', /^(?!.*certificate).*does not use TLS.*the port in `base-url`/],
  'proxy-refused': ['stop', 'proxy', /credentials in `HTTPS_PROXY`/],
  invalid: ['stop', 'rejected', /`base-url`/],
  timeout: ['stop', 'unreachable', /in time.*network/],
  cancelled: ['stop', 'cancelled', /cancelled/],
  'too-large': ['unknown', 'invalid-response', /^(?!.*lost).*larger than 4 MiB.*`base-url`/],
  broken: ['unknown', 'unreachable', /connection was lost.*network/],
}
const FAILURE_CAUSES = Object.keys(FAILURES) as FailureCause[]
const createFailure = (cause: FailureCause, sent = false) =>
  ({ kind: 'failure', cause, code: undefined, sent }) as const

test.each(FAILURE_CAUSES)('the error for the failure %s names its cause', (cause) => {
  const [, code, words] = FAILURES[cause]
  const error = toServiceError({ ...createFailure(cause), code: 'ECODE' }, CREATE, redact)
  expect(error.code).toBe(code)
  expect(`${error.message} ${String(error.hint)}`).toMatch(words)
  expect(error.message).toContain(' (ECODE).')
  expect(toServiceError(createFailure(cause), CREATE, redact).message).not.toMatch(/undefined|\(/)
})

test.each(FAILURE_CAUSES.map((cause) => [cause, FAILURES[cause][0]] as const))(
  'after the failure %s, decides `%s` if nothing was sent, and `unknown` if anything may have been',
  (cause, decision) => {
    expect(decidePost(createFailure(cause))).toBe(decision)
    // A server that requires a client certificate has not read the request.
    expect(decidePost(createFailure(cause, true))).toBe(cause === 'client-certificate' ? 'stop' : 'unknown')
  },
)

test('an unlisted status is unknown, such as redirects, 408, 409 and 5xx', () => {
  const statuses = Array.from({ length: 500 }, (_, index) => 100 + index)
  const listStatuses = (decision: PostDecision): number[] =>
    statuses.filter((status) => decidePost(createResponse(status)) === decision)
  expect(listStatuses('accepted')).toEqual(statuses.slice(100, 200))
  expect(listStatuses('wait')).toEqual([425, 429])
  expect(listStatuses('stop')).toEqual([400, 401, 402, 403, 404, 405, 410, 413, 414, 415, 422, 426, 431, 451, 501, 505])
  expect(listStatuses('again')).toEqual([])
})

test('no title repeats its message', () => {
  const failures = FAILURE_CAUSES.map((cause) => createFailure(cause))
  const errors = [
    ...[302, 408, ...STATUSES].map((status) => getError(status)),
    ...failures.filter(({ cause }) => cause !== 'cancelled').map((failure) => toServiceError(failure, CREATE, redact)),
  ]
  const plain = (text: string): string => text.toLowerCase().replace(/^the |\.$/g, '')
  const repeated = errors.filter(({ code, message }) => plain(message).includes(plain(ERROR_TITLES[code])))
  expect(repeated.map(({ message }) => message)).toEqual([])
})
