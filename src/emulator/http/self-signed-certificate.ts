import { generateKeyPairSync, sign } from 'node:crypto'

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
