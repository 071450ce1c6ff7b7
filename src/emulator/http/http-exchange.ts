import type { IncomingMessage, ServerResponse } from 'node:http'

import { isLoopback, parseUrl } from '../../runtime/url.ts'
import type { Delivery, RequestHead, ServiceRequest, ServiceResponse } from './exchange.ts'
import { MAX_BODY_BYTES } from './prompt-body.ts'

/**
 * Whether the `Host` header of a request is a loopback address. With DNS rebinding, an untrusted web page can resolve its own
 * host name to this machine, and its requests then contain that name.
 */
export function namesThisMachine({
  headersDistinct: { host = [] },
}: Pick<IncomingMessage, 'headersDistinct'>): boolean {
  const address = parseUrl(`http://${host.join()}`)
  return host.length === 1 && address !== undefined && isLoopback(address)
}

/** Responds with 421 and records nothing. */
export function turnAway(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume()
  outgoing.writeHead(421, { connection: 'close' }).end('This service is for this machine only.\n')
}

/** Responds with 403 to a CONNECT request. Node.js hands over its socket, so it is closed here. */
export function refuseTunnel({ socket }: Pick<IncomingMessage, 'socket'>): void {
  socket.on('error', () => undefined)
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n', () => socket.destroy())
}

/**
 * Reads a request to its end. Of a body that is too large, one byte more than the limit is kept, which is enough to refuse
 * it. The rest is read and dropped, so that the client receives the error response instead of a broken connection. Rejects
 * if the client disconnects.
 * @param admits whether the body may be kept, by the head of the request; otherwise the whole body is read and dropped
 */
export async function readRequest(
  incoming: IncomingMessage,
  admits: (head: RequestHead) => boolean,
): Promise<ServiceRequest> {
  const { authorization, accept, 'content-type': contentType, 'if-none-match': ifNoneMatch } = incoming.headers
  const head = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: { authorization, accept, 'content-type': contentType, 'if-none-match': ifNoneMatch },
  }
  const maxBytes = admits(head) ? MAX_BODY_BYTES + 1 : 0
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
  // A 304 has no body. A length would be read as that of the cached response.
  outgoing.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
}

const DELIVERIES: Readonly<Record<Delivery, (outgoing: ServerResponse, response: ServiceResponse) => void>> = {
  whole(outgoing, response) {
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
