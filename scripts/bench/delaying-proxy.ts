import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createPort, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnLoopback, type LoopbackServer } from '../small-runner/listen-on-loopback.ts'
import type { Certificate } from '../start/self-signed-certificate.ts'

/** A request and its response. Times are those of `performance.now()`. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** When the request had arrived. */
  readonly arrivedAt: number
  /** When the response was sent. */
  readonly respondedAt: number
  readonly body: string
}

interface DelayingProxyOptions {
  /** The server behind the proxy. */
  readonly target: string
  /** How long a request takes, in milliseconds. */
  readonly getDelayMs: (path: string) => number
  readonly onExchange: (exchange: Exchange) => void
  /** Makes the proxy available over TLS, with this time of a round trip. */
  readonly tls?: { readonly certificate: Certificate; readonly roundTripMs: number }
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Forwards bytes after a time, and not before the connection counts as open. Timers of the same time fire in order. */
function forward(from: Socket, to: Socket, delayMs: number, openAt: number): void {
  const after = (act: () => void): void => void setTimeout(act, Math.max(delayMs, openAt + delayMs - performance.now()))
  from.on('data', (chunk) => {
    after(() => to.write(chunk))
  })
  from.on('end', () => {
    after(() => to.end())
  })
  from.on('error', () => to.destroy())
}

/** A port whose connections take one round trip to open, and each byte half a round trip in each direction. */
function openDistantPort(target: number, roundTripMs: number): Promise<LoopbackServer> {
  const server = createPort((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) socket.setNoDelay(true)
    forward(near, far, roundTripMs / 2, performance.now() + roundTripMs)
    forward(far, near, roundTripMs / 2, 0)
  })
  return listenOnLoopback(server, 'https')
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length']

/** Starts a server on loopback that delays each request, forwards it, and reports when it arrived and was answered. */
export async function startDelayingProxy(
  options: DelayingProxyOptions,
): Promise<Pick<LoopbackServer, 'url' | 'close'>> {
  const { target, getDelayMs, onExchange, tls } = options

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    const sent = await readBody(incoming)
    const arrivedAt = performance.now()
    await sleep(getDelayMs(path))
    const forwarded = sendRequest(`${target}${path}`, { method, headers: { ...headers, host: new URL(target).host } })
    forwarded.end(sent)
    const [response] = (await once(forwarded, 'response')) as [IncomingMessage]
    const body = await readBody(response)
    const kept = Object.entries(response.headers).filter(([name]) => !HOP_BY_HOP.includes(name))
    outgoing.writeHead(response.statusCode ?? 502, { ...Object.fromEntries(kept), 'content-length': body.length })
    outgoing.end(body)
    onExchange({ method, path, arrivedAt, respondedAt: performance.now(), body: body.toString() })
  }
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    respond(incoming, outgoing).catch(() => outgoing.destroy())
  }
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls.certificate, onRequest)
  const near = await listenOnLoopback(server)
  const distant = tls && (await openDistantPort(near.port, tls.roundTripMs))
  return {
    url: (distant ?? near).url,
    async close() {
      await distant?.close()
      await near.close()
    },
  }
}
