import { expect, test } from '@jest/globals'
import { ErrorResponse, toActionError, TransportFailure } from '../../src/github/github-error.ts'
import { InvalidResponse } from '../../src/github/schemas.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const KEY = 'ghs_0123456789abcdef'
const redact = createRedactor([KEY])

const createRefusal = (status: number, message: string, headers = {}): ErrorResponse =>
  new ErrorResponse({ status, url: '', headers, data: { message, secret: 'token' } })
const toError = (error: unknown): ActionError => toActionError(error, 'checks: read', 'acme/docs', redact, NOW)

const USED_UP = { 'x-ratelimit-remaining': '0' }
const ACCEPTED = { 'x-accepted-github-permissions': 'checks=read' }
const OWN_ERROR = new ActionError('cancelled', 'The run was cancelled.')
const RESET = Object.assign(new Error('read'), { code: 'ECONNRESET', syscall: 'read' })
const createTransportFailure = (code: string): TransportFailure =>
  new TransportFailure(Object.assign(new Error('x'), { code }))

test.each<[ActionError['code'], Error, string?]>([
  ['unauthorized', createRefusal(401, 'Bad credentials'), 'Check `github-token`'],
  ['rate-limited', createRefusal(403, 'You have exceeded a secondary rate limit.')],
  ['rate-limited', createRefusal(403, 'API Rate Limit exceeded')],
  ['rate-limited', createRefusal(403, 'No', USED_UP)],
  ['rate-limited', createRefusal(403, 'No', { 'retry-after': '7' })],
  ['rate-limited', createRefusal(403, 'No', { 'retry-after': 'soon' })],
  ['forbidden', createRefusal(403, 'Your corporate limit is reached')],
  ['forbidden', createRefusal(403, 'The rate limiter is off')],
  ['rate-limited', createRefusal(429, 'slow down')],
  ['rate-limited', createRefusal(422, 'Body was submitted too quickly')],
  ['service-error', createRefusal(500, 'Bad gateway')],
  ['rejected', createRefusal(422, 'Validation Failed')],
  ['unreachable', new TransportFailure(RESET), 'Check the proxy'],
  ['unreachable', new TransportFailure(new TypeError('x')), 'Check the proxy'],
  ['untrusted', createTransportFailure('DEPTH_ZERO_SELF_SIGNED_CERT'), 'NODE_EXTRA_CA_CERTS'],
  ['untrusted', createTransportFailure('CERT_HAS_EXPIRED'), "the runner's clock"],
  ['untrusted', createTransportFailure('ERR_TLS_CERT_ALTNAME_INVALID'), 'the host in `GITHUB_API_URL`'],
  ['untrusted', createTransportFailure('ERR_SSL_UNSUPPORTED_PROTOCOL'), 'TLS 1.2 or 1.3'],
  ['invalid-response', new InvalidResponse()],
])('reports %s for %s', (code, error, hint = '') => {
  expect(toError(error)).toMatchObject({ code, ...(hint !== '' && { hint: expect.stringContaining(hint) as unknown }) })
})

const GRANT = /^Grant `checks: read` under `permissions` of the job\. If `acme\/docs` is not .*\.$/
const LOOK = /^Check that it exists, and that `github-token` has access to `acme\/docs`: /

test.each<[number, string, object, RegExp | undefined]>([
  [403, 'Resource not accessible by integration', {}, GRANT],
  [403, 'Resource not accessible by personal access token', {}, GRANT],
  [403, 'Forbidden', ACCEPTED, GRANT],
  [404, 'Not Found', ACCEPTED, GRANT],
  [404, 'Not Found', {}, LOOK],
  [404, 'No common ancestor between a and b.', {}, undefined],
  [404, 'Pull requests are disabled for this repository.', {}, undefined],
  [403, 'Repository was archived so is read-only.', ACCEPTED, undefined],
  [403, 'Unable to create comment because issue is locked.', ACCEPTED, undefined],
  [403, 'Resource protected by organization SAML enforcement.', ACCEPTED, undefined],
])('a %d quotes GitHub’s message “%s”, with a matching hint', (status, quote, headers, advice) => {
  const { code, message, hint } = toError(createRefusal(status, quote, headers))
  expect(code).toBe(status === 404 ? 'not-found' : 'forbidden')
  expect(message).toContain(`GitHub says “${quote}” (${status}).`)
  if (advice === undefined) expect(hint).toBeUndefined()
  else expect(hint).toMatch(advice)
})

test('a rate limit is reported with the time at which it ends', () => {
  const until = (seconds: number) => ({ ...USED_UP, 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + seconds) })
  const { message, retryAfterMs } = toError(createRefusal(403, 'API rate limit exceeded', until(2_399)))
  expect([message, retryAfterMs]).toEqual(["GitHub's rate limit is exceeded until 2026-01-01 00:40:00 UTC.", 2_400_000])
})

test('content that was submitted too quickly is a rate limit if only a validation error says so', () => {
  const errors = [{ resource: 'IssueComment', code: 'custom', field: 'body', message: 'was submitted too quickly' }]
  const refusal = new ErrorResponse({
    status: 422,
    url: '',
    headers: {},
    data: { message: 'Validation Failed', errors },
  })
  expect(toError(refusal)).toMatchObject({ code: 'rate-limited', retryAfterMs: 60_000 })
})

