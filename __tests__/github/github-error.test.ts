import { expect, test } from '@jest/globals'
import { Refusal, toActionError, TransportFailure } from '../../src/github/github-error.ts'
import { InvalidResponse } from '../../src/github/schemas.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const KEY = 'ghs_0123456789abcdef'
const redact = createRedactor([KEY])

const refusal = (status: number, message: string, headers = {}): Refusal =>
  new Refusal({ status, url: '', headers, data: { message, secret: 'token' } })
const told = (error: unknown): ActionError => toActionError(error, 'checks: read', 'acme/docs', redact, NOW)

const USED_UP = { 'x-ratelimit-remaining': '0' }
const ACCEPTED = { 'x-accepted-github-permissions': 'checks=read' }
const OWN = new ActionError('cancelled', 'The run was cancelled.')
const RESET = Object.assign(new Error('read'), { code: 'ECONNRESET', syscall: 'read' })
const SELF_SIGNED = Object.assign(new Error('x'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })

test.each<[ActionError['code'], Error, string?]>([
  ['unauthorized', refusal(401, 'Bad credentials'), 'Check `github-token`'],
  ['rate-limited', refusal(403, 'You have exceeded a secondary rate limit.')],
  ['rate-limited', refusal(403, 'API Rate Limit exceeded')],
  ['rate-limited', refusal(403, 'No', USED_UP)],
  ['rate-limited', refusal(403, 'No', { 'retry-after': '7' })],
  ['rate-limited', refusal(403, 'No', { 'retry-after': 'soon' })],
  ['forbidden', refusal(403, 'Your corporate limit is reached')],
  ['forbidden', refusal(403, 'The rate limiter is off')],
  ['rate-limited', refusal(429, 'slow down')],
  ['service-error', refusal(500, 'Bad gateway')],
  ['rejected', refusal(422, 'Validation Failed')],
  ['unreachable', new TransportFailure(RESET), 'Check the proxy'],
  ['unreachable', new TransportFailure(new TypeError('x')), 'Check the proxy'],
  ['untrusted', new TransportFailure(SELF_SIGNED), 'NODE_EXTRA_CA_CERTS'],
  ['bad-answer', new InvalidResponse()],
])('%s is what comes of %s', (code, error, hint = '') => {
  expect(told(error)).toMatchObject({ code, ...(hint !== '' && { hint: expect.stringContaining(hint) as unknown }) })
})

const GRANT = /^Grant `checks: read` under `permissions` of the job\. If `acme\/docs` is not .*\.$/
const LOOK = /^Check that it exists, and that `github-token` has access to `acme\/docs`: /

test.each<[number, string, object, RegExp | undefined]>([
  [403, 'Resource not accessible by integration', {}, GRANT],
  [403, 'Resource not accessible by personal access token', {}, GRANT],
  [403, 'Forbidden', ACCEPTED, GRANT],
  [404, 'Not Found', ACCEPTED, GRANT],
  [404, 'Not Found', {}, LOOK],
  [404, 'No common ancestor between a and b.', {}, LOOK],
  [403, 'Repository was archived so is read-only.', ACCEPTED, undefined],
  [403, 'Unable to create comment because issue is locked.', ACCEPTED, undefined],
  [403, 'Resource protected by organization SAML enforcement.', ACCEPTED, undefined],
])('a %d is told in GitHub’s words, “%s”, and advises what helps', (status, said, headers, advice) => {
  const { code, message, hint } = told(refusal(status, said, headers))
  expect(code).toBe(status === 404 ? 'not-found' : 'forbidden')
  expect(message).toContain(`GitHub says “${said}” (${status}).`)
  if (advice === undefined) expect(hint).toBeUndefined()
  else expect(hint).toMatch(advice)
})

test('a token that may not create a label is told to create it once, or to get `issues: write`', () => {
  const message = 'You do not have permission to create labels on this repository.'
  const unauthorized = { resource: 'Repository', field: 'label', code: 'unauthorized' }
  const data = { message, errors: [null, unauthorized] }
  expect(told(new Refusal({ status: 403, url: '', headers: {}, data }))).toMatchObject({
    code: 'forbidden',
    message: `GitHub says “${message}” (403).`,
    hint: 'Create the label in `acme/docs` once, or grant `issues: write` under `permissions` of the job.',
  })
})

