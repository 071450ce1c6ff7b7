import { readFileSync } from 'node:fs'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Front } from './bundle-run.ts'

/** A certificate that signed itself: nobody trusts it who is not told to. */
export const CERTIFICATE_PATH = fileURLToPath(new URL('./untrusted.cert.pem', import.meta.url))
const KEY_PATH = fileURLToPath(new URL('./untrusted.key.pem', import.meta.url))

async function listen(server: net.Server): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `127.0.0.1:${(server.address() as net.AddressInfo).port}`, close }
}

function join(one: net.Socket, other: net.Socket): void {
  one.pipe(other).pipe(one)
  for (const socket of [one, other]) socket.on('error', () => undefined)
}

function connectTo(serviceUrl: string): net.Socket {
  return net.connect(Number(new URL(serviceUrl).port), '127.0.0.1')
}

/** Offers the service over TLS. */
export const overTls: Front = async (serviceUrl) => {
  const options = { key: readFileSync(KEY_PATH), cert: readFileSync(CERTIFICATE_PATH) }
  const server = tls.createServer(options, (socket) => {
    join(socket, connectTo(serviceUrl))
  })
  const { url, close } = await listen(server)
  return { url: `https://${url}`, close }
}

export interface ProxyFront {
  readonly front: Front
  /** The proxy's address. */
  url(): string
  /** The first lines of what it was asked. */
  readonly asked: string[]
}

/** A proxy beside a service that stays where it is, or one that takes connections and never answers. */
export function besideProxy(serviceFront: Front = besideNothing, isSilent = false): ProxyFront {
  const asked: string[] = []
  let proxyUrl = ''
  const front: Front = async (serviceUrl) => {
    const service = await serviceFront(serviceUrl)
    const server = net.createServer((socket) => {
      socket.once('data', (head: Buffer) => {
        asked.push(head.toString('latin1').split('\r\n')[0] ?? '')
        if (isSilent) return
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        join(socket, connectTo(service.url))
      })
    })
    const { url, close } = await listen(server)
    proxyUrl = `http://${url}`
    return {
      url: service.url,
      close: () => {
        close()
        service.close()
      },
    }
  }
  return { front, url: () => proxyUrl, asked }
}

function besideNothing(url: string): ReturnType<Front> {
  return Promise.resolve({ url, close: () => undefined })
}
