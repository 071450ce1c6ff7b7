import * as diagnosticsChannel from 'node:diagnostics_channel'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/time-budget.ts'
import { parseUrl } from '../runtime/url.ts'
import { exchange, failureCause, type FailureCause, failureCode, type HttpAnswer, readText } from '../http/exchange.ts'
import { proxyFor, proxySecrets } from '../http/proxy.ts'

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  /** Below the base address, beginning with `/`. */
  readonly path: string
  readonly body?: string
  /** For connecting, sending and reading the whole answer, in milliseconds. */
  readonly timeoutMs: number
}

export interface WireAnswer {
  readonly kind: 'answer'
  readonly status: number
  readonly body: string
  readonly retryAfterMs: number | undefined
  /** The other host that the answer leads to, where it names one. */
  readonly redirectHost?: string | undefined
}

export interface WireFailure {
  readonly kind: 'failure'
  readonly cause: FailureCause
  readonly code: string | undefined
  /** Whether any of the request may have left this machine. */
  readonly sent: boolean
  /** What undici or Node threw, for the debug log only: its message can quote addresses and credentials. */
  readonly error?: unknown
}

export type WireResult = WireAnswer | WireFailure

/** Any 2xx, with whatever body. */
export function isSuccess({ status }: WireAnswer): boolean {
  return status >= 200 && status < 300
}

/** About three years: more than any step has, and little enough for every date that is reckoned from it. */
const MAX_MS = 1e11
const MAX_ADDRESS = 2_048

/** Every form of an HTTP date begins with the day of the week. One without a zone is in UTC too. */
function parseHttpDate(text: string | undefined): number {
  if (text === undefined || !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return NaN
  return Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
}

/**
 * How long an answer's `Retry-After` asks to wait, in milliseconds, or undefined if it says nothing usable. A date is
 * read against the answer's own `Date`, so that a clock that is off here does no harm. What is past counts as 0.
 */
export function parseRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  const value = retryAfter?.trim() ?? ''
  // `Date.parse('5')` is a day in 2001, and `Number('1e400')` is Infinity: only plain digits are seconds.
  const delayMs = /^-?\d+$/.test(value) ? Number(value) * 1000 : parseHttpDate(value) - parseHttpDate(date?.trim())
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), MAX_MS)
}

/** The host that a `Location` header names, where it is fit to be shown; undefined for a path of the same host. */
export function redirectHost(location: string | undefined): string | undefined {
  if (location === undefined || location.length > MAX_ADDRESS) return undefined
  const host = /^(?:https?:)?\/\//i.test(location) ? parseUrl(location, 'https://localhost')?.host : undefined
  return host !== undefined && /^[a-z0-9.:[\]-]{1,200}$/.test(host) ? host : undefined
}

export function wireAnswer({ status, headers }: Pick<HttpAnswer, 'status' | 'headers'>, body: string): WireAnswer {
  return {
    kind: 'answer',
    status,
    body,
    retryAfterMs: parseRetryAfter(headers['retry-after'], headers['date']),
    redirectHost: redirectHost(headers['location']),
  }
}

/**
 * Sends one request once. What goes wrong is a value, since the caller decides by it.
 * @throws Error for a path that leads out of the base address, which is a defect of the caller
 */
export type Transport = (request: WireRequest, signal: AbortSignal) => Promise<WireResult>

export interface TransportOptions {
  /** Checked before: an origin and a path prefix, with no `/` at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  /** Where the proxies stand. */
  readonly env: NodeJS.ProcessEnv
  readonly mask: (secret: string) => void
  /** For what is too short to be redacted in outputs. */
  readonly maskInLog: (secret: string) => void
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
}

const USER_AGENT = 'docs-agent-action'
const MAX_BODY_BYTES = 4 * 1024 * 1024
/** A shorter secret, such as a password `docs`, is a part of ordinary words. */
const SHORTEST_MASKED_EVERYWHERE = 8

/** Concatenation, as `new URL('//elsewhere', base)` would change the host; what came out is checked all the same. */
function resolveUrl(baseUrl: string, path: string): URL {
  const base = new URL(baseUrl)
  const url = new URL(baseUrl + path)
  if (url.origin !== base.origin || url.href !== baseUrl + path)
    throw new Error('The request would leave the base address.')
  return url
}

/** Watches whether undici begins to write this very request, and not only the proxy's CONNECT before it. */
function watchSending({ method }: WireRequest, url: URL): { wasSent: () => boolean; stop: () => void } {
  let sent = false
  const onSend = (message: unknown): void => {
    const { request } = message as { request: { method: string; path: string } }
    sent ||= request.method === method && request.path === url.pathname + url.search
  }
  diagnosticsChannel.subscribe('undici:client:sendHeaders', onSend)
  return { wasSent: () => sent, stop: () => diagnosticsChannel.unsubscribe('undici:client:sendHeaders', onSend) }
}

/**
 * The way to the real service, through a proxy where the environment names one. Without an address nothing can be asked.
 * @throws ActionError `proxy` if the proxy's address is none
 */
export function createTransport({ baseUrl, apiKey, clock, env, mask, maskInLog, debug }: TransportOptions): Transport {
  for (const secret of proxySecrets(env)) {
    if (secret.length < SHORTEST_MASKED_EVERYWHERE) maskInLog(secret)
    else mask(secret)
  }
  // Each request finds it again; here it is checked, before any is sent, and told.
  const proxy = baseUrl === '' ? undefined : proxyFor(new URL(baseUrl), env)
  if (proxy !== undefined) debug(`Requests to the service go through the proxy at ${proxy.host}.`)
  return async (request, signal) => {
    if (signal.aborted) return { kind: 'failure', cause: 'cancelled', code: undefined, sent: false }
    const { method, path, body, timeoutMs } = request
    const url = resolveUrl(baseUrl, path)
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'user-agent': USER_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sending = watchSending(request, url)
    const timedOut = new Error('No response in time.')
    let refusal: WireAnswer | undefined
    const perform = async (end: AbortSignal): Promise<WireAnswer> => {
      const answer = await exchange({ method, url, headers, body }, env, end)
      const unread = wireAnswer(answer, '')
      if (!isSuccess(unread)) refusal = unread
      return { ...unread, body: await readText(answer.body, MAX_BODY_BYTES) }
    }
    try {
      return await withDeadline(perform, { clock, signal, timeoutMs, timedOut })
    } catch (error) {
      // A refusal is known by its status: that its explanation broke off or never ends changes nothing.
      if (refusal !== undefined) return refusal
      const cause = error === signal.reason ? 'cancelled' : error === timedOut ? 'timeout' : failureCause(error)
      return { kind: 'failure', cause, code: failureCode(error), sent: sending.wasSent(), error }
    } finally {
      sending.stop()
    }
  }
}