test.each([new TypeError('x is not a function'), RESET, new DOMException('x')])('throws %s: a defect', (defect) => {
  expect(() => told(defect)).toThrow(defect)
})

test('an error keeps its cause, which is no part of the error as JSON', () => {
  const cause = Object.assign(new Error(`read ${KEY}`), { code: 'ECONNRESET' })
  const refused = refusal(403, 'Forbidden')
  expect(told(new TransportFailure(cause)).cause).toBe(cause)
  expect(told(refused).cause).toBe(refused)
  expect(JSON.stringify(told(new TransportFailure(cause)))).not.toContain(KEY)
})

test('our own errors stay as they are', () => {
  expect(told(OWN)).toBe(OWN)
})

test('keeps nothing of the request, and one clean line of the answer', () => {
  const error = told(refusal(422, 'a\n::error::b'))
  expect(error.message).toBe('GitHub says “a ::error::b” (422).')
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('its words cannot end the quotation marks in which they stand', () => {
  expect(told(refusal(403, 'No.” See @mona in “x')).message).toBe('GitHub says “No. See @mona in x” (403).')
})

const invalidBody = { resource: 'IssueComment', code: 'custom', field: 'body' }
const TOO_LONG = 'Body is too long (maximum is 65536 characters)'

test.each<[string, string, unknown, string]>([
  ['its message', 'Validation Failed', [{ ...invalidBody, message: TOO_LONG }], `: “${TOO_LONG}”.`],
  ['a plain string', 'Unprocessable Entity', ['Can not approve your own pull request'], ': “Can not approve your own'],
  ['its field, without a message', 'Validation Failed', [invalidBody], ': “body was rejected”.'],
  [
    'its code, without a message',
    'Validation Failed',
    [
      { field: 'label', code: 'missing' },
      { field: 'body', code: 'missing_field' },
      { field: 'sha', code: 'invalid' },
      { field: 'name', code: 'already_exists' },
    ],
    ': “label names something that does not exist; body is missing; sha is not valid”.',
  ],
  ['nothing else, if nothing else is there', 'Validation Failed', [{}], ': “a value was rejected”.'],
  ['that there is no reason', 'Validation Failed', undefined, ' without a reason.'],
  ['that there is no readable reason', 'Validation Failed', [null, 7], ' without a reason.'],
  ['the reason and not the generic message', '', [{ field: 'body', code: 'invalid' }], ': “body is not valid”.'],
])('a 422 is explained by %s', (_what, message, errors, told422) => {
  const { code, message: text } = told(new Refusal({ status: 422, url: '', headers: {}, data: { message, errors } }))
  expect([code, text]).toEqual(['rejected', expect.stringContaining(`GitHub rejected the request (422)${told422}`)])
})

test('no Markdown of GitHub’s words reaches the summary', () => {
  const said = 'The `acme` [page](https://example.com) <img src=x> **won**'
  expect(told(refusal(403, said)).message).not.toMatch(/[`<>[\]*]/)
})

test('a secret at the place where a quote is cut is taken out as a whole', () => {
  const { message } = told(refusal(422, `${'x'.repeat(190)}${KEY}`))
  expect(message).toMatch(/^GitHub says “x{190}\**” \(422\)\.$/)
})

test.each(['', null, 7, '<!doctype html>', { message: 7 }])('a refusal with %j is not quoted', (data) => {
  expect(told(new Refusal({ status: 304, url: '', headers: {}, data })).message).toBe('GitHub responded with 304.')
})

const HOUR = { ...USED_UP, 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 90) }

test.each<[string, object, number]>([
  ['as long as it says', { ...HOUR, 'retry-after': '7' }, 7_000],
  ['a second longer than the hour of the token', HOUR, 91_000],
  ['by the clock of the server', { ...HOUR, date: 'Thu, 01 Jan 2026 00:01:00 GMT' }, 31_000],
  ['a second where that hour is over', { ...HOUR, 'x-ratelimit-reset': '5' }, 1_000],
  ['a minute where it does not say', {}, 60_000],
  ['a minute where it says nothing of use', { ...HOUR, 'x-ratelimit-reset': 'soon', 'retry-after': '-1' }, 60_000],
])('a rate limit lasts %s', (_what, headers, ms) => {
  expect(refusal(429, 'slow down', headers).limitMs(NOW)).toBe(ms)
})
