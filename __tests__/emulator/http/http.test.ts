import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY, refuseAccess } from '../../../src/emulator/http/access.ts'
import { htmlResponse, jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { applyFault, type Fault, faultAt } from '../../../src/emulator/http/faults.ts'
import { readRequest } from '../../../src/emulator/http/http-exchange.ts'
import { MAX_BODY_BYTES, parsePromptBody } from '../../../src/emulator/http/prompt-body.ts'
import { createRateLimiter } from '../../../src/emulator/http/rate-limiter.ts'

test('an HTML response may run no script', () => {
  const { headers } = htmlResponse(200, '<p>')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

const HOUR_MS = 3_600_000

test('an hour has so many requests for each bucket, and the wait ends when the oldest one is an hour old', () => {
  const limiter = createRateLimiter(2)
  const waits = [0, 1_000, 2_000, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1].map((nowMs) => limiter.take('a', nowMs))
  expect(waits).toEqual([0, 0, HOUR_MS - 2_000, 1, 0, 999])
  expect(limiter.take('b', HOUR_MS + 1)).toBe(0)
})

test.each([`Bearer ${EMULATOR_KEY}`, `bearer  ${EMULATOR_KEY}`])('%s may read and write', (header) => {
  expect([refuseAccess(header, 'read'), refuseAccess(header, 'write')]).toEqual([undefined, undefined])
})

test('a read-only key may read, and is forbidden to write', () => {
  expect(refuseAccess(`Bearer ${READ_ONLY_KEY}`, 'read')).toBeUndefined()
  expect(refuseAccess(`Bearer ${READ_ONLY_KEY}`, 'write')).toMatchObject({ status: 403 })
})

test.each([
  ['no header', undefined, 'missing'],
  ['an empty header', '', 'must read'],
  ['another scheme', `Basic ${EMULATOR_KEY}`, 'must read'],
  ['no token', 'Bearer ', 'must read'],
  ['two tokens', `Bearer ${EMULATOR_KEY} more`, 'must read'],
  ['a key without the prefix', 'Bearer emulator_0123456789abcdef', 'begins with docs_'],
  ['a wrong key', 'Bearer docs_emulator_0000000000000000', 'not valid'],
  ['the beginning of the key', `Bearer ${EMULATOR_KEY.slice(0, -1)}`, 'not valid'],
  ['an expired key', `Bearer ${EXPIRED_KEY}`, 'expired'],
])('%s is unauthorized, and told why', (_, header, reason) => {
  expect(refuseAccess(header, 'read')).toMatchObject({
    status: 401,
    problems: [expect.stringContaining(reason)],
    headers: { 'www-authenticate': 'Bearer' },
  })
})

const parse = (body: string, contentType: string | undefined = 'application/json') =>
  parsePromptBody({ headers: { 'content-type': contentType }, body })

test.each(['x', ' ', 'two\nlines', '🙂 ü'])('takes the prompt %j as it is', (prompt) => {
  expect(parse(JSON.stringify({ prompt, more: 1 }), 'Application/JSON; charset=utf-8')).toBe(prompt)
})

test.each(['', 'prompt', '{"prompt":', '[]', 'null', '"x"', '{}', '{"prompt":""}', '{"prompt":1}', '{"prompt":["x"]}'])(
  'refuses the body %j',
  (body) => {
    expect(parse(body)).toMatchObject({ status: 400 })
  },
)

test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/jsonp' }, { 'content-type': '' }])(
  'refuses the content type of %j',
  (headers) => {
    expect(parsePromptBody({ headers, body: '{"prompt":"x"}' })).toMatchObject({ status: 415 })
  },
)

test('takes a body of the largest size, counted in bytes, and refuses one byte more', () => {
  const prompt = `ü${'x'.repeat(MAX_BODY_BYTES - 15)}`
  const largest = JSON.stringify({ prompt })
  expect(Buffer.byteLength(largest)).toBe(MAX_BODY_BYTES)
  expect(parse(largest)).toBe(prompt)
  expect(parse(`${largest} `)).toMatchObject({ status: 413 })
})

const job = { id: 'job_1', status: 'active' }

/** The response under a fault, and how often the work was done. */
function strike(fault: Fault, status = 200): { response: ReturnType<typeof applyFault>; worked: number } {
  let worked = 0
  const response = applyFault(fault, () => {
    worked += 1
    return jsonResponse(status, job)
  })
  return { response, worked }
}

test.each([
  ['stays', ['none', 'html', 'html', 'html']],
  ['starts-over', ['none', 'html', 'none', 'html']],
] as const)('a pattern that %s strikes as %j', (then, expected) => {
  expect([0, 1, 2, 3].map((index) => faultAt({ faults: ['none', 'html'], then }, index))).toEqual(expected)
})

test.each([
  ['none', 1, 200, 'whole', {}],
  ['unavailable', 0, 503, 'whole', {}],
  ['rejected', 0, 400, 'whole', {}],
  ['payment-required', 0, 402, 'whole', {}],
  ['too-large', 0, 413, 'whole', {}],
  ['unauthorized', 0, 401, 'whole', {}],
  ['rate-limited', 0, 429, 'whole', { headers: { 'retry-after': '5' } }],
  ['rate-limited-for-hours', 0, 429, 'whole', { headers: { 'retry-after': '7200' } }],
  ['redirected', 0, 307, 'whole', { headers: { location: '/elsewhere' } }],
  ['html', 0, 200, 'whole', {}],
  ['reset', 0, 0, 'reset', {}],
  ['never', 0, 0, 'never', {}],
  ['truncated', 1, 200, 'truncated', { body: '{"id":"job_1","status":"active"}' }],
  ['answer-lost', 1, 200, 'reset', {}],
  ['bad-id', 1, 200, 'whole', { body: '{"id":"../job","status":"active"}' }],
  ['other-job', 1, 200, 'whole', { body: '{"id":"job_of_another","status":"failed"}' }],
] as const)('%s does the work %d times, and answers %d, delivered %s', (fault, worked, status, delivery, more) => {
  expect(strike(fault)).toMatchObject({ worked, response: { status, delivery, ...more } })
})

test.each(['truncated', 'answer-lost', 'bad-id', 'other-job'] as const)('%s leaves a refusal alone', (fault) => {
  expect(strike(fault, 409).response).toEqual(jsonResponse(409, job))
})

test.each([
  ['is too large is kept as much as refuses it', true, MAX_BODY_BYTES + 1],
  ['is not admitted is read to its end and not kept', false, 0],
])('a body that %s', async (_what, admits, kept) => {
  const headers = { authorization: 'Bearer x', 'content-type': 'text/plain' }
  const body = Readable.from([Buffer.alloc(MAX_BODY_BYTES, 'x'), Buffer.alloc(2_000, 'x')])
  const incoming = Object.assign(body, {
    method: 'POST',
    url: '/a/../b?c=d%20e',
    headers: { ...headers, 'x-more': '1' },
  })
  const request = await readRequest(incoming as unknown as IncomingMessage, () => admits)
  expect(request).toMatchObject({ method: 'POST', target: '/a/../b?c=d%20e', headers })
  expect([request.headers['x-more'], request.body.length, body.readableEnded]).toEqual([undefined, kept, true])
})
