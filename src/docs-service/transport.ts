import * as diagnosticsChannel from 'node:diagnostics_channel'
import type { Clock } from '../runtime/clock.ts'
import { TimedOut, withDeadline } from '../runtime/deadline.ts'
import { readBounded } from '../runtime/read-bounded.ts'
import { exchange, type HttpAnswer } from '../http/exchange.ts'
import { failureCause, failureCode, type FailureCause } from '../http/failure-cause.ts'
import { parseRetryAfter, redirectHost } from './answer-headers.ts'

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
}

export type WireResult = WireAnswer | WireFailure

/** Any 2xx, with whatever body. */
export function isSuccess(result: WireResult): result is WireAnswer {
  return result.kind === 'answer' && result.status >= 200 && result.status < 300
}

export interface Transport {
  /**
   * Sends one request once. What goes wrong is a value, since the caller decides by it.
   * @throws Error for a path that leads out of the base address, which is a defect of the caller
   */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResult>
}

export interface TransportOptions {
  /** Checked before: an origin and a path prefix, with no `/` at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly proxy: URL | undefined
  readonly clock: Clock
}

const USER_AGENT = 'docs-agent-action'
const MAX_BODY_BYTES = 4 * 1024 * 1024

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

export function createTransport({ baseUrl, apiKey, proxy, clock }: TransportOptions): Transport {
  function ask({ method, body }: WireRequest, url: URL, end: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'user-agent': USER_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    return exchange({ method, url, headers, body }, proxy, end)
  }

  return {
    async send(request, signal) {
      if (signal.aborted) return { kind: 'failure', cause: 'cancelled', code: undefined, sent: false }
      const url = resolveUrl(baseUrl, request.path)
      const sending = watchSending(request, url)
      let refusal: WireAnswer | undefined
      const perform = async (end: AbortSignal): Promise<WireAnswer> => {
        const { status, headers, body } = await ask(request, url, end)
        const answer: WireAnswer = {
          kind: 'answer',
          status,
          body: '',
          retryAfterMs: parseRetryAfter(headers['retry-after'], headers['date']),
          redirectHost: redirectHost(headers['location']),
        }
        if (!isSuccess(answer)) refusal = answer
        return { ...answer, body: (await readBounded(body, MAX_BODY_BYTES)).toString('utf8') }
      }
      try {
        return await withDeadline(perform, { clock, signal, timeoutMs: request.timeoutMs })
      } catch (error) {
        // A refusal is known by its status: that its explanation broke off or never ends changes nothing.
        if (refusal !== undefined) return refusal
        const cause =
          error === signal.reason ? 'cancelled' : error instanceof TimedOut ? 'timeout' : failureCause(error)
        return { kind: 'failure', cause, code: failureCode(error), sent: sending.wasSent() }
      } finally {
        sending.stop()
      }
    },
  }
}
