import type * as net from 'node:net'
import * as tls from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createCertificate } from '../../scripts/start/self-signed-certificate.ts'
import { exchange, failureCause } from '../../src/http/exchange.ts'
import { formatResponse, serveSockets, type SocketServer } from '../../testing/socket-server.ts'

const TRUSTED = createCertificate()
const WEAK = createCertificate(true)
const servers: SocketServer[] = []
const defaults = tls.getCACertificates('default')

beforeAll(() => {
  tls.setDefaultCACertificates([TRUSTED.cert, WEAK.cert])
})
afterAll(() => {
  tls.setDefaultCACertificates(defaults)
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(...given: Parameters<typeof serveSockets>): Promise<SocketServer> {
  const server = await serveSockets(...given)
  servers.push(server)
  return server
}

/** Sends a request, and returns why it failed or the status of its response. */
async function send(url: string, env: NodeJS.ProcessEnv = {}): Promise<string | number> {
  const end = new AbortController()
  try {
    const request = { method: 'POST', url: new URL(url), headers: {}, body: 'x' }
    return (await exchange(request, env, end.signal)).status
  } catch (error) {
    return failureCause(error)
  } finally {
    end.abort()
  }
}

const respond = { onRequest: (socket: net.Socket) => socket.end(formatResponse(200, '')) }
const TLS_1_2 = { maxVersion: 'TLSv1.2' } as const
const CLIENT_CERTIFICATE = { requestCert: true, rejectUnauthorized: true }

test.each<[string, tls.TlsOptions, string | number]>([
  ['with a trusted certificate', {}, 200],
  ['with an untrusted certificate', createCertificate(), 'untrusted'],
  ['with a key of 1024 bits', { ...WEAK, ciphers: 'DEFAULT@SECLEVEL=0' }, 'weak-certificate'],
  ['that speaks only HTTP/2', { ALPNProtocols: ['h2'] }, 'no-http-1.1'],
  [
    'with an old TLS version',
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
    'no-common-tls',
  ],
  ['with an unusual cipher', { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_CCM_SHA256' }, 'no-common-tls'],
  ['that requires a client certificate, with TLS 1.2', { ...TLS_1_2, ...CLIENT_CERTIFICATE }, 'client-certificate'],
  ['that requires a client certificate, with TLS 1.3', CLIENT_CERTIFICATE, 'client-certificate'],
])('names the reason for a server %s', async (_name, options, result) => {
  const server = await serve(respond, { ...TRUSTED, ...options })
  expect(await send(`https://127.0.0.1:${server.port}/`)).toBe(result)
})

test('names a certificate for another host', async () => {
  const server = await serve(respond, TRUSTED)
  expect(await send(`https://localhost:${server.port}/`)).toBe('wrong-name')
})

const alert = (number: number): Buffer => Buffer.from([0x15, 3, 3, 0, 2, 2, number])

test.each<[string, string | number, (socket: net.Socket) => void]>([
  ['is closed', 'no-connection', (socket) => socket.end()],
  ['is reset', 'no-connection', (socket) => socket.resetAndDestroy()],
  ['ends with an internal error', 'no-connection', (socket) => socket.end(alert(80))],
  ['ends with a cancellation', 'no-connection', (socket) => socket.end(alert(90))],
  ['ends with an unknown name', 'wrong-name', (socket) => socket.end(alert(112))],
  ['ends with garbage in TLS', 'no-connection', (socket) => socket.end(Buffer.from([0x16, 3, 3, 0, 2, 9, 9]))],
  ['is answered without TLS', 'not-tls', (socket) => socket.end('HTTP/1.1 400 x\r\n\r\n')],
])('a handshake that %s is %s', async (_name, result, act) => {
  const server = await serve({
    onConnection(socket) {
      socket.once('data', () => {
        act(socket)
      })
    },
  })
  const url = `https://127.0.0.1:${server.port}/`
  expect(await send(url)).toBe(result)
  expect(server.connections()).toBe(1)

  const proxy = await serve({
    onRequest(socket) {
      socket.removeAllListeners('data')
      socket.once('data', () => {
        act(socket)
      })
      socket.write('HTTP/1.1 200 x\r\n\r\n')
    },
  })
  expect(await send(url, { https_proxy: `http://127.0.0.1:${proxy.port}` })).toBe(result)
})

test.each<[string, string, tls.TlsOptions]>([
  ['localhost', 'a certificate for another host', {}],
  ['127.0.0.1', 'an untrusted certificate', createCertificate()],
  ['127.0.0.1', 'an old TLS version', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' }],
])('names the proxy at %s for %s', async (host, _name, options) => {
  const proxy = await serve(respond, { ...TRUSTED, ...options })
  expect(await send('http://service.example/', { http_proxy: `https://${host}:${proxy.port}` })).toBe('proxy-tls')
})
