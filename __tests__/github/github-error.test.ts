import { expect, test } from '@jest/globals'
import { Refusal, toActionError } from '../../src/github/github-error.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'

const NEED = { permission: 'checks: read', repository: 'acme/docs' }

const KEY = 'ghs_0123456789abcdef'
const redact = createRedactor([KEY])

const refusal = (status: number, message: string, headers = {}): Refusal =>
  new Refusal({ status, headers, data: { message, secret: 'token' } })

test.each([
  [401, 'Bad credentials', 'unauthorized'],
  [403, 'Resource not accessible by integration', 'forbidden'],
  [404, 'Not Found', 'not-found'],
  [403, 'You have exceeded a secondary rate limit.', 'rate-limited'],
  [403, 'API Rate Limit exceeded', 'rate-limited'],
  [403, 'Your corporate limit is reached', 'forbidden'],
  [403, 'The rate limiter is off', 'forbidden'],
  [429, 'slow down', 'rate-limited'],
  [502, 'Bad gateway', 'service-error'],
  [422, 'Validation Failed', 'rejected'],
] as const)('a %d that says “%s” is %s', (status, message, code) => {
  expect(toActionError(refusal(status, message), NEED, redact).code).toBe(code)
})

test('a 403 with no requests left is a rate limit, whatever it says', () => {
  expect(toActionError(refusal(403, 'No', { 'x-ratelimit-remaining': '0' }), NEED, redact).code).toBe('rate-limited')
})

test.each([
  [403, 'Resource not accessible by integration', {}],
  [403, 'Resource not accessible by personal access token', {}],
  [403, 'Forbidden', { 'x-accepted-github-permissions': 'checks=read' }],
  [404, 'Not Found', { 'x-accepted-github-permissions': 'checks=read' }],
])('a %d that is about permissions (“%s”) says what to grant, and where', (status, said, headers) => {
  const { message, hint } = toActionError(refusal(status, said, headers), NEED, redact)
  expect(message).toContain(`GitHub says “${said}” (${status}).`)
  expect(hint).toMatch(/^Grant `checks: read` under `permissions` of the job\. If `acme\/docs` is not .*\.$/)
})

test.each([
  'Repository was archived so is read-only.',
  'Unable to create comment because issue is locked.',
  'Resource protected by organization SAML enforcement.',
])('a 403 for another reason (“%s”) is told in GitHub’s words, and advises no permission', (said) => {
  const headers = { 'x-accepted-github-permissions': 'issues=write' }
  const error = toActionError(refusal(403, said, headers), NEED, redact)
  expect(error).toMatchObject({ code: 'forbidden', message: `GitHub says “${said}” (403).`, hint: undefined })
})

test('a 404 may have a reason of its own, and says where to look', () => {
  const { message, hint } = toActionError(refusal(404, 'No common ancestor between a and b.'), NEED, redact)
  expect(message).toContain('GitHub says “No common ancestor between a and b.” (404).')
  expect(hint).toMatch(/^Check that it exists, and that `github-token` can see `acme\/docs`: /)
})

test('no answer at all is a matter of the network', () => {
  const error = Object.assign(new Error('read'), { code: 'ECONNRESET', syscall: 'read' })
  expect(toActionError(error, NEED, redact)).toMatchObject({ code: 'unreachable' })
})

test('a certificate that is not trusted says what helps', () => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(toActionError(error, NEED, redact)).toMatchObject({
    code: 'untrusted',
    hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
})

test('an answer of another form makes no sense', () => {
  expect(toActionError(new TypeError('x is not a function'), NEED, redact).code).toBe('bad-answer')
})

test('our own errors stay as they are', () => {
  const error = new ActionError('cancelled', 'The run was cancelled.')
  expect(toActionError(error, NEED, redact)).toBe(error)
})

test('keeps nothing of the request, and one clean line of the answer', () => {
  const error = toActionError(refusal(422, 'a\n::error::b'), NEED, redact)
  expect(error.message).toBe('GitHub says “a ::error::b” (422).')
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('no Markdown of GitHub’s words reaches the summary', () => {
  const said = 'The `acme` [page](https://example.com) <img src=x> **won**'
  expect(toActionError(refusal(403, said), NEED, redact).message).not.toMatch(/[`<>[\]*]/)
})

test('a secret at the place where a quote is cut is taken out as a whole', () => {
  const { message } = toActionError(refusal(422, `${'x'.repeat(190)}${KEY}`), NEED, redact)
  expect(message).toMatch(/^GitHub says “x{190}\**” \(422\)\.$/)
})

test.each(['', null, 7, '<!doctype html>', { message: 7 }])('a refusal with %j is not quoted', (data) => {
  const error = new Refusal({ status: 304, headers: {}, data })
  expect(toActionError(error, NEED, redact).message).toBe('GitHub answered 304.')
})

const NOW = new Date('2026-01-01T00:00:00Z')
const RESET = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 90) }

test.each<[string, object, number]>([
  ['as long as it says', { ...RESET, 'retry-after': '7' }, 7_000],
  ['a second longer than the hour of the token', RESET, 91_000],
  ['by the clock of the server', { ...RESET, date: 'Thu, 01 Jan 2026 00:01:00 GMT' }, 31_000],
  ['a second where that hour is over', { ...RESET, 'x-ratelimit-reset': '5' }, 1_000],
  ['a minute where it does not say', {}, 60_000],
  ['a minute where it says nothing of use', { ...RESET, 'x-ratelimit-reset': 'soon', 'retry-after': '-1' }, 60_000],
])('a rate limit lasts %s', (_what, headers, ms) => {
  expect(refusal(429, 'slow down', headers).limitMs(NOW)).toBe(ms)
})
