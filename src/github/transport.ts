/** Loads Octokit, and applies our request policy to each request. */
import { Connections } from '../http/connections.ts'
import { exchange, failureCause, type HttpResponse, type HttpRequest, readText, USER_AGENT } from '../http/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Deadline, withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../runtime/heartbeat.ts'
import { parseUrl } from '../runtime/url.ts'
import type { Redact } from '../text/redact.ts'
import { ErrorResponse, toTransportFailure, TransportFailure, type GitHubResponse } from './github-error.ts'
import { InvalidResponse } from './schemas.ts'

/** Loads the toolkit, which is large: a step that sends GitHub no request does not load it. */
export type LoadToolkit = () => Promise<typeof import('@actions/github')>
type Toolkit = Awaited<ReturnType<LoadToolkit>>
export type Octokit = ReturnType<Toolkit['getOctokit']>
type OctokitPlugin = NonNullable<Parameters<Toolkit['getOctokit']>[2]>

/** Sends a request once. `end` aborts when the caller no longer waits for the response. */
export type Send = (request: HttpRequest, end: AbortSignal) => Promise<HttpResponse>

/**
 * Returns a `Send` through the proxies of the environment. Reads of the API share connections that stay open. Everything
 * else has a connection of its own: if the server closed it at the same moment, it would be unknown whether a write
 * was processed.
 */
export function sendThrough(env: NodeJS.ProcessEnv, apiUrl: string): Send {
  const connections = new Connections(env)
  const { origin } = new URL(apiUrl)
  return async (request, end) =>
    request.method === 'GET' && request.url.origin === origin
      ? connections.exchange(request, end)
      : exchange(request, env, end)
}

export interface GitHubOptions {
  readonly token: string
  /** `GITHUB_API_URL`: the API of github.com or of a GitHub Enterprise Server. */
  readonly apiUrl: string
  /** Names the proxies. */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** A timestamp of `clock.now()`. */
  readonly deadlineAt: number
  readonly log: (line: string) => void
  /** Writes to the debug log. */
  readonly debug: (line: string) => void
  /** Applied to everything that GitHub returns: untrusted text is cut later, and a cut secret would not be recognized. */
  readonly redact: Redact
}

/** The `request` options of one request, which Octokit passes to the policy. */
export interface RequestPolicy {
  /** When the request ends, with its retries. */
  readonly deadline: Deadline
  /** Whether sending the request twice does no harm. By default true, except for a POST. */
  readonly isIdempotent?: boolean
  /** `manual`: a 302 is a response, and is not followed. */
  readonly redirect?: 'manual'
  readonly maxRetries?: number
  /** How many attempts have failed in another form: the first attempt is a retry, after the usual pause. */
  readonly failuresBefore?: number
  /** Whether the object is so new that GitHub may not know it yet: a 404 is retried after 2, 4 and 8 seconds. */
  readonly mayBeNew?: boolean | undefined
}

/** For an object that an event has just announced. */
export type Freshness = Pick<RequestPolicy, 'mayBeNew'>

/** Large enough for a comparison of 300 files with patches. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** For one attempt, including the last byte of its response. */
const ATTEMPT_TIMEOUT_MS = 30_000
/** Give up after this many retries. Waits for a rate limit are bounded by the deadline instead. */
export const MAX_RETRIES = 3
const NEW_OBJECT_DELAYS_MS: readonly number[] = [2_000, 4_000, 8_000]
/** GitHub asks for exponentially longer waits if a rate limit is hit repeatedly: 1 s, then doubled up to this limit. */
const MAX_REPEATED_LIMIT_MS = 60_000
/** GitHub redirects once, from a repository's old name to its present one. */
const MAX_REDIRECTS = 3
/** A token that is refused for the first time this late may have expired. */
const EXPIRY_SUSPECTED_MS = 30 * 60_000

/** Returns the pause after this many failed attempts. */
const getRetryDelayMs = (failures: number): number => failures ** 2 * 1_000

/** Whether a retry may succeed. A request that may have been processed is only retried if it is idempotent. */
function isTransient(error: unknown, isIdempotent: boolean): boolean {
  // A truncated body, or the page of a proxy.
  if (error instanceof InvalidResponse) return isIdempotent
  // GitHub may not know the new token of an app everywhere yet (octokit/auth-app.js#65). Nothing was processed.
  if (error instanceof ErrorResponse && error.status === 401) return !error.isLate
  if (error instanceof ErrorResponse) return isIdempotent && (error.status >= 500 || error.status === 408)
  const cause = error instanceof TransportFailure ? failureCause(error.cause) : undefined
  return cause === 'no-connection' || (isIdempotent && cause === 'broken')
}

