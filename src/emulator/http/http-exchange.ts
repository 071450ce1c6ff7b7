import type { IncomingMessage, ServerResponse } from 'node:http'

import { isLoopback, parseUrl } from '../../runtime/url.ts'
import type { Delivery, RequestHead, ServiceRequest, ServiceResponse } from './exchange.ts'
import { MAX_BODY_BYTES } from './prompt-body.ts'

/**
 * Whether a request names this machine as its host, and nothing else. A page of a stranger can let a name of its own lead here, and its
 * requests then carry that name.
 */
export function namesThisMachine({
  headersDistinct: { host = [] },
}: Pick<IncomingMessage, 'headersDistinct'>): boolean {
  const address = parseUrl(`http://${host.join()}`)
  return host.length === 1 && address !== undefined && isLoopback(address)
}

/** Answers 421, and keeps and tells nothing. */
export function turnAway(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume()
  outgoing.writeHead(421, { connection: 'close' }).end('This service is for this machine only.\n')
}

/** Answers 403 to whoever takes this for a proxy. Such a connection is not the server's any more, so it is ended here. */
export function refuseTunnel({ socket }: Pick<IncomingMessage, 'socket'>): void {
  socket.on('error', () => undefined)
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n', () => socket.destroy())
}

/**
 * Reads a request to its end. Of a body that is too large, one byte more than allowed is kept, which is enough to refuse
 * it, and the rest is read and dropped, so that the caller gets the refusal and no broken connection. Rejects if the
 * caller goes away.
 * @param admits whether the body may be kept, by what comes before it; otherwise it is read and dropped as a whole
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
  const mostBytes = admits(head) ? MAX_BODY_BYTES + 1 : 0
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (bytes >= mostBytes) continue
    const kept = chunk.subarray(0, mostBytes - bytes)
    bytes += kept.length
    chunks.push(kept)
  }
  return { ...head, body: Buffer.concat(chunks).toString('utf8') }
}

function writeHead(outgoing: ServerResponse, { status, headers, body }: ServiceResponse): void {
  // A 304 has no body, and a length would be that of the answer it stands for.
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
    // The connection stays open until one side gives up.
  },
}

export function deliver(outgoing: ServerResponse, response: ServiceResponse): void {
  DELIVERIES[response.delivery](outgoing, response)
}
