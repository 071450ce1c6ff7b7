import type { Delivery } from './http/exchange.ts'
import type { ScenarioName } from './service/scenarios.ts'

/** One request as it was received, and what became of it. */
export interface RequestRecord {
  readonly method: string
  readonly path: string
  readonly query: string
  /** Where the body of a request that was authorised holds a valid one: nobody else's words are kept. */
  readonly prompt: string | undefined
  /** The time of the copy that it was answered from, in milliseconds since 1970. */
  readonly asOfMs: number
  /** 0 where no answer was formed. With a delivery other than `whole` the caller has not read it. */
  readonly status: number
  readonly delivery: Delivery
  /** Nothing if the request is for no project. */
  readonly scenario: ScenarioName | undefined
  /** Why the embedded GitHub responded with 501. */
  readonly notPlayed?: string
}

const MAX_TARGET = 300

/** Control characters, line and paragraph separators, and characters that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function clean(text: string): string {
  const cut = text.length <= MAX_TARGET ? text : `${text.slice(0, MAX_TARGET)}…`
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
export function logLine({ method, path, query, status, delivery, scenario, notPlayed }: RequestRecord): string {
  const target = clean(query === '' ? path : `${path}?${query}`)
  const answer = status === 0 ? 'no answer' : String(status)
  const note = notPlayed === undefined ? DELIVERY_NOTES[delivery] : `: ${clean(notPlayed)}`
  return `${clean(method)} ${target} -> ${answer}${note}${scenario === undefined ? '' : ` (${scenario})`}`
}
