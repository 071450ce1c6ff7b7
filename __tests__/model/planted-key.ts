import type { Plant } from './schedule.ts'

/** It has characters that every encoding writes in another way, and is long enough that a half of it is worth a lot. */
export const KEY = 'docs_9fK3x7Q+a/b=Zw2&LmNp5"VtR8sYd4'

const toEntities = (text: string): string => Array.from(text, (mark) => `&#${mark.charCodeAt(0)};`).join('')

const ENCODINGS: Readonly<Record<Plant, (key: string) => string>> = {
  none: () => '',
  raw: (key) => key,
  url: encodeURIComponent,
  json: (key) => Array.from(key, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  html: toEntities,
  base64: (key) => Buffer.from(`Bearer ${key}`).toString('base64'),
  hex: (key) => Buffer.from(key).toString('hex'),
  torn: (key) => Array.from(key).join('\u200b\ufe0f\u{e0100}\u00ad'),
  spaced: (key) => Array.from(key).join('\n\u00a0\t'),
  wrapped: (key) =>
    (
      Buffer.from(`Authorization: Bearer ${key}`)
        .toString('base64')
        .match(/.{1,32}/g) ?? []
    ).join('\n'),
  coloured: (key) => Array.from(key).join('\u001b[31m'),
}

/** A text of the service that gives the key away. */
export function plantKey(plant: Plant, padding: number): string {
  return `${'x'.repeat(padding)} ${ENCODINGS[plant](KEY)} y`
}

/** This much of a key is a leak, also where the rest was cut off. */
const LEAK_LENGTH = 10

function tryDecode(decode: () => string): string {
  try {
    return decode()
  } catch {
    return ''
  }
}

/** What a text gives to somebody who undoes the encodings: not by the means of the code that is under test. */
function readings(text: string): string[] {
  const plain = text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&')
  const whole = plain.replace(/\u001b?\[31m|[\s\u00ad\u200b\ufe0f]|\u{e0100}/gu, '')
  return [
    text,
    whole.replaceAll('&quot;', '"'),
    plain.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escape) => tryDecode(() => decodeURIComponent(escape))),
    plain.replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(String(code), 16))),
    ...(plain.match(/[0-9a-f]{20,}/g) ?? []).map((hex) => Buffer.from(hex, 'hex').toString()),
    ...(whole.match(/[A-Za-z0-9+/]{12,}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')),
    ),
  ]
}

/** Whether the key, or a good part of its beginning, can be read out of a text. */
export function givesKeyAway(text: string): boolean {
  const beginning = KEY.slice(0, LEAK_LENGTH)
  return readings(text).some((reading) => reading.includes(beginning))
}
