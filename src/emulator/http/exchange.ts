export interface RequestHead {
  readonly method: string
  /** Path and query, as they stand in the request line. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A request as a value, so that the service can be driven without sockets. */
export interface ServiceRequest extends RequestHead {
  readonly body: string
}

/**
 * What happens to an answer on its way back: it arrives; it breaks off in the middle; the connection is reset before its
 * first byte; nothing ever comes.
 */
export type Delivery = 'whole' | 'truncated' | 'reset' | 'never'

export interface ServiceResponse {
  /** 0 where no answer was formed at all. */
  readonly status: number
  /** Names in lower case. `retry-after` and `x-ratelimit-reset` count seconds of the service's time, from now. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly delivery: Delivery
  /** The answer is ready only after this much of the service's time. */
  readonly delayMs?: number
}

export interface Refusal {
  readonly status: number
  readonly problems: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

export type Answer = { readonly status: 200 | 201; readonly body: object } | Refusal

export function refuse(
  status: number,
  problems: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return { status, problems, headers }
}

export function jsonResponse(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
    delivery: 'whole',
  }
}

export function htmlResponse(status: number, body: string): ServiceResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // The pages show prompts. They are escaped; this is the second fence.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body,
    delivery: 'whole',
  }
}
