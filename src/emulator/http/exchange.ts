export interface RequestHead {
  readonly method: string
  /** Path and query, unchanged from the request line. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A request as a value, so that tests can call the service without sockets. */
export interface ServiceRequest extends RequestHead {
  readonly body: string
}

/**
 * How a response is delivered: completely; only its first half; not at all, with a connection reset before the first byte;
 * or never.
 */
export type ResponseDelivery = 'complete' | 'truncated' | 'reset' | 'never'

export interface ServiceResponse {
  /** 0 if there is no response. */
  readonly status: number
  /** Names in lower case. `retry-after` and `x-ratelimit-reset` are seconds of the service's clock, from now. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly delivery: ResponseDelivery
  /** In milliseconds of the service's clock. */
  readonly delayMs?: number
}

export interface RequestRefusal {
  readonly status: number
  readonly problems: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

export type OperationResult = { readonly status: 200 | 201; readonly body: object } | RequestRefusal

export function refuseRequest(
  status: number,
  problems: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): RequestRefusal {
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
    delivery: 'complete',
  }
}

export function htmlResponse(status: number, body: string): ServiceResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Defense in depth: the pages show prompts, which are escaped.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body,
    delivery: 'complete',
  }
}
