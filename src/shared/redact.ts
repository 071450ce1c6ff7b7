export type Redact = (text: string) => string

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
  const percent = encodeURIComponent(secret)
  const hex = Buffer.from(secret).toString('hex')
  return [
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...base64,
    ...base64.map((shape) => shape.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
  ].filter((form) => form.length >= SHORTEST_ENCODED_FORM)
}

/**
 * Makes a function that replaces every secret by `***`: raw, URL-, JSON-, Base64- and hex-encoded. Call it before a text
 * is cut, since half a key is found by nobody.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const given = [...secrets].filter((secret) => secret !== '')
  const forms = [...new Set(given.flatMap((secret) => [secret, ...encodedForms(secret)]))]
  const longestFirst = forms.sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((redacted, form) => redacted.replaceAll(form, '***'), text)
}
