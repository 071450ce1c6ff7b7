import type { ResponseDelivery } from './http/exchange.ts'
import type { ScenarioName } from './service/scenarios.ts'

/** A request and its result. */
export interface RequestRecord {
  readonly method: string
  readonly path: string
  readonly query: string
  /** The prompt of an authorised request with a valid body. Bodies of unauthorised requests are not recorded. */
  readonly prompt: string | undefined
  /** The time of the replica that handled the request, in milliseconds since 1970. */
  readonly asOfMs: number
  /** 0 if there is no response. The client has not received the full response unless `delivery` is `complete`. */
  readonly status: number
  readonly delivery: ResponseDelivery
  /** Undefined if the request does not name a project. */
  readonly scenario: ScenarioName | undefined
  /** Why the embedded GitHub responded with 501. */
  readonly notImplemented?: string
}

const MAX_TARGET_LENGTH = 300

/** Control and surrogate characters, line separators, and format characters, which can reverse the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function sanitize(text: string): string {
  const cut = text.length <= MAX_TARGET_LENGTH ? text : `${text.slice(0, MAX_TARGET_LENGTH)}…`
  // GitHub Actions runs `##[…]` commands anywhere in a log line.
  return cut.replace(UNPRINTABLE, '\ufffd').replaceAll('##[', '# #[')
}

const DELIVERY_NOTES: Readonly<Record<ResponseDelivery, string>> = {
  complete: '',
  truncated: ', broken off in the middle',
  reset: ', connection reset before the response',
  never: ', connection kept open',
}

/**
 * Formats a request as one line for the console. The line starts with the method, so that text from the client cannot start a
 * workflow command, and contains no headers and therefore no key.
 */
export function formatRequest({
  method,
  path,
  query,
  status,
  delivery,
  scenario,
  notImplemented: reason,
}: RequestRecord): string {
  const target = sanitize(query === '' ? path : `${path}?${query}`)
  const result = status === 0 ? 'no response' : String(status)
  const note = reason === undefined ? DELIVERY_NOTES[delivery] : `: ${sanitize(reason)}`
  return `${sanitize(method)} ${target} -> ${result}${note}${scenario === undefined ? '' : ` (${scenario})`}`
}
