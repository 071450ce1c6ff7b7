import { once } from 'node:events'
import { type Server, createServer, request as httpRequest } from 'node:http'
import { afterEach, expect, test } from '@jest/globals'

import { type Delivery, type ServiceRequest, jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { deliver, readRequest } from '../../../src/emulator/http/http-exchange.ts'
import { MAX_BODY_BYTES } from '../../../src/emulator/http/prompt-body.ts'

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
