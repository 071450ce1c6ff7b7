/** It has characters that every encoding writes in another way, and is long enough that a half of it is worth a lot. */
export const KEY = 'docs_9fK3x7Q+a/b=Zw2&LmNp5"VtR8sYd4'

/** Some encodings, so that texts of all kinds are looked at; the suite of the redaction has all that there are. */
const ENCODINGS = {
  none: () => '',
  raw: (key: string) => key,
  json: (key: string) => key.replace(/./g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`),
  base64: (key: string) => Buffer.from(`Bearer ${key}`).toString('base64'),
}
export type Plant = keyof typeof ENCODINGS

export const plantKey = (plant: Plant): string => `x ${ENCODINGS[plant](KEY)} y`

/** What a text gives to somebody who undoes the encodings: not by the means of the code that is under test. */
function readings(text: string): string[] {
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

/** This much of a key is a leak, also where the rest was cut off. */
const LEAK = KEY.slice(0, 10)

/** Whether the key, or a good part of its beginning, can be read out of a text. */
export const givesKeyAway = (text: string): boolean => readings(text).some((reading) => reading.includes(LEAK))
