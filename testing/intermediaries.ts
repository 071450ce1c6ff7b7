import { writeFileSync } from 'node:fs'
import * as net from 'node:net'
import { join } from 'node:path'
import { listenOnLoopback } from '../scripts/small-runner/listen-on-loopback.ts'
import { handOn, offerOverTls } from '../scripts/start/untrusted-tls.ts'
import { createCertificate } from '../scripts/start/self-signed-certificate.ts'
import type { Intermediary } from './bundle-run.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** A self-signed certificate, which is not trusted by default. */
const CERTIFICATE = createCertificate()

/** Writes the certificate to a file, for `NODE_EXTRA_CA_CERTS`. */
export function writeCertificate(): string {
  const file = join(createTemporaryFolder(), 'authority.pem')
  writeFileSync(file, CERTIFICATE.cert)
  return file
}

export const overTls: Intermediary = (serviceUrl) => offerOverTls(serviceUrl, CERTIFICATE)

export interface Proxy {
  readonly front: Intermediary
  url(): string
  /** The request lines that the proxy received. */
  readonly requests: string[]
}

/** Starts a proxy next to a service. A silent proxy accepts connections and never responds. */
export function withProxy(serviceFront: Intermediary, isSilent = false): Proxy {
  const requests: string[] = []
  let proxyUrl = ''
  const front: Intermediary = async (serviceUrl) => {
    const service = await serviceFront(serviceUrl)
    const server = net.createServer((socket) => {
      socket.once('data', (head: Buffer) => {
        requests.push(head.toString('latin1').split('\r\n')[0] ?? '')
        if (isSilent) return
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        handOn(socket, service.url)
      })
    })
    const { url, close } = await listenOnLoopback(server)
    proxyUrl = url
    return {
      url: service.url,
      close: async () => {
        await close()
        await service.close()
      },
    }
  }
  return { front, url: () => proxyUrl, requests }
}
