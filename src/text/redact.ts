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
function listBase64Forms(secret: string, encoding: 'base64' | 'base64url'): readonly string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
    const encoded = bytes.toString(encoding).replace(/=+$/, '')
    const start = shift === 0 ? 0 : shift + 1
    return encoded.slice(start, bytes.length % 3 === 0 ? encoded.length : encoded.length - 1)
  })
}

/** Encoders differ in what they leave as it is (`/` in Python), in the escape of a space, and in the case of escapes. */
function listUrlForms(secret: string): readonly string[] {
  const component = encodeURIComponent(secret)
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  const forms = [component, component.replaceAll('%2F', '/'), encodeURI(secret), inForm]
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())])
}

const toUnicodeEscape = (mark: string): string => `\\u00${mark.charCodeAt(mark.length - 1).toString(16)}`

/** Encoders differ in what they escape: PHP also `/`, Go also `<`, `>` and `&`, and .NET these, quotes and `+`. */
function listJsonForms(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, toUnicodeEscape),
    json.replace(/\\"|[<>&'+`]/g, (mark) => toUnicodeEscape(mark).toUpperCase().replace('U', 'u')),
  ]
}

/**
 * Returns a function that replaces every secret with `***`: as it is, and encoded for URLs, JSON and Base64. A service that
 * wants to hide the key in a text can: it has the key. Call the function before a text is cut or escaped, because it does not
 * recognize what is left of a secret then.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const given = [...secrets].filter((secret) => secret !== '')
  const forms = given.flatMap((secret) => {
    const encoded = [
      ...listUrlForms(secret),
      ...listJsonForms(secret),
      ...listBase64Forms(secret, 'base64'),
      ...listBase64Forms(secret, 'base64url'),
    ]
    return [secret, ...encoded.filter((form) => form.length >= MIN_ENCODED_CHARS)]
  })
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((left, form) => left.replaceAll(form, '***'), text)
}
