/** Sends single requests to the service, and records whether they left this machine. */
import * as diagnosticsChannel from 'node:diagnostics_channel'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { parseUrl } from '../runtime/url.ts'
import {
  exchange,
  failureCause,
  type FailureCause,
  failureCode,
  type HttpResponse,
  isDefect,
  readText,
  USER_AGENT,
} from '../http/exchange.ts'
import { proxyFor, proxySecrets } from '../http/proxy.ts'

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  /** Relative to the base URL, with a leading `/`. */
  readonly path: string
  readonly body?: string
  /** For connecting, sending and reading the complete response, in milliseconds. */
  readonly timeoutMs: number
}

export interface WireResponse {
  readonly kind: 'response'
  readonly status: number
  readonly body: string
  readonly retryAfterMs: number | undefined
  /** The host of the `Location` header. Undefined if there is none. */
  readonly redirectHost?: string | undefined
}

export interface WireFailure {
  readonly kind: 'failure'
  readonly cause: FailureCause
  readonly code: string | undefined
  /** Whether a part of the request may have been sent. */
  readonly sent: boolean
  /** The error of undici or Node. For the debug log only: its message can quote URLs and credentials. */
  readonly error?: unknown
}

export type WireResult = WireResponse | WireFailure

/** Whether the status is 2xx. The body may be anything. */
export function isSuccess({ status }: WireResponse): boolean {
  return status >= 200 && status < 300
}

/** About three years: longer than any step, and short enough to be added to any date. */
const MAX_RETRY_AFTER_MS = 1e11
const MAX_LOCATION_CHARS = 2_048

/** All formats of HTTP dates begin with the day of the week. A date without a zone is in UTC. */
function parseHttpDate(text: string | undefined): number {
  if (text === undefined || !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return NaN
  return Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
}

/**
 * Returns the wait that `Retry-After` asks for, in milliseconds, or `undefined` if it is missing or invalid. A date is
 * relative to the `Date` of the response, so that a wrong local clock does not matter. A date in the past counts as 0.
 * @param now for a response without a `Date`
 */
export function parseRetryAfter(
  retryAfter: string | undefined,
  date: string | undefined,
  now: Date,
): number | undefined {
  const value = retryAfter?.trim() ?? ''
  const getNowMs = (): number => {
    const dateMs = parseHttpDate(date?.trim())
    return Number.isNaN(dateMs) ? now.getTime() : dateMs
  }
  // Only plain decimals are seconds: `Date.parse('5')` is a day in 2001, and `Number('1e400')` is Infinity.
  const delayMs = /^-?\d+(?:\.\d+)?$/.test(value) ? Math.ceil(Number(value)) * 1000 : parseHttpDate(value) - getNowMs()
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), MAX_RETRY_AFTER_MS)
}

/**
 * Returns the host of a `Location` header. Undefined for a path on the same host, or if the host is not safe to show.
 */
export function redirectHost(location: string | undefined): string | undefined {
  if (location === undefined || location.length > MAX_LOCATION_CHARS) return undefined
  const host = /^(?:https?:)?\/\//i.test(location) ? parseUrl(location, 'https://localhost')?.host : undefined
  return host !== undefined && /^[a-z0-9.:[\]-]{1,200}$/.test(host) ? host : undefined
}

export function toWireResponse(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  body: string,
  now: Date,
): WireResponse {
  return {
    kind: 'response',
    status,
    body,
    retryAfterMs: parseRetryAfter(headers['retry-after'], headers['date'], now),
    redirectHost: redirectHost(headers['location']),
  }
}

/**
 * Sends a request once. Failures are returned, because the caller's decisions depend on them.
 * @throws Error for a bug in this action, such as a path that would leave the base URL; the request may have been sent
 */
export type Transport = (request: WireRequest, signal: AbortSignal) => Promise<WireResult>

export interface TransportOptions {
  /** An origin and a path prefix, validated and without a trailing `/`. Empty if no request is sent. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  /** Names the proxies. */
  readonly env: NodeJS.ProcessEnv
  readonly mask: (secret: string) => void
  /** Writes to the debug log. */
  readonly debug: (line: string) => void
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
/**
 * A shorter secret, such as the password `docs`, can be a part of ordinary words: redacting it would change paths and
 * names. No message contains it, because undici only gets the proxy's host and the encoded header.
 */
const MIN_MASKED_CHARS = 8

/** Records whether undici begins to write this request. The CONNECT request to a proxy before it does not count. */
function watchSending({ method }: WireRequest, url: URL): { wasSent: () => boolean; stop: () => void } {
  let wasSent = false
  const onSend = (message: unknown): void => {
    const { request } = message as { request: { method: string; path: string } }
    wasSent ||= request.method === method && request.path === url.pathname + url.search
  }
  diagnosticsChannel.subscribe('undici:client:sendHeaders', onSend)
  return { wasSent: () => wasSent, stop: () => diagnosticsChannel.unsubscribe('undici:client:sendHeaders', onSend) }
}

/**
 * Creates the transport to the service, through the environment's proxy if there is one. Masks the secrets of all
 * proxies.
 * @throws ActionError `proxy` if the proxy URL is invalid
 */
export function createTransport({ baseUrl, apiKey, clock, env, mask, debug }: TransportOptions): Transport {
  for (const secret of proxySecrets(env)) if (secret.length >= MIN_MASKED_CHARS) mask(secret)
  // Each request looks up its proxy. This look-up validates the proxy URL before anything is sent, and logs the proxy.
  const proxy = baseUrl === '' ? undefined : proxyFor(new URL(baseUrl), env)
  if (proxy !== undefined) debug(`Requests to the service go through the proxy at ${proxy.host}.`)
  return async (request, signal) => {
    if (signal.aborted) return { kind: 'failure', cause: 'cancelled', code: undefined, sent: false }
    const { method, path, body, timeoutMs } = request
    // Concatenated and checked, because `new URL('//elsewhere', base)` would change the host.
    const url = new URL(baseUrl + path)
    if (url.origin !== new URL(baseUrl).origin || url.href !== baseUrl + path)
      throw new Error('The request would leave the base URL.')
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'user-agent': USER_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sending = watchSending(request, url)
    const timedOut = new Error('No response in time.')
    let refusal: WireResponse | undefined
    const perform = async (end: AbortSignal): Promise<WireResponse> => {
      const response = await exchange({ method, url, headers, body }, env, end)
      const unread = toWireResponse(response, '', clock.wallTime())
      if (!isSuccess(unread)) refusal = unread
      return { ...unread, body: await readText(response.body, MAX_BODY_BYTES) }
    }
    try {
      return await withDeadline(perform, { clock, signal, timeoutMs, timedOut })
    } catch (error) {
      if (isDefect(error)) throw error
      // The status is enough for a refusal, even if its body is incomplete.
      if (refusal !== undefined) return refusal
      const cause = error === signal.reason ? 'cancelled' : error === timedOut ? 'timeout' : failureCause(error)
      return { kind: 'failure', cause, code: failureCode(error), sent: sending.wasSent(), error }
    } finally {
      sending.stop()
    }
  }
}
