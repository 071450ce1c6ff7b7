/** Contains characters that each encoding writes differently. Long enough that a part of it is a leak. */
export const KEY = 'docs_9fK3x7Q+a/b=Zw2&LmNp5"VtR8sYd4'

/** A sample of encodings. The tests of the redaction cover all of them. */
const ENCODINGS = {
  none: () => '',
  raw: (key: string) => key,
  json: (key: string) => JSON.stringify(key).slice(1, -1),
  base64: (key: string) => Buffer.from(`Bearer ${key}`).toString('base64'),
}
export type Plant = keyof typeof ENCODINGS

export const plantKey = (plant: Plant): string => `x ${ENCODINGS[plant](KEY)} y`

/** Returns a text with the encodings undone. Does not use the code under test. */
function listDecodings(text: string): string[] {
  const plain = text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&')
  return [
    text,
    plain.replaceAll('&quot;', '"'),
    plain.replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(String(code), 16))),
    ...(plain.match(/[A-Za-z0-9+/]{12,}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')),
    ),
  ]
}

/** The first characters of the key are a leak, even if the rest was cut off. */
const LEAK = KEY.slice(0, 10)

/** Whether a text contains the start of the key, in any of the encodings. */
export const revealsKey = (text: string): boolean => listDecodings(text).some((decoded) => decoded.includes(LEAK))
