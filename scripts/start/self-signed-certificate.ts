import { generateKeyPairSync, sign } from 'node:crypto'

/** Encodes a value in DER as tag, length and contents. */
function encodeDer(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const contents = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
  const { length } = contents
  // The shortest form of the length, because Go rejects any other.
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), contents])
}

const SEQUENCE = 0x30
const ED25519 = encodeDer(SEQUENCE, encodeDer(0x06, '2b6570'))
const RSA_WITH_SHA256 = encodeDer(SEQUENCE, encodeDer(0x06, '2a864886f70d01010b'), '0500')
const NAME = encodeDer(
  SEQUENCE,
  encodeDer(0x31, encodeDer(SEQUENCE, encodeDer(0x06, '550403'), encodeDer(0x0c, Buffer.from('127.0.0.1')))),
)
const VALIDITY = encodeDer(
  SEQUENCE,
  ...['200101000000Z', '491231235959Z'].map((day) => encodeDer(0x17, Buffer.from(day))),
)
/** The subject alternative name 127.0.0.1. */
const EXTENSIONS = encodeDer(
  0xa3,
  encodeDer(
    SEQUENCE,
    encodeDer(SEQUENCE, encodeDer(0x06, '551d11'), encodeDer(0x04, encodeDer(SEQUENCE, encodeDer(0x87, '7f000001')))),
  ),
)

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Creates a self-signed certificate for 127.0.0.1 with a new key, which can be one of 1024 bits. */
export function createCertificate(isWeak = false): Certificate {
  const { publicKey, privateKey } = isWeak
    ? generateKeyPairSync('rsa', { modulusLength: 1024 })
    : generateKeyPairSync('ed25519')
  const algorithm = isWeak ? RSA_WITH_SHA256 : ED25519
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const facts = encodeDer(SEQUENCE, 'a003020102', '020101', algorithm, NAME, VALIDITY, NAME, key, EXTENSIONS)
  const signature = sign(isWeak ? 'sha256' : null, facts, privateKey)
  const signed = encodeDer(SEQUENCE, facts, algorithm, encodeDer(0x03, '00', signature))
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
