import { expect, test } from '@jest/globals'
import { toActionError } from '../../src/github/github-error.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { createRedactor } from '../../src/shared/redact.ts'

const NEED = { permission: 'checks: read', repository: 'acme/docs' }

const KEY = 'ghs_0123456789abcdef'
const redact = createRedactor([KEY])

const refusal = (status: number, message: string, headers = {}): Error =>
  Object.assign(new Error(message), { status, response: { data: { message }, headers }, request: { secret: 'token' } })

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

test('a refusal says what to grant, and where', () => {
  const { message, hint } = toActionError(refusal(403, 'No'), NEED, redact)
  expect(message).toContain('`checks: read` in acme/docs')
  expect(hint).toContain('Grant `checks: read` under `permissions`')
})

test('no answer at all is a matter of the network, although Octokit calls it a 500', () => {
  const error = Object.assign(new Error('fetch failed'), { status: 500, response: undefined })
  expect(toActionError(error, NEED, redact)).toMatchObject({ code: 'unreachable' })
})

test('a certificate that is not trusted says what helps, however deep it is wrapped', () => {
  const tls = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  const fetchFailed = new TypeError('fetch failed', { cause: tls })
  const error = Object.assign(new Error('self-signed'), { status: 500, cause: fetchFailed })
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
  expect(error.quote).toBe('a ::error::b')
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('a secret at the place where a quote is cut is taken out as a whole', () => {
  const { quote } = toActionError(refusal(422, `${'x'.repeat(190)}${KEY}`), NEED, redact)
  expect(quote).toBe(`${'x'.repeat(190)}***`)
})

test('a refusal that says nothing is not quoted', () => {
  expect(toActionError(refusal(304, ''), NEED, redact).quote).toBeUndefined()
})
