import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenOnLoopback } from '../scripts/small-runner/listen-on-loopback.ts'
import { API_PATH } from '../src/emulator/github/reply.ts'
import type { Intermediary } from './bundle-run.ts'

/** A response as it goes over the wire. */
export interface WireMessage {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Sent without a length, one chunk per byte. */
  readonly isChunked?: boolean
  /** The connection ends after the body, which is shorter than its announced length. */
  readonly isCut?: boolean
}

export interface WireRequest {
  readonly peer: 'service' | 'github'
  readonly method: string
  readonly path: string
  /** How many requests with this method and path came before. */
  readonly earlier: number
}

/** Returns a change of a message's body. @param encoding the announced one; omitted: none is announced */
export const encode =
  (compress: (body: Uint8Array) => Uint8Array, encoding?: string) =>
  ({ body, headers, ...message }: WireMessage): WireMessage => ({
    ...message,
    headers: { ...headers, ...(encoding !== undefined && { 'content-encoding': encoding }) },
    body: compress(body),
  })

const OF_ONE_CONNECTION = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']

/** Creates an intermediary that changes responses of the service and of GitHub. */
export function changeOnWire(change: (message: WireMessage, request: WireRequest) => WireMessage): Intermediary {
  const counts = new Map<string, number>()
  return (serviceUrl) => {
    const server = createServer((request, response) => {
      void (async () => {
        const { method = 'GET', url: path = '' } = request
        const earlier = counts.get(`${method} ${path}`) ?? 0
        counts.set(`${method} ${path}`, earlier + 1)
        const sent = await buffer(request)
        const original = await fetch(serviceUrl + path, {
          method,
          headers: Object.entries(request.headers).flatMap<[string, string]>(([name, value]) =>
            typeof value !== 'string' || OF_ONE_CONNECTION.includes(name) ? [] : [[name, value]],
          ),
          ...(sent.length > 0 && { body: sent }),
        })
        const headers = Object.fromEntries([...original.headers].filter(([name]) => !OF_ONE_CONNECTION.includes(name)))
        const message = { status: original.status, headers, body: new Uint8Array(await original.arrayBuffer()) }
        const peer = path.startsWith(API_PATH) ? 'github' : 'service'
        const { status, body, isChunked, isCut, ...changed } = change(message, { peer, method, path, earlier })
        const length = String(body.length + (isCut === true ? 1 : 0))
        response.writeHead(status, { ...changed.headers, ...(isChunked !== true && { 'content-length': length }) })
        if (isChunked === true) for (const byte of body) response.write(Buffer.of(byte))
        else response.write(body)
        if (isCut === true) request.socket.end()
        else response.end()
      })()
    })
    return listenOnLoopback(server)
  }
}
