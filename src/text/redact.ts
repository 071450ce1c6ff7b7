import { INVISIBLE, TERMINAL_SEQUENCE } from './untrusted.ts'

export type Redact = (text: string) => string

/**
 * Returns a copy of plain data with all texts redacted. Works without recursion, because untrusted data can be deep.
 */
export function redactAll<T>(data: T, redact: Redact): T {
  const root = { data }
  const pending: Record<string, unknown>[] = [root]
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    for (const [name, value] of Object.entries(parent)) {
      if (typeof value === 'string') parent[name] = redact(value)
      if (typeof value !== 'object' || value === null) continue
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>
      parent[name] = copy
      pending.push(copy)
    }
  }
  return root.data
}

/** Shorter encoded forms would match by accident. */
const MIN_ENCODED_CHARS = 6

/**
 * Inside of a longer Base64 text, a secret has one of three forms, which depend on its position modulo 3. The
 * characters at its edges also depend on its neighbours, so they are left out.
 */
function listBase64Forms(secret: string, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
    const encoded = bytes.toString(encoding).replace(/=+$/, '')
    const start = shift === 0 ? 0 : shift + 1
    return encoded.slice(start, bytes.length % 3 === 0 ? encoded.length : encoded.length - 1)
  })
}

function listEncodedForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex')
  const forms = [...listBase64Forms(secret, 'base64'), ...listBase64Forms(secret, 'base64url'), hex, hex.toUpperCase()]
  return forms.filter((form) => form.length >= MIN_ENCODED_CHARS)
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const matchAnyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const toHex = (code: number, digits: number): string => matchAnyCase(code.toString(16).padStart(digits, '0'))

/** Returns patterns of a character as it is escaped in URLs, in JSON (without the backslash) and in HTML. */
function listEscapes(character: string): string[] {
  const code = character.codePointAt(0) ?? 0
  const name = NAMED_ENTITIES[character]
  return [
    Array.from(Buffer.from(character), (byte) => `%${toHex(byte, 2)}`).join(''),
    Array.from({ length: character.length }, (_, at) => `u${toHex(character.charCodeAt(at), 4)}`).join(''),
    `&#0*${code};`,
    `&#[xX]0*${toHex(code, 1)};`,
    ...(name === undefined ? [] : [`&${name};`]),
  ]
}

/** A shorter secret with white space between its characters is probably an ordinary sentence. */
const MIN_SPACED_CHARS = 8

/**
 * Characters that can be between the characters of a secret: invisible characters, white space, and backslashes, of
 * which JSON and shells add several. They are removed from the text and from the secret before the two are compared, so
 * that the patterns do not have to allow for them.
 */
const FILLER = new RegExp(`${INVISIBLE.source}|[\\s\\\\]`, 'gu')
const FILLER_WITHOUT_SPACES = new RegExp(`${INVISIBLE.source}|\\\\`, 'gu')
const NO_FILLER = /(?!)/gu

function chooseFiller(secret: string): RegExp {
  if (secret.replace(FILLER, '').length >= MIN_SPACED_CHARS) return FILLER
  const bare = secret.replace(FILLER_WITHOUT_SPACES, '')
  // Without its filler, a secret that is mostly backslashes would match anywhere.
  return bare === secret || bare.length >= MIN_SPACED_CHARS ? FILLER_WITHOUT_SPACES : NO_FILLER
}

const toAlternatives = (patterns: readonly string[]): string => `(?:${[...new Set(patterns)].join('|')})`

/**
 * Returns a pattern that allows every escape for each character, because encoders differ in what they escape. The
 * filler of a secret has been removed from the text, except where it is escaped.
 */
function toPattern(secret: string, { source }: RegExp): RegExp {
  const edges = new RegExp(`^(?:${source})+|(?:${source})+$`, 'gu')
  const runs = secret.replace(edges, '').matchAll(new RegExp(`((?:${source})+)|.`, 'gsu'))
  const spelled = Array.from(runs, ([run, filler]) => {
    if (filler === undefined) return toAlternatives([...listEscapes(run), escapePattern(run)])
    // One repetition for the whole run. A choice for each character would backtrack exponentially on a partial match.
    return `${toAlternatives(Array.from(filler).flatMap(listEscapes))}*`
  })
  return new RegExp([spelled.join(''), ...listEncodedForms(secret).map(escapePattern)].join('|'), 'g')
}

/** The pattern of a longer text exceeds the size limit of regular expressions. */
const MAX_PATTERN_CHARS = 1_000

/** Splits a secret into parts of about the same length, because a short part could match unrelated text. */
function splitSecret(secret: string): string[] {
  const { length } = Array.from(secret)
  const size = Math.ceil(length / Math.ceil(length / MAX_PATTERN_CHARS))
  return secret.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []
}

/**
 * Removes the filler from the text, finds matches, and replaces them in the text, including the filler inside of them.
 */
function hide(text: string, pattern: RegExp, filler: RegExp): string {
  const bare = text.replace(filler, '')
  if (bare.search(pattern) === -1) return text
  const isFiller = new Uint8Array(text.length)
  for (const { 0: found, index } of text.matchAll(filler)) isFiller.fill(1, index, index + found.length)
  const places = Uint32Array.from(isFiller, (_, at) => at).filter((at) => isFiller[at] === 0)

  let shown = ''
  let end = 0
  for (const { 0: found, index } of bare.matchAll(pattern)) {
    let start = places[index] ?? 0
    // Include the backslash of an escape at the beginning.
    while (start > end && text[start - 1] === '\\') start--
    shown += `${text.slice(end, start)}***`
    end = (places[index + found.length - 1] ?? 0) + 1
  }
  return shown + text.slice(end)
}

function toRedactor(secret: string): Redact {
  const exact = [JSON.stringify(secret).slice(1, -1), secret]
  const filler = chooseFiller(secret)
  const pattern = toPattern(secret, filler)
  const fillerAndSequences = new RegExp(`${TERMINAL_SEQUENCE.source}|${filler.source}`, 'gu')
  return (text) => {
    const left = exact.reduce((rest, form) => rest.replaceAll(form, '***'), text)
    const hidden = hide(left, pattern, filler)
    // Terminal sequences are text at first, because one without an end could contain a secret, and then filler.
    return hidden.search(TERMINAL_SEQUENCE) === -1 ? hidden : hide(hidden, pattern, fillerAndSequences)
  }
}

/**
 * Returns a function that replaces every secret with `***`: plain, or encoded for URLs, JSON, HTML, Base64 and hex, even
 * if line ends, white space or invisible characters split the secret. Call it before a text is cut, because it does not
 * recognize a cut secret. Its time is linear in the length of the text.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const longestFirst = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const redactors = longestFirst.flatMap(splitSecret).map(toRedactor)
  return (text) => redactors.reduce((redacted, redact) => redact(redacted), text)
}
