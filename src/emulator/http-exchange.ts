import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Delivery, ServiceRequest, ServiceResponse } from './exchange.ts'
import { MAX_BODY_BYTES } from './prompt-body.ts'

/**
 * Reads a request to its end. Of a body that is too large, one byte more than allowed is kept, which is enough to refuse
 * it, and the rest is read and dropped, so that the caller gets the refusal and no broken connection. Rejects where the
 * caller goes away.
 */
export async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const kept = chunk.subarray(0, Math.max(0, MAX_BODY_BYTES + 1 - bytes))
    bytes += kept.length
    chunks.push(kept)
  }
  const { authorization, 'content-type': contentType } = incoming.headers
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: { authorization, 'content-type': contentType },
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function writeHead(outgoing: ServerResponse, { status, headers, body }: ServiceResponse): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
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

/** Sends an answer, or what its delivery leaves of it. */
export function deliver(outgoing: ServerResponse, response: ServiceResponse): void {
  DELIVERIES[response.delivery](outgoing, response)
}
