/** Decompresses the bodies of responses. */
import { pipeline, Readable } from 'node:stream'

type Body = AsyncIterable<Uint8Array>
type Decoder = 'createGunzip' | 'createInflate' | 'createInflateRaw' | 'createBrotliDecompress'

/** @param encoding in lower case; empty for a body that should not be compressed */
function selectDecoder(encoding: string, [first = 0, second = 0]: Uint8Array): Decoder | undefined {
  // Headers of proxies are unreliable for gzip in both directions, but JSON and plain text never begin with these bytes.
  if (first === 0x1f && second === 0x8b && encoding !== 'br') return 'createGunzip'
  if (encoding === 'br') return 'createBrotliDecompress'
  if (encoding !== 'deflate') return undefined
  // Servers disagree whether `deflate` has the header of zlib (RFC 1950).
  const hasHeader = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
  return hasHeader ? 'createInflate' : 'createInflateRaw'
}

async function* decodeOnce(body: Body, encoding: string): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < 2) {
    const chunk = await chunks.next()
    if (chunk.done === true) break
    head = head.length === 0 ? chunk.value : Buffer.concat([head, chunk.value])
  }
  const rest = { [Symbol.asyncIterator]: () => chunks }
  async function* readAll(): AsyncGenerator<Uint8Array> {
    yield head
    yield* rest
  }
  const name = head.length === 0 ? undefined : selectDecoder(encoding, head)
  if (name === undefined) {
    yield* readAll()
    return
  }
  // Loaded on demand, because compressed responses are rare. `node:stream` is loaded at the start by undici anyway, and in a
  // bundle, `import()` of a module that is a function returns no named exports.
  const zlib = await import('node:zlib')
  // An error of the body or of the decoder is thrown by the loop over the decoder.
  yield* pipeline(Readable.from(readAll()), zlib[name](), () => undefined)
}

/**
 * Decompresses a body in gzip, deflate or br, also if gzip is not announced.
 * @param contentEncoding the header of this name
 */
export function decodeBody(body: Body, contentEncoding = ''): Body {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  // The last encoding was applied last. Some proxies compress a compressed body again, and announce it once.
  return ['', ...encodings].reduceRight<Body>(decodeOnce, body)
}
