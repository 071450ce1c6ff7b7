import * as diagnosticsChannel from 'node:diagnostics_channel'
import { Agent, ProxyAgent, request as sendRequest, type Dispatcher } from 'undici'
import type { Clock } from '../shared/clock.ts'
import { failureCause, failureCode, type FailureCause } from './failure-cause.ts'
import { parseRetryAfter } from './retry-after.ts'

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
}

export interface WireFailure {
  readonly kind: 'failure'
  readonly cause: FailureCause
  readonly code: string | undefined
  /** Whether any of the request may have left this machine. */
  readonly sent: boolean
}

export type WireResult = WireAnswer | WireFailure

export interface Transport {
  /** Sends one request once. Never throws: what goes wrong is a value, since the caller decides by it. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResult>
}

export interface TransportOptions {
  /** Checked before: an origin and a path prefix, with no `/` at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly proxy: URL | undefined
  readonly userAgent: string
  readonly clock: Clock
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 10_000

/**
 * A fresh connection for every request: a kept one that the service closes in the same moment would make the fate of a
 * POST unknown. HTTP/1.1 only, since HTTP/2 lets undici send a request again by itself. Its own time limits are off, because
 * a slow drip resets them, and a proxy that never answers outlives them.
 */
function openDispatcher(proxy: URL | undefined): Dispatcher {
  const limits = { headersTimeout: 0, bodyTimeout: 0, pipelining: 0, allowH2: false }
  return proxy === undefined
    ? new Agent({ ...limits, connect: { timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true } })
    : new ProxyAgent({ ...limits, uri: proxy.href })
}

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

async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('The answer is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

class TimedOut extends Error {}

export function createTransport({ baseUrl, apiKey, proxy, userAgent, clock }: TransportOptions): Transport {
  async function exchange(request: WireRequest, url: URL, dispatcher: Dispatcher): Promise<WireAnswer> {
    const { statusCode, headers, body } = await sendRequest(url, {
      dispatcher,
      method: request.method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        'user-agent': userAgent,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: request.body ?? null,
    })
    const isSuccess = statusCode >= 200 && statusCode < 300
    return {
      kind: 'answer',
      status: statusCode,
      // A refusal is known by its status: that its explanation broke off changes nothing.
      body: await (isSuccess ? readBody(body) : readBody(body).catch(() => '')),
      retryAfterMs: parseRetryAfter(single(headers['retry-after']), single(headers['date'])),
    }
  }

  /** A timer of our own that holds the event loop: undici's own limits do not cover every place that can hang. */
  async function expire(timeoutMs: number, signal: AbortSignal): Promise<never> {
    await clock.sleep(timeoutMs, signal)
    throw new TimedOut()
  }

  return {
    async send(request, signal) {
      if (signal.aborted) return { kind: 'failure', cause: 'cancelled', code: undefined, sent: false }
      const url = resolveUrl(baseUrl, request.path)
      const dispatcher = openDispatcher(proxy)
      const sending = watchSending(request, url)
      const done = new AbortController()
      try {
        const timer = expire(request.timeoutMs, AbortSignal.any([signal, done.signal]))
        return await Promise.race([exchange(request, url, dispatcher), timer])
      } catch (error) {
        const cause =
          error === signal.reason ? 'cancelled' : error instanceof TimedOut ? 'timeout' : failureCause(error)
        return { kind: 'failure', cause, code: failureCode(error), sent: sending.wasSent() }
      } finally {
        done.abort()
        sending.stop()
        dispatcher.destroy().catch(() => undefined)
      }
    },
  }
}