/**
 * Returns the error response that Octokit wraps in an error.
 * @throws the error of `fetch`, which Octokit also wraps
 */
function unwrapResponse(error: unknown): GitHubResponse {
  const { response, cause = error } = error as { readonly response?: GitHubResponse; readonly cause?: unknown }
  if (response !== undefined) return response
  throw cause
}

/**
 * Returns a function that decides, after each failed attempt of one request, how long to wait before the next one. It throws the
 * error if there is no next attempt.
 */
function createRetries(
  { isIdempotent = false, maxRetries = MAX_RETRIES, failuresBefore = 0, mayBeNew = false }: RequestPolicy,
  clock: Pick<Clock, 'wallTime'>,
): (error: unknown) => { readonly delayMs: number; readonly isLimit: boolean } {
  const newDelaysMs = mayBeNew ? [...NEW_OBJECT_DELAYS_MS] : []
  let limits = 0
  let failures = failuresBefore
  return (error) => {
    if (error instanceof ErrorResponse && error.isRateLimit) {
      const repeatedMs = Math.min(1_000 * 2 ** limits++, MAX_REPEATED_LIMIT_MS)
      return { delayMs: Math.max(error.limitMs(clock.wallTime()), repeatedMs), isLimit: true }
    }
    const newDelayMs = error instanceof ErrorResponse && error.status === 404 ? newDelaysMs.shift() : undefined
    if (newDelayMs !== undefined) return { delayMs: newDelayMs, isLimit: false }
    if (failures >= maxRetries || !isTransient(error, isIdempotent)) throw error
    return { delayMs: getRetryDelayMs(++failures), isLimit: false }
  }
}

/**
 * The request policy: 30 seconds for an attempt, three retries, and waits for rate limits, all before the request's
 * deadline on the step's clock. Octokit's public plugins for retries and throttling are not used: they retry a POST after a 5xx,
 * which may write twice, and they sleep on the wall clock, which no deadline ends.
 */
export function createRequestPolicy({
  clock,
  log,
  debug,
}: Pick<GitHubOptions, 'clock' | 'log' | 'debug'>): OctokitPlugin {
  const openedAt = clock.now()
  let hasAccepted = false
  /** As `owner/name`. */
  const knownRepositories = new Set<string>()
  /** The end of the last wait for a rate limit that was logged. */
  let loggedUntil = -Infinity

  /** Logs the wait, unless another request already logs a wait that lasts at least as long. */
  async function waitForLimit(ms: number, signal: AbortSignal): Promise<void> {
    const endsAt = clock.now() + ms
    if (endsAt <= loggedUntil) return clock.sleep(ms, signal)
    loggedUntil = endsAt
    log(`GitHub's rate limit is exceeded. Waiting until ${formatTimeAfter(ms, clock)}.`)
    await sleepWithProgress(ms, { clock, log, signal })
  }

  /** @throws ErrorResponse, TransportFailure, ActionError `deadline`, or the reason of a cancellation */
  async function attempt(
    send: (end: AbortSignal) => Promise<GitHubResponse>,
    { redirect, deadline }: RequestPolicy,
    repository: string,
  ): Promise<GitHubResponse> {
    // Process signals are handled only when the event loop runs, and this request may write.
    await clock.yieldToEventLoop()
    const { signal } = deadline
    signal.throwIfAborted()
    const leftMs = deadline.getLeftMs()
    const atDeadline = new ActionError('deadline', 'GitHub did not respond in time.')
    if (leftMs <= 0) throw atDeadline
    const [timeoutMs, timedOut] =
      leftMs < ATTEMPT_TIMEOUT_MS
        ? [leftMs, atDeadline]
        : [ATTEMPT_TIMEOUT_MS, new TransportFailure(new Error('No response in time.'))]
    const response = await withDeadline(send, { clock, signal, timeoutMs, timedOut })
    hasAccepted ||= response.status < 400
    if (response.status < 300) knownRepositories.add(repository)
    if (response.status < 300 || (response.status === 302 && redirect === 'manual')) return response
    const isLate = hasAccepted || clock.now() - openedAt > EXPIRY_SUSPECTED_MS
    throw new ErrorResponse(response, isLate, knownRepositories.has(repository))
  }

  return (octokit) => {
    octokit.hook.wrap('request', async (request, options) => {
      const policy = options.request as unknown as RequestPolicy
      const { deadline, redirect, failuresBefore = 0, isIdempotent = options.method !== 'POST' } = policy
      const repository = `${String(options['owner'])}/${String(options['repo'])}`
      const send = async (signal: AbortSignal): Promise<GitHubResponse> => {
        // Octokit passes one object to all hooks, so it is changed in place.
        options.request = { ...options.request, signal }
        return Promise.resolve(request(options)).catch(unwrapResponse)
      }
      const getRetry = createRetries({ ...policy, isIdempotent }, clock)
      const pauseMs = Math.min(getRetryDelayMs(failuresBefore), deadline.getLeftMs())
      if (pauseMs > 0) await clock.sleep(pauseMs, deadline.signal)
      for (;;) {
        try {
          const response = await attempt(send, policy, repository)
          const isJson = typeof response.data === 'object' && response.data !== null
          if (!isJson && redirect !== 'manual') throw new InvalidResponse()
          return response
        } catch (error) {
          const { delayMs, isLimit } = getRetry(error)
          if (delayMs >= deadline.getLeftMs()) throw error
          const { method, url } = octokit.request.endpoint.parse(options)
          debug(`Retrying in ${delayMs / 1_000} s: ${method} ${url}`)
          await (isLimit ? waitForLimit(delayMs, deadline.signal) : clock.sleep(delayMs, deadline.signal))
        }
      }
    })
  }
}

