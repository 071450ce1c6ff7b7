import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import { authorize, EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY } from '../../../src/emulator/http/access.ts'
import {
  type Delivery,
  done,
  htmlResponse,
  jsonResponse,
  refuse,
  type ServiceRequest,
} from '../../../src/emulator/http/exchange.ts'
import { applyFault, type Fault, faultAt } from '../../../src/emulator/http/faults.ts'
import { deliver, readRequest } from '../../../src/emulator/http/http-exchange.ts'
import { MAX_BODY_BYTES, parsePromptBody } from '../../../src/emulator/http/prompt-body.ts'
import { createRateLimiter } from '../../../src/emulator/http/rate-limiter.ts'

test('a JSON response says so, and keeps the headers it is given', () => {
  expect(jsonResponse(201, { a: 'ü' }, { allow: 'GET' })).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json; charset=utf-8', allow: 'GET' },
    body: '{"a":"ü"}',
    delivery: 'whole',
  })
})

test('an HTML response may run no script', () => {
  const { headers } = htmlResponse(200, '<p>')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('successes and refusals can be told apart', () => {
  expect(done(200, {}).kind).toBe('done')
  expect(refuse(404, ['No.'])).toEqual({ kind: 'refused', status: 404, problems: ['No.'], headers: {} })
})

const HOUR_MS = 3_600_000

test('an hour has so many requests and no more', () => {
  const limiter = createRateLimiter(2)
  const kinds = [0, 1_000, 2_000].map((nowMs) => limiter.take('a', nowMs).kind)
  expect(kinds).toEqual(['taken', 'taken', 'full'])
})

test('the wait ends when the oldest request is an hour old', () => {
  const limiter = createRateLimiter(2)
  limiter.take('a', 0)
  limiter.take('a', 1_000)
  expect(limiter.take('a', 2_000)).toEqual({ kind: 'full', retryAfterMs: HOUR_MS - 2_000 })
  expect(limiter.take('a', HOUR_MS - 1).kind).toBe('full')
  expect(limiter.take('a', HOUR_MS).kind).toBe('taken')
  expect(limiter.take('a', HOUR_MS + 1).kind).toBe('full')
})

test('each bucket has its own allowance', () => {
  const limiter = createRateLimiter(1)
  limiter.take('a', 0)
  expect(limiter.take('b', 0).kind).toBe('taken')
})

test.each([`Bearer ${EMULATOR_KEY}`, `bearer  ${EMULATOR_KEY}`])('%s may read and write', (header) => {
  expect([authorize(header, 'read'), authorize(header, 'write')]).toEqual(['granted', 'granted'])
})

test('a read-only key may read, and is forbidden to write', () => {
  expect(authorize(`Bearer ${READ_ONLY_KEY}`, 'read')).toBe('granted')
  expect(authorize(`Bearer ${READ_ONLY_KEY}`, 'write')).toMatchObject({ status: 403 })
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
  expect(authorize(header, 'read')).toMatchObject({
    status: 401,
    problems: [expect.stringContaining(reason)],
    headers: { 'www-authenticate': 'Bearer' },
  })
})

const JSON_TYPE = 'application/json'

function parse(body: string, contentType: string | undefined = JSON_TYPE): ReturnType<typeof parsePromptBody> {
  return parsePromptBody({ headers: { 'content-type': contentType }, body })
}

test.each(['x', ' ', 'two\nlines', '🙂 ü'])('takes the prompt %j as it is', (prompt) => {
  expect(parse(JSON.stringify({ prompt, more: 1 }))).toEqual({ kind: 'prompt', prompt })
})

test('takes a content type with parameters, in any case', () => {
  expect(parse('{"prompt":"x"}', 'Application/JSON; charset=utf-8').kind).toBe('prompt')
})

test.each(['', 'prompt', '{"prompt":', '[]', 'null', '"x"', '{}', '{"prompt":""}', '{"prompt":1}', '{"prompt":["x"]}'])(
  'refuses the body %j',
  (body) => {
    expect(parse(body)).toMatchObject({ kind: 'refused', status: 400 })
  },
)

test.each(['text/plain', 'application/jsonp', ''])('refuses the content type %j', (contentType) => {
  expect(parse('{"prompt":"x"}', contentType)).toMatchObject({ status: 415 })
})

test('refuses a body without a content type', () => {
  expect(parsePromptBody({ headers: {}, body: '{"prompt":"x"}' })).toMatchObject({ status: 415 })
})

test('takes a body of the largest size, counted in bytes, and refuses one byte more', () => {
  const bytesAround = Buffer.byteLength('{"prompt":""}')
  const largest = `{"prompt":"ü${'x'.repeat(MAX_BODY_BYTES - bytesAround - 2)}"}`
  expect(Buffer.byteLength(largest)).toBe(MAX_BODY_BYTES)
  expect(parse(largest).kind).toBe('prompt')
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

test('a pattern that stays ends with its last fault for ever', () => {
  const pattern = { faults: ['none', 'html'], then: 'stays' } as const
  expect([0, 1, 2, 3].map((index) => faultAt(pattern, index))).toEqual(['none', 'html', 'html', 'html'])
})

test('a pattern that starts over goes round', () => {
  const pattern = { faults: ['none', 'html'], then: 'starts-over' } as const
  expect([0, 1, 2, 3].map((index) => faultAt(pattern, index))).toEqual(['none', 'html', 'none', 'html'])
})

test('without a fault the answer comes as it is', () => {
  expect(strike('none')).toEqual({ response: jsonResponse(200, job), worked: 1 })
})

test.each([
  ['unavailable', 503, 'whole'],
  ['rejected', 400, 'whole'],
  ['payment-required', 402, 'whole'],
  ['too-large', 413, 'whole'],
  ['unauthorized', 401, 'whole'],
  ['redirected', 307, 'whole'],
  ['html', 200, 'whole'],
  ['reset', 0, 'reset'],
  ['never', 0, 'never'],
] as const)('%s answers %d, delivered %s, and does no work', (fault, status, delivery) => {
  const { response, worked } = strike(fault)
  expect({ status: response.status, delivery: response.delivery, worked }).toEqual({ status, delivery, worked: 0 })
})

test.each([
  ['rate-limited', '5'],
  ['rate-limited-for-hours', '7200'],
] as const)('%s tells to wait for %s seconds', (fault, seconds) => {
  const { status, headers } = strike(fault).response
  expect([status, headers['retry-after']]).toEqual([429, seconds])
})

test('a redirect stays on the service', () => {
  expect(strike('redirected').response.headers['location']).toMatch(/^\/[^/]/)
})

test.each([
  ['truncated', { delivery: 'truncated' }],
  ['answer-lost', { delivery: 'reset' }],
  ['bad-id', { body: '{"id":"../job","status":"active"}' }],
  ['other-job', { body: '{"id":"job_of_another","status":"failed"}' }],
] as const)('%s does the work and spoils its answer', (fault, spoilt) => {
  expect(strike(fault)).toEqual({ response: { ...jsonResponse(200, job), ...spoilt }, worked: 1 })
})

test.each(['truncated', 'answer-lost', 'bad-id', 'other-job'] as const)('%s leaves a refusal alone', (fault) => {
  expect(strike(fault, 409).response).toEqual(jsonResponse(409, job))
})

describe('http exchange', () => {
  const servers: Server[] = []

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  })

  /** A server that answers every request with `delivery`; `read` is what it took the requests for. */
  async function serve(delivery: Delivery, admits = true): Promise<{ url: string; read: ServiceRequest[] }> {
    const read: ServiceRequest[] = []
    const server = createServer((incoming, outgoing) => {
      void readRequest(incoming, () => admits).then((request) => {
        read.push(request)
        deliver(outgoing, { ...jsonResponse(200, { text: 'ü'.repeat(1_000) }, { 'retry-after': '5' }), delivery })
      })
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    return { url: `http://127.0.0.1:${address.port}`, read }
  }

  test('a request is read with its path as it was sent', async () => {
    const { url, read } = await serve('whole')
    await new Promise((resolve, reject) => {
      // `fetch` would tidy the path up before sending it.
      const headers = { authorization: 'Bearer x', 'content-type': 'text/plain', 'x-more': '1' }
      const request = httpRequest(url, { method: 'POST', path: '/a/../b?c=d%20e', headers })
      request.on('error', reject)
      request.on('response', (response) => response.resume().on('end', resolve))
      request.end('söme text')
    })
    expect(read).toEqual([
      {
        method: 'POST',
        target: '/a/../b?c=d%20e',
        headers: { authorization: 'Bearer x', 'content-type': 'text/plain' },
        body: 'söme text',
      },
    ])
  })

  test('of a body that is too large, enough is kept to refuse it, and the caller still gets its answer', async () => {
    const { url, read } = await serve('whole')
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(MAX_BODY_BYTES + 100_000) })
    expect(response.status).toBe(200)
    expect(read[0]?.body.length).toBe(MAX_BODY_BYTES + 1)
  })

  test('of a body that is not admitted nothing is kept, and the caller still gets its answer', async () => {
    const { url, read } = await serve('whole', false)
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(MAX_BODY_BYTES + 100_000) })
    expect(response.status).toBe(200)
    expect(read[0]).toMatchObject({ method: 'POST', body: '' })
  })

  test('a whole answer arrives with its headers and its length in bytes', async () => {
    const { url } = await serve('whole')
    const response = await fetch(url)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(response.headers.get('content-length')).toBe('2011')
    expect(await response.json()).toEqual({ text: 'ü'.repeat(1_000) })
  })

  test('a truncated answer begins and breaks off', async () => {
    const { url } = await serve('truncated')
    const response = await fetch(url)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  test('a reset answer has no beginning', async () => {
    const { url, read } = await serve('reset')
    await expect(fetch(url)).rejects.toThrow()
    expect(read).toHaveLength(1)
  })

  test('an answer that never comes leaves the caller waiting until it gives up', async () => {
    const { url, read } = await serve('never')
    const abort = new AbortController()
    const answer = fetch(url, { signal: abort.signal })
    const server = servers[0]
    if (server === undefined) throw new Error('no server')
    await once(server, 'request')
    // The reading of the request ends a few turns of the loop after the request began.
    while (read.length === 0) await new Promise((resolve) => setImmediate(resolve))
    abort.abort(new Error('gave up'))
    await expect(answer).rejects.toThrow('gave up')
  })
})