test('the hint for a label that cannot be created is to create it, or to grant `issues: write`', () => {
  const message = 'You do not have permission to create labels on this repository.'
  const unauthorized = { resource: 'Repository', field: 'label', code: 'unauthorized' }
  const data = { message, errors: [null, unauthorized] }
  expect(toError(new ErrorResponse({ status: 403, url: '', headers: {}, data }))).toMatchObject({
    code: 'forbidden',
    message: `GitHub says “${message}” (403).`,
    hint: 'Create the label in `acme/docs` once, or grant `issues: write` under `permissions` of the job.',
  })
})

test.each([new TypeError('x is not a function'), RESET, new DOMException('x')])(
  'throws %s, because it is a bug',
  (bug) => {
    expect(() => toError(bug)).toThrow(bug)
  },
)

test('an error keeps its cause, but its JSON does not contain the cause', () => {
  const cause = Object.assign(new Error(`read ${KEY}`), { code: 'ECONNRESET' })
  const refused = createRefusal(403, 'Forbidden')
  expect(toError(new TransportFailure(cause)).cause).toBe(cause)
  expect(toError(refused).cause).toBe(refused)
  expect(JSON.stringify(toError(new TransportFailure(cause)))).not.toContain(KEY)
})

test('returns our own errors unchanged', () => {
  expect(toError(OWN_ERROR)).toBe(OWN_ERROR)
})

test('keeps one clean line of the response, and nothing of the request', () => {
  const error = toError(createRefusal(422, 'a\n::error::b'))
  expect(error.message).toBe('GitHub says “a ::error::b” (422).')
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('GitHub’s message cannot end the quotation marks around it', () => {
  expect(toError(createRefusal(403, 'No.” See @mona in “x')).message).toBe('GitHub says “No. See @mona in x” (403).')
})

const invalidBody = { resource: 'IssueComment', code: 'custom', field: 'body' }
const TOO_LONG = 'Body is too long (maximum is 65536 characters)'

test.each<[string, string, unknown, string]>([
  ['the message of the error', 'Validation Failed', [{ ...invalidBody, message: TOO_LONG }], `: “${TOO_LONG}”.`],
  ['a plain string', 'Unprocessable Entity', ['Can not approve your own pull request'], ': “Can not approve your own'],
  ['the field of the error, without a message', 'Validation Failed', [invalidBody], ': “body was rejected”.'],
  [
    'the codes of the errors, without messages',
    'Validation Failed',
    [
      { field: 'label', code: 'missing' },
      { field: 'body', code: 'missing_field' },
      { field: 'sha', code: 'invalid' },
      { field: 'name', code: 'already_exists' },
    ],
    ': “label names something that does not exist; body is missing; sha is not valid”.',
  ],
  ['our own words for an empty error', 'Validation Failed', [{}], ': “a value was rejected”.'],
  ['the status only, without a list of errors', 'Validation Failed', undefined, ' without a reason.'],
  ['the status only, for malformed errors', 'Validation Failed', [null, 7], ' without a reason.'],
  ['the error instead of an empty message', '', [{ field: 'body', code: 'invalid' }], ': “body is not valid”.'],
])('a 422 is explained by %s', (_what, message, errors, expected) => {
  const { code, message: text } = toError(
    new ErrorResponse({ status: 422, url: '', headers: {}, data: { message, errors } }),
  )
  expect([code, text]).toEqual(['rejected', expect.stringContaining(`GitHub rejected the request (422)${expected}`)])
})

test('removes Markdown from GitHub’s message', () => {
  const quote = 'The `acme` [page](https://example.com) <img src=x> **won**'
  expect(toError(createRefusal(403, quote)).message).not.toMatch(/[`<>[\]*]/)
})

test('redacts a secret before a quote is cut', () => {
  const { message } = toError(createRefusal(422, `${'x'.repeat(190)}${KEY}`))
  expect(message).toMatch(/^GitHub says “x{190}\**” \(422\)\.$/)
})

test.each(['', null, 7, '<!doctype html>', { message: 7 }])('quotes nothing from a refusal with %j', (data) => {
  expect(toError(new ErrorResponse({ status: 410, url: '', headers: {}, data })).message).toBe(
    'GitHub responded with 410.',
  )
})

const HOUR = { ...USED_UP, 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 90) }

test.each<[string, object, number]>([
  ['as long as `Retry-After`', { ...HOUR, 'retry-after': '7' }, 7_000],
  ['one second longer than until the reset', HOUR, 91_000],
  ['as long as until the reset by the clock of the server', { ...HOUR, date: 'Thu, 01 Jan 2026 00:01:00 GMT' }, 31_000],
  ['a second if the reset has passed', { ...HOUR, 'x-ratelimit-reset': '5' }, 1_000],
  ['a minute without headers', {}, 60_000],
  ['a minute with malformed headers', { ...HOUR, 'x-ratelimit-reset': 'soon', 'retry-after': '-1' }, 60_000],
])('a rate limit lasts %s', (_what, headers, ms) => {
  expect(createRefusal(429, 'slow down', headers).limitMs(NOW)).toBe(ms)
})
