import { openDispatcher } from './dispatcher.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case; of a header that came more than once the first. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request over a connection of its own.
 * @param end has to abort when whoever asked is done, as that ends the connection: undici's own signal does not end one to a
 *   proxy that never answers
 * @throws Error of undici or Node, whose class `failureCause` reads
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  proxy: URL | undefined,
  end: AbortSignal,
): Promise<HttpAnswer> {
  const dispatcher = openDispatcher(proxy)
  end.addEventListener('abort', () => {
    dispatcher.destroy().catch(() => undefined)
  })
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as 'GET',
    // An answer that is packed all the same could not be read, and a prompt's fate would be unknown.
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  })
  const first = Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(first) as HttpAnswer['headers'],
    body: answer.body,
  }
}
