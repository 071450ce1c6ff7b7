import { generateKeyPairSync, sign } from 'node:crypto'
import { type AddressInfo, type Server, type Socket, connect } from 'node:net'
import { createServer } from 'node:tls'

/** Encodes a value in DER: tag, length, contents. */
function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const contents = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
  const { length } = contents
  // The shortest form of the length, because Go rejects any other.
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), contents])
}

const SEQUENCE = 0x30
const ED25519 = der(SEQUENCE, der(0x06, '2b6570'))
const NAME = der(SEQUENCE, der(0x31, der(SEQUENCE, der(0x06, '550403'), der(0x0c, Buffer.from('127.0.0.1')))))
const VALIDITY = der(SEQUENCE, ...['200101000000Z', '491231235959Z'].map((day) => der(0x17, Buffer.from(day))))
/** The subject alternative name 127.0.0.1. */
const EXTENSIONS = der(
  0xa3,
  der(SEQUENCE, der(SEQUENCE, der(0x06, '551d11'), der(0x04, der(SEQUENCE, der(0x87, '7f000001'))))),
)

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Creates a self-signed certificate for 127.0.0.1 with a new key. */
export function makeCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const facts = der(SEQUENCE, 'a003020102', '020101', ED25519, NAME, VALIDITY, NAME, key, EXTENSIONS)
  const signed = der(SEQUENCE, facts, ED25519, der(0x03, '00', sign(null, facts, privateKey)))
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export interface Entrance {
  readonly url: string
  readonly close: () => void
}

/** Starts a server on a free loopback port. `close` ends all its connections. */
export async function openEntrance(server: Server, scheme: 'http' | 'https'): Promise<Entrance> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Pipes a socket to a local service and back. */
export function handOn(caller: Socket, serviceUrl: string): void {
  const service = connect(Number(new URL(serviceUrl).port), '127.0.0.1')
  for (const socket of [caller, service]) socket.on('error', () => undefined)
  caller.pipe(service).pipe(caller)
}

/** Serves a local service over TLS. */
export function offerOverTls(serviceUrl: string, certificate: Certificate): Promise<Entrance> {
  const server = createServer({ ...certificate }, (caller) => {
    handOn(caller, serviceUrl)
  })
  return openEntrance(server, 'https')
}
