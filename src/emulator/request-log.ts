import type { RequestRecord } from './embedded-service.ts'
import type { Delivery } from './http/exchange.ts'

const LONGEST_TARGET = 300

/** Control characters, line and paragraph separators, and characters that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function clean(text: string): string {
  const cut = text.length <= LONGEST_TARGET ? text : `${text.slice(0, LONGEST_TARGET)}…`
  // A workflow's log takes `##[` for a command wherever it stands.
  return cut.replace(UNPRINTABLE, '\ufffd').replaceAll('##[', '# #[')
}

const DELIVERY_NOTES: Readonly<Record<Delivery, string>> = {
  whole: '',
  truncated: ', broken off in the middle',
  reset: ', connection reset before the answer',
  never: ', never answered',
}

/**
 * One line for a person who watches. It begins with the method, so that nothing the caller sends stands at its start, and
 * holds no header, so no key.
 */
export function logLine({ method, path, query, status, delivery, scenario }: RequestRecord): string {
  const target = clean(query === '' ? path : `${path}?${query}`)
  const answer = status === 0 ? 'no answer' : String(status)
  return `${clean(method)} ${target} -> ${answer}${DELIVERY_NOTES[delivery]}${scenario === undefined ? '' : ` (${scenario})`}`
}
