export type Redact = (text: string) => string

/** Redacts every text in plain data. */
export function redactAll<T>(data: T, redact: Redact): T
export function redactAll(data: unknown, redact: Redact): unknown {
  if (typeof data === 'string') return redact(data)
  if (Array.isArray(data)) return data.map((item: unknown) => redactAll(item, redact))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, redactAll<unknown>(value, redact)]))
}

/** Shorter encoded forms would match by accident and hide nothing. */
const SHORTEST_ENCODED_FORM = 6

/**
 * A secret inside a longer Base64 text shows up in one of three shapes, by its position modulo 3. The characters at its
 * edges also depend on its neighbours, so they are left out.
 */
function base64Shapes(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
    const encoded = bytes.toString('base64').replace(/=+$/, '')
    const start = shift === 0 ? 0 : shift + 1
    const end = bytes.length % 3 === 0 ? encoded.length : encoded.length - 1
    return encoded.slice(start, end)
  })
}

function encodedForms(secret: string): string[] {
  const base64 = base64Shapes(secret)
  const hex = Buffer.from(secret).toString('hex')
  return [
    ...base64,
    ...base64.map((shape) => shape.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
  ].filter((form) => form.length >= SHORTEST_ENCODED_FORM)
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const toHex = (code: number, digits: number): string => anyCase(code.toString(16).padStart(digits, '0'))

/**
 * A pattern of one character as text, addresses, JSON and HTML may write it. Encoders differ in what they leave alone, so
 * each character has its own, and a secret is found in any mixture.
 */
function spellings(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const forms = [
    Array.from(Buffer.from(character), (byte) => `%${toHex(byte, 2)}`).join(''),
    Array.from({ length: character.length }, (_, at) => `\\\\u${toHex(character.charCodeAt(at), 4)}`).join(''),
    escapePattern(JSON.stringify(character).slice(1, -1)),
    character === '/' ? '\\\\\\/' : undefined,
    `&#0*${code};`,
    `&#[xX]0*${toHex(code, 1)};`,
    NAMED_ENTITIES[character] && `&${NAMED_ENTITIES[character]};`,
    escapePattern(character),
  ]
  // Each once: with two ways to match each character, the beginning of a secret alone would take for ever to refuse.
  return `(?:${[...new Set(forms.filter((form) => form !== undefined))].join('|')})`
}

/** A pattern of a longer text is more than a regular expression can hold. */
const LONGEST_PATTERN = 1_000

/** Parts of about the same length, so that no short one takes out what has nothing to do with the secret. */
function parts(secret: string): string[] {
  const characters = Array.from(secret)
  const size = Math.ceil(characters.length / Math.ceil(characters.length / LONGEST_PATTERN))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

function patternOf(secret: string): RegExp {
  const spelled = Array.from(secret, spellings).join('')
  return new RegExp([spelled, ...encodedForms(secret).map(escapePattern)].join('|'), 'g')
}

/**
 * Makes a function that replaces every secret by `***`: raw, URL-, JSON-, HTML-, Base64- and hex-encoded. Call it before a
 * text is cut, since half a key is found by nobody.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const longestFirst = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const patterns = longestFirst.flatMap(parts).map(patternOf)
  return (text) => patterns.reduce((redacted, pattern) => redacted.replace(pattern, '***'), text)
}
