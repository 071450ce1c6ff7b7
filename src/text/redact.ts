import { cleanLines, cutRaw, cutText, INVISIBLE, TERMINAL_SEQUENCE } from './untrusted.ts'

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
function escapesOf(character: string): string[] {
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

const fillerOf = (secret: string): RegExp =>
  secret.replace(FILLER, '').length >= SHORTEST_SPACED ? FILLER : FILLER_OF_SHORT

interface Sought {
  readonly pattern: RegExp
  /** What the pattern matches where nothing is escaped. */
  readonly plain: readonly string[]
}

/**
 * Encoders differ in what they leave alone, so each character has every spelling, and a secret is found in any mixture. What
 * is filler in the secret is gone from a text where it stands as it is, and not where it is encoded.
 */
function soughtOf(secret: string, filler: RegExp): Sought {
  let spelled = ''
  let fillers: string[] = []
  for (const character of secret) {
    if (character.replace(filler, '') === '') {
      fillers.push(...escapesOf(character))
      continue
    }
    // One repetition for the whole run: with a choice at each, the beginning of a secret alone would take for ever to refuse.
    if (spelled !== '' && fillers.length > 0) spelled += `(?:${[...new Set(fillers)].join('|')})*`
    spelled += `(?:${[...escapesOf(character), escapePattern(character)].join('|')})`
    fillers = []
  }
  const encoded = encodedForms(secret)
  return {
    pattern: new RegExp([spelled, ...encoded.map(escapePattern)].join('|'), 'g'),
    plain: [secret.replace(filler, ''), ...encoded],
  }
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

/** Without one of these, no character is spelled in another way than as it is. */
const ANY_ESCAPE = /[%&]|u[0-9A-Fa-f]{4}/

/** Replaces what matches once `filler` is taken out of the text, together with the filler inside of it. */
function hide(text: string, { pattern, plain }: Sought, filler: RegExp): string {
  // Most texts hold no secret, and this alone takes a fraction of the time.
  const visible = text.replace(filler, '')
  if (!ANY_ESCAPE.test(visible) && !plain.some((form) => visible.includes(form))) return text
  if (visible.search(pattern) === -1) return text
  const places = new Uint32Array(text.length)
  let bare = ''
  let end = 0
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at++) places[bare.length + at - from] = at
    bare += text.slice(from, to)
  }
  for (const { 0: found, index } of text.matchAll(filler)) {
    keep(end, index)
    end = index + found.length
  }
  keep(end, text.length)

  let shown = ''
  end = 0
  for (const { 0: found, index } of bare.matchAll(pattern)) {
    let start = places[index] ?? 0
    // The back-slash of an escape at its beginning.
    while (start > end && text[start - 1] === '\\') start--
    shown += `${text.slice(end, start)}***`
    end = (places[index + found.length - 1] ?? 0) + 1
  }
  return shown + text.slice(end)
}

const replaceForms = (text: string, forms: readonly string[]): string =>
  forms.reduce((left, form) => left.replaceAll(form, '***'), text)

function redactorOf(secret: string): Redact {
  const exact = [JSON.stringify(secret).slice(1, -1), secret]
  const filler = fillerOf(secret)
  const bare = secret.replace(filler, '')
  // What is left of a secret of back-slashes would match anywhere.
  if (bare === '' || (bare !== secret && bare.length < SHORTEST_SPACED)) {
    const forms = [...exact, encodeURIComponent(secret.toWellFormed()), ...encodedForms(secret)]
    return (text) => replaceForms(text, forms)
  }
  const sought = soughtOf(secret, filler)
  const fillerAndSequences = new RegExp(`${TERMINAL_SEQUENCE.source}|${filler.source}`, 'gu')
  return (text) => {
    const hidden = hide(replaceForms(text, exact), sought, filler)
    // Sequences count as characters first, as one that never ends could swallow a secret, and then as filler.
    return hidden.search(TERMINAL_SEQUENCE) === -1 ? hidden : hide(hidden, sought, fillerAndSequences)
  }
}

/**
 * Makes a function that replaces every secret by `***`: raw, URL-, JSON-, HTML-, Base64- and hex-encoded, and each of them
 * also in pieces, with line ends, white space or what is invisible in between. Call it before a text is cut, since half a
 * key is found by nobody. Its time is in proportion to the text.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const longestFirst = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const redactors = longestFirst.flatMap(parts).map(redactorOf)
  return (text) => redactors.reduce((redacted, redact) => redact(redacted), text)
}

/**
 * The lines of a stranger's text, safe to print and without secrets: redacted before anything is cut, as half a secret is
 * found by nobody; cut before it is cleaned, as time is not the stranger's; redacted again, as cleaning may put a secret
 * together. The caller cuts what it shows to `maxLength`.
 */
export function safeLines(text: string, redact: Redact, maxLength: number): string[] {
  return cleanLines(cutRaw(redact(text), maxLength)).map(redact)
}

/** The same as one line of at most `maxLength` code points. */
export function safeLine(text: string, redact: Redact, maxLength: number): string {
  return cutText(redact(safeLines(text, redact, maxLength).join(' ').trim()), maxLength)
}
