import { exchange, type HttpRequest } from '../http/exchange.ts'
import { readBounded } from '../runtime/read-bounded.ts'

/** An answer of GitHub's, read to its end. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** Sends a request once. `end` aborts when nobody waits for the answer any more. */
export type Send = (request: HttpRequest, end: AbortSignal) => Promise<Answer>

/** Far more than 300 files with their changes. */
const MOST_BYTES = 64 * 1024 * 1024

export function sendThrough(proxy: URL | undefined): Send {
  return async (request, end) => {
    const { body, ...head } = await exchange(request, proxy, end)
    return { ...head, body: (await readBounded(body, MOST_BYTES)).toString('utf8') }
  }
}