/**
 * Sends a request once and reads the complete response, because Octokit treats a body that breaks off as empty.
 * @throws TransportFailure, ActionError `proxy`
 */
async function exchangeText(send: Send, request: HttpRequest, signal: AbortSignal) {
  try {
    const response = await send(request, signal)
    return { response, text: await readText(response.body, MAX_RESPONSE_BYTES) }
  } catch (error) {
    throw toTransportFailure(error)
  }
}

const REDIRECTS = [301, 302, 307, 308]

/** Returns the URL to send the same request to, on the same origin only, because no other server may get the token. */
function getRedirect({ status, headers: { location } }: HttpResponse, url: URL): URL | undefined {
  if (!REDIRECTS.includes(status) || location === undefined) return undefined
  const next = parseUrl(location, url.href)
  return next?.origin === url.origin ? next : undefined
}

interface FetchOptions extends Omit<HttpRequest, 'url'> {
  readonly signal: AbortSignal
  readonly redirect?: RequestPolicy['redirect']
}

/**
 * Creates a `fetch` for Octokit that uses our own connections. Follows the redirects of a renamed repository with
 * method and body, which the standard `fetch` drops.
 */
function createFetch(send: Send) {
  return async (address: string, { method, headers, body, signal, redirect }: FetchOptions) => {
    let url = new URL(address)
    for (let redirects = 0; ; redirects++) {
      const { response, text } = await exchangeText(send, { method, url, headers, body }, signal)
      const { status } = response
      const isFollowed = redirects < MAX_REDIRECTS && !(status === 302 && redirect === 'manual')
      const next = isFollowed ? getRedirect(response, url) : undefined
      if (next === undefined) {
        const read = (): Promise<string> => Promise.resolve(text)
        const responseHeaders = new Map(Object.entries(response.headers))
        return { status, url: url.href, headers: responseHeaders, text: read, arrayBuffer: read }
      }
      url = next
    }
  }
}

/**
 * Loads Octokit with our request policy. The toolkit reads the proxies, the API URL and the event while it loads. The
 * event is hidden from it: the toolkit throws on a truncated payload, and this action has already read it.
 * @throws ActionError `proxy` if a URL in the environment is invalid
 */
export async function openOctokit(
  { token, apiUrl, debug }: Pick<GitHubOptions, 'token' | 'apiUrl' | 'debug'>,
  policy: OctokitPlugin,
  send: Send,
  load: LoadToolkit,
): Promise<Octokit> {
  const { GITHUB_EVENT_PATH: event } = process.env
  delete process.env['GITHUB_EVENT_PATH']
  try {
    const { getOctokit } = await load()
    // Octokit would write to the step's standard output, without redaction and escaping.
    const log = { debug, info: debug, warn: debug, error: debug }
    const request = { fetch: createFetch(send), log }
    return getOctokit(token, { baseUrl: apiUrl, userAgent: USER_AGENT, log, request }, policy)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_INVALID_URL') throw error
    throw new ActionError('proxy', "GitHub's client could not be started.", {
      cause: error,
      hint: 'Check `HTTPS_PROXY`, `HTTP_PROXY` and `GITHUB_API_URL`.',
    })
  } finally {
    if (event !== undefined) process.env['GITHUB_EVENT_PATH'] = event
  }
}
