import { INVISIBLE, TERMINAL_SEQUENCE } from './untrusted.ts'

export type Redact = (text: string) => string

/** Redacts every text in plain data, however deep: a copy is made level by level, without recursion. */
export function redactAll<T>(data: T, redact: Redact): T {
  const whole = { data }
  const open: Record<string, unknown>[] = [whole]
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === 'string') holder[name] = redact(value)
      if (typeof value !== 'object' || value === null) continue
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>
      holder[name] = copy
      open.push(copy)
    }
  }
  return whole.data
}

/** Shorter encoded forms would match by accident and hide nothing. */
const SHORTEST_ENCODED_FORM = 6

/**
 * A secret inside a longer Base64 text shows up in one of three shapes, by its position modulo 3. The characters at its
 * edges also depend on its neighbours, so they are left out.
 */
function base64Shapes(secret: string, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
    const encoded = bytes.toString(encoding).replace(/=+$/, '')
    const start = shift === 0 ? 0 : shift + 1
    return encoded.slice(start, bytes.length % 3 === 0 ? encoded.length : encoded.length - 1)
  })
}

function encodedForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex')
  const forms = [...base64Shapes(secret, 'base64'), ...base64Shapes(secret, 'base64url'), hex, hex.toUpperCase()]
  return forms.filter((form) => form.length >= SHORTEST_ENCODED_FORM)
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const toHex = (code: number, digits: number): string => anyCase(code.toString(16).padStart(digits, '0'))

/** Patterns of one character as addresses, JSON without its back-slash, and HTML may write it. */
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

/** White space between the characters of a shorter secret is more likely to be a sentence. */
const SHORTEST_SPACED = 8

/**
 * What may stand between the characters of a secret: nothing that is seen, white space, and back-slashes, which JSON and
 * shells add in numbers of their own. It is taken out of the text and of the secret before they are compared, so that no
 * pattern has to try where it might stand.
 */
const FILLER = new RegExp(`${INVISIBLE.source}|[\\s\\\\]`, 'gu')
const FILLER_OF_SHORT = new RegExp(`${INVISIBLE.source}|\\\\`, 'gu')
const NO_FILLER = /(?!)/gu

function createFiller(secret: string): RegExp {
  if (secret.replace(FILLER, '').length >= SHORTEST_SPACED) return FILLER
  const bare = secret.replace(FILLER_OF_SHORT, '')
  // What is left of a secret of back-slashes would match anywhere.
  return bare === secret || bare.length >= SHORTEST_SPACED ? FILLER_OF_SHORT : NO_FILLER
}

const oneOf = (patterns: readonly string[]): string => `(?:${[...new Set(patterns)].join('|')})`

/**
 * Encoders differ in what they leave alone, so each character has every spelling, and a secret is found in any mixture. What
 * is filler in the secret is gone from a text where it stands as it is, and not where it is encoded.
 */
function toPattern(secret: string, { source }: RegExp): RegExp {
  const edges = new RegExp(`^(?:${source})+|(?:${source})+$`, 'gu')
  const runs = secret.replace(edges, '').matchAll(new RegExp(`((?:${source})+)|.`, 'gsu'))
  const spelled = Array.from(runs, ([run, filler]) => {
    if (filler === undefined) return oneOf([...listEscapes(run), escapePattern(run)])
    // One repetition for the whole run: with a choice at each, the beginning of a secret alone would take for ever to refuse.
    return `${oneOf(Array.from(filler).flatMap(listEscapes))}*`
  })
  return new RegExp([spelled.join(''), ...encodedForms(secret).map(escapePattern)].join('|'), 'g')
}

/** A pattern of a longer text is more than a regular expression can hold. */
const MAX_PATTERN = 1_000

/** Parts of about the same length, so that no short one takes out what has nothing to do with the secret. */
function parts(secret: string): string[] {
  const { length } = Array.from(secret)
  const size = Math.ceil(length / Math.ceil(length / MAX_PATTERN))
  return secret.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []
}

/** Replaces what matches once `filler` is taken out of the text, together with the filler inside of it. */
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
    // The back-slash of an escape at its beginning.
    while (start > end && text[start - 1] === '\\') start--
    shown += `${text.slice(end, start)}***`
    end = (places[index + found.length - 1] ?? 0) + 1
  }
  return shown + text.slice(end)
}

function toRedactor(secret: string): Redact {
  const exact = [JSON.stringify(secret).slice(1, -1), secret]
  const filler = createFiller(secret)
  const pattern = toPattern(secret, filler)
  const fillerAndSequences = new RegExp(`${TERMINAL_SEQUENCE.source}|${filler.source}`, 'gu')
  return (text) => {
    const left = exact.reduce((rest, form) => rest.replaceAll(form, '***'), text)
    const hidden = hide(left, pattern, filler)
    // Sequences count as characters first, as one that never ends could swallow a secret, and then as filler.
    return hidden.search(TERMINAL_SEQUENCE) === -1 ? hidden : hide(hidden, pattern, fillerAndSequences)
  }
}

/**
 * Makes a function that replaces every secret by `***`: raw, URL-, JSON-, HTML-, Base64- and hex-encoded, and each of them
 * also in pieces, with line ends, white space or what is invisible in between. Call it before a text is cut, since half a
 * key is found by nobody. Its time is in proportion to the text.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const longestFirst = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const redactors = longestFirst.flatMap(parts).map(toRedactor)
  return (text) => redactors.reduce((redacted, redact) => redact(redacted), text)
}
