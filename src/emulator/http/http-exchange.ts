import type { IncomingMessage, ServerResponse } from 'node:http'

import { isLoopback, parseUrl } from '../../runtime/url.ts'
import type { ResponseDelivery, RequestHead, ServiceRequest, ServiceResponse } from './exchange.ts'
import { MAX_BODY_BYTES } from './prompt-body.ts'

/**
 * Whether the `Host` header of a request is a loopback address. With DNS rebinding, an untrusted web page can resolve its own
 * host name to this machine, and its requests then contain that name.
 */
export function hasLoopbackHost({ headersDistinct: { host = [] } }: Pick<IncomingMessage, 'headersDistinct'>): boolean {
  const address = parseUrl(`http://${host.join()}`)
  return host.length === 1 && address !== undefined && isLoopback(address)
}

/** Responds with 421 and records nothing. */
export function refuseHost(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume()
  outgoing.writeHead(421, { connection: 'close' }).end('This service is for this machine only.\n')
}

/** Responds with 403 to a CONNECT request. Node.js hands over its socket, so it is closed here. */
export function refuseTunnel({ socket }: Pick<IncomingMessage, 'socket'>): void {
  socket.on('error', () => undefined)
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n', () => socket.destroy())
}

/**
 * Reads a request to its end. Keeps at most one byte more than the size limit, which is enough to refuse the body. The rest is
 * discarded, so that the client receives the error response instead of a broken connection. Rejects if the client disconnects.
 * @param isAuthorized decides from the head whether the body may be kept; otherwise the complete body is discarded
 */
export async function readRequest(
  incoming: IncomingMessage,
  isAuthorized: (head: RequestHead) => boolean,
): Promise<ServiceRequest> {
  const { authorization, accept, 'content-type': contentType } = incoming.headers
  const head = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: { authorization, accept, 'content-type': contentType },
  }
  const maxBytes = isAuthorized(head) ? MAX_BODY_BYTES + 1 : 0
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (bytes >= maxBytes) continue
    const kept = chunk.subarray(0, maxBytes - bytes)
    bytes += kept.length
    chunks.push(kept)
  }
  return { ...head, body: Buffer.concat(chunks).toString('utf8') }
}

function writeHead(outgoing: ServerResponse, { status, headers, body }: ServiceResponse): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
}

const DELIVERIES: Readonly<Record<ResponseDelivery, (outgoing: ServerResponse, response: ServiceResponse) => void>> = {
  complete(outgoing, response) {
    writeHead(outgoing, response)
    outgoing.end(response.body)
  },
  truncated(outgoing, response) {
    writeHead(outgoing, response)
    const bytes = Buffer.from(response.body)
    outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy())
  },
  reset(outgoing) {
    outgoing.socket?.resetAndDestroy()
  },
  never() {
    // The connection stays open until one side closes it.
  },
}

export function deliver(outgoing: ServerResponse, response: ServiceResponse): void {
  DELIVERIES[response.delivery](outgoing, response)
}
