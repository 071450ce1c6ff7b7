import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY, checkAccess } from '../../../src/emulator/http/access.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { applyFault, getFault } from '../../../src/emulator/http/faults.ts'
import { readRequest } from '../../../src/emulator/http/http-exchange.ts'
import { MAX_BODY_BYTES, parsePromptBody } from '../../../src/emulator/http/prompt-body.ts'
import { createRateLimiter } from '../../../src/emulator/http/rate-limiter.ts'

const HOUR_MS = 3_600_000

test('limits each bucket per hour, and waits until the oldest request is an hour old', () => {
  const take = createRateLimiter(2)
  const waits = [0, 1_000, 2_000, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1].map((nowMs) => take('a', nowMs))
  expect(waits).toEqual([0, 0, HOUR_MS - 2_000, 1, 0, 999])
  expect(take('b', HOUR_MS + 1)).toBe(0)
})

test('accepts the scheme in any case, and a read-only key only for reading', () => {
  const statuses = [`bearer  ${EMULATOR_KEY}`, `Bearer ${READ_ONLY_KEY}`].map((header) =>
    (['read', 'write'] as const).map((need) => checkAccess(header, need)?.status),
  )
  expect(statuses).toEqual([
    [undefined, undefined],
    [undefined, 403],
  ])
})

test.each([
  [undefined, 'missing'],
  ['', 'must read'],
  [`x Bearer ${EMULATOR_KEY}`, 'must read'],
  ['Bearer ', 'must read'],
  [`Bearer ${EMULATOR_KEY} more`, 'must read'],
  ['Bearer emulator_0123456789abcdef', 'begins with docs_'],
  [`Bearer ${EMULATOR_KEY.slice(0, -1)}`, 'not valid'],
  [`Bearer ${EXPIRED_KEY}`, 'expired'],
])('refuses the authorization %j with the reason', (header, reason) => {
  expect(checkAccess(header, 'read')).toMatchObject({
    status: 401,
    problems: [expect.stringContaining(reason)],
    headers: { 'www-authenticate': 'Bearer' },
  })
})

const parse = (body: string, contentType: string | undefined = 'application/json') =>
  parsePromptBody({ headers: { 'content-type': contentType }, body })

test.each(['x', ' ', 'two\nlines', '🙂 ü'])('accepts the prompt %j unchanged', (prompt) => {
  expect(parse(JSON.stringify({ prompt, more: 1 }), 'Application/JSON; charset=utf-8')).toBe(prompt)
})

test.each(['', '{"prompt":', '[]', 'null', '"x"', '{}', '{"prompt":""}', '{"prompt":1}'])(
  'refuses the body %j',
  (body) => {
    expect(parse(body)).toMatchObject({ status: 400 })
  },
)

test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/jsonp' }])(
  'refuses the content type of %j',
  (headers) => {
    expect(parsePromptBody({ headers, body: '{"prompt":"x"}' })).toMatchObject({ status: 415 })
  },
)

test('accepts a body of the maximum size in bytes, and refuses one byte more', () => {
  const prompt = `ü${'x'.repeat(MAX_BODY_BYTES - 15)}`
  const largest = JSON.stringify({ prompt })
  expect(Buffer.byteLength(largest)).toBe(MAX_BODY_BYTES)
  expect(parse(largest)).toBe(prompt)
  expect(parse(`${largest} `)).toMatchObject({ status: 413 })
})

test.each([
  ['stays', ['none', 'html', 'html', 'html']],
  ['starts-over', ['none', 'html', 'none', 'html']],
] as const)('a fault pattern that %s results in %j', (then, expected) => {
  expect([0, 1, 2, 3].map((index) => getFault({ faults: ['none', 'html'], then }, index))).toEqual(expected)
})

test.each(['truncated', 'response-lost', 'bad-id', 'other-job'] as const)(
  '%s does not change an error response',
  (fault) => {
    const refusal = jsonResponse(300, { id: 'job_1', status: 'active' })
    expect(applyFault(fault, () => refusal)).toEqual(refusal)
  },
)

test.each([
  ['keeps one byte more than the limit of a body that is too large', true, MAX_BODY_BYTES + 1],
  ['discards the body of an unauthorised request', false, 0],
])('reads to the end, and %s', async (_what, isAuthorized, keptBytes) => {
  const headers = { authorization: 'Bearer x', 'content-type': 'text/plain' }
  const body = Readable.from([Buffer.alloc(MAX_BODY_BYTES, 'x'), Buffer.alloc(2_000, 'x')])
  const head = { method: 'POST', url: '/a/../b?c=d%20e', headers: { ...headers, 'x-more': '1' } }
  const incoming = Object.assign(body, head) as unknown as IncomingMessage
  const request = await readRequest(incoming, () => isAuthorized)
  expect(request).toMatchObject({ method: 'POST', target: '/a/../b?c=d%20e', headers })
  expect([request.headers['x-more'], request.body.length, body.readableEnded]).toEqual([undefined, keptBytes, true])
})
