import { connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { listenOnLoopback, type LoopbackServer } from '../small-runner/listen-on-loopback.ts'
import type { Certificate } from './self-signed-certificate.ts'

/** Pipes a socket to a local service and back. */
export function handOn(caller: Socket, serviceUrl: string): void {
  const service = connect(Number(new URL(serviceUrl).port), '127.0.0.1')
  for (const socket of [caller, service]) socket.on('error', () => undefined)
  caller.pipe(service).pipe(caller)
}

/** Serves a local service over TLS. */
export function offerOverTls(serviceUrl: string, certificate: Certificate): Promise<LoopbackServer> {
  const server = createServer({ ...certificate }, (caller) => {
    handOn(caller, serviceUrl)
  })
  return listenOnLoopback(server, 'https')
}
