/** Loads Octokit, and applies our request policy to each request. */
import { exchange, failureCause, type HttpResponse, type HttpRequest, readText } from '../http/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Deadline, withDeadline } from '../runtime/time-budget.ts'
import { ActionError } from '../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../runtime/heartbeat.ts'
import { parseUrl } from '../runtime/url.ts'
import type { Redact } from '../text/redact.ts'
import { Refusal, TransportFailure, type GitHubResponse } from './github-error.ts'
import { InvalidResponse } from './schemas.ts'

/** Loads the toolkit, which is large: a step that sends GitHub no request does not load it. */
type LoadToolkit = () => Promise<typeof import('@actions/github')>
type Toolkit = Awaited<ReturnType<LoadToolkit>>
export type Octokit = ReturnType<Toolkit['getOctokit']>
type OctokitPlugin = NonNullable<Parameters<Toolkit['getOctokit']>[2]>

/** Sends a request once. `end` aborts when the caller no longer waits for the response. */
export type Send = (request: HttpRequest, end: AbortSignal) => Promise<HttpResponse>

/** Returns a `Send` through the proxies of the environment. */
export function sendThrough(env: NodeJS.ProcessEnv): Send {
  return async (request, end) => exchange(request, env, end)
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
  /** A timestamp of `clock.now()`, or a deadline that can move. Nothing is sent, awaited or retried after it. */
  readonly deadlineAt: number | Deadline
  readonly log: (line: string) => void
  /** Writes to the debug log. */
  readonly debug: (line: string) => void
  /** Applied to everything that GitHub returns: untrusted text is cut later, and a cut secret would not be recognized. */
  readonly redact: Redact
}

/** The `request` options of one request, which Octokit passes to the policy. */
export interface RequestPolicy {
  /** Aborts when the caller no longer waits for the response. */
  readonly signal: AbortSignal
  readonly deadline: Deadline
  /** The maximum number of retries after a transient failure, by default three. */
  readonly retries?: number
  /** Whether the request is never retried, not even after a rate limit, because its body would be outdated. */
  readonly isSentOnce?: boolean
  /** `manual`: a 302 is a response, and is not followed. */
  readonly redirect?: 'manual'
}

/** GitHub's count of the requests with a token. */
export interface Usage {
  /** How many requests of this step GitHub has counted. It does not count a 304. */
  readonly counted: number
  /** How many more requests with the token GitHub allows within this hour, for all clients. */
  readonly remaining: number
  /** How many requests GitHub allows in an hour. 0 until the first response. */
  readonly limit: number
}

/** Large enough for a comparison of 300 files with patches. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** For one attempt, including the last byte of its response. */
const ATTEMPT_TIMEOUT_MS = 30_000
/** Give up after this many retries. Waits for a rate limit are bounded by the deadline instead. */
const MAX_RETRIES = 3
/** GitHub asks for exponentially longer waits if a rate limit is hit repeatedly: 1 s, then doubled up to this limit. */
const MAX_REPEATED_LIMIT_MS = 60_000
/** GitHub asks for a second between two requests that write. */
const WRITE_INTERVAL_MS = 1_000
/** GitHub redirects once, from a repository's old name to its present one. */
const MAX_REDIRECTS = 3
/** Reading a pull request with its checks takes five requests. */
const MAX_CACHED_RESPONSES = 16

const REDIRECTS = [301, 302, 307, 308]

/** GitHub's ETags have no other characters. A header with other bytes could not be sent back unchanged. */
const SENDABLE_ETAG = /^[\x21-\x7e]+$/

/** Returns the URL to send the same request to, on the same origin only, because no other server may get the token. */
function getRedirect({ status, headers: { location } }: GitHubResponse, url: URL): URL | undefined {
  if (!REDIRECTS.includes(status) || typeof location !== 'string') return undefined
  const next = parseUrl(location, url.href)
  return next?.origin === url.origin ? next : undefined
}

function isTransient(error: unknown): boolean {
  if (error instanceof Refusal) return error.status >= 500 || error.status === 408
  return error instanceof TransportFailure && ['no-connection', 'broken'].includes(failureCause(error.cause))
}

/** A token that is refused for the first time this late may have expired. */
const EXPIRY_SUSPECTED_MS = 30 * 60_000

/** @param earlierLimits how many rate limits the request has hit before */
function getLimitDelayMs(refusal: Refusal, earlierLimits: number, wallTime: Date): number {
  return Math.max(refusal.limitMs(wallTime), Math.min(1_000 * 2 ** earlierLimits, MAX_REPEATED_LIMIT_MS))
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

/** A request, which a redirect can send to another URL. */
interface Outgoing {
  readonly method: string
  readonly url: URL
  readonly policy: RequestPolicy
  /** Sends the request once. `end` aborts when the caller no longer waits for the response. */
  readonly send: (url: URL, etag: string | undefined, end: AbortSignal) => Promise<GitHubResponse>
}

/**
 * The request policy: the deadline on the step's clock, retries, rate limits, redirects on the same origin, ETags, and
 * a pause between writes. Octokit's public plugins for retries and throttling are not used: they retry a POST after a
 * 5xx, which may write twice, and they sleep on the wall clock, which no deadline ends.
 */
function createRequestPolicy({ clock, log, debug }: Pick<GitHubOptions, 'clock' | 'log' | 'debug'>) {
  let usage: Usage = { counted: 0, remaining: 0, limit: 0 }
  let hasAccepted = false
  const openedAt = clock.now()
  let nextWriteAt = -Infinity
  /** The end of the last wait for a rate limit that is being logged. */
  let loggedUntil = -Infinity
  /** Responses with an `ETag`, by URL, the most recently used last. */
  const cache = new Map<string, GitHubResponse>()

  function count({ status, headers }: GitHubResponse): void {
    const [remaining, limit] = [Number(headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-limit'])]
    usage = { ...usage, ...(limit > 0 && { remaining, limit }), counted: usage.counted + (status === 304 ? 0 : 1) }
  }

  /** Caches a response, or returns the cached response for a 304. */
  function revalidate(url: string, response: GitHubResponse): GitHubResponse {
    const valid = response.status === 304 ? cache.get(url) : response
    if (valid === undefined || valid.status >= 300) return response
    cache.delete(url)
    if (SENDABLE_ETAG.test(valid.headers.etag ?? '')) cache.set(url, valid)
    for (const oldest of [...cache.keys()].slice(0, -MAX_CACHED_RESPONSES)) cache.delete(oldest)
    return valid
  }

  /** Logs the wait, unless another request already logs a wait that lasts at least as long. */
  async function waitForLimit(ms: number, signal: AbortSignal): Promise<void> {
    const endsAt = clock.now() + ms
    if (endsAt <= loggedUntil) return clock.sleep(ms, signal)
    const before = loggedUntil
    loggedUntil = endsAt
    try {
      log(`GitHub's rate limit is exceeded. Waiting until ${formatTimeAfter(ms, clock)}.`)
      await sleepWithProgress(ms, { clock, log, signal })
    } catch (error) {
      loggedUntil = before
      throw error
    }
  }

  async function pauseBetweenWrites(signal: AbortSignal): Promise<void> {
    const at = Math.max(clock.now(), nextWriteAt)
    nextWriteAt = at + WRITE_INTERVAL_MS
    await clock.sleep(at - clock.now(), signal)
  }

  async function sendOnce({ method, send, policy: { signal } }: Outgoing, url: URL): Promise<GitHubResponse> {
    // Process signals are handled only when the event loop runs, and this request may write.
    await clock.yieldToEventLoop()
    signal.throwIfAborted()
    const etag = method === 'GET' ? cache.get(url.href)?.headers.etag : undefined
    const timedOut = new TransportFailure(new Error('No response in time.'))
    const limits = { clock, signal, timeoutMs: ATTEMPT_TIMEOUT_MS, timedOut }
    const response = await withDeadline((end) => send(url, etag, end), limits)
    count(response)
    hasAccepted ||= response.status < 400
    return method === 'GET' ? revalidate(url.href, response) : response
  }

  /** Sends a request, and follows the redirects of a renamed repository with method and body. */
  async function attempt(request: Outgoing): Promise<GitHubResponse> {
    const { signal, redirect } = request.policy
    if (request.method !== 'GET') await pauseBetweenWrites(signal)
    let { url } = request
    for (let redirects = 0; ; redirects++) {
      const response = await sendOnce(request, url)
      if (response.status < 300 || (response.status === 302 && redirect === 'manual')) return response
      const next = redirects < MAX_REDIRECTS ? getRedirect(response, url) : undefined
      if (next === undefined) throw new Refusal(response, hasAccepted || clock.now() - openedAt > EXPIRY_SUSPECTED_MS)
      url = next
    }
  }

  /** Retries a request. Delays must end before the deadline; waits for a rate limit can extend it (`allowWait`). */
  async function perform(request: Outgoing): Promise<GitHubResponse> {
    const { signal, deadline, retries = MAX_RETRIES, isSentOnce = false } = request.policy
    let limits = 0
    let failures = 0
    for (;;) {
      try {
        return await attempt(request)
      } catch (error) {
        const isRateLimit = error instanceof Refusal && error.isRateLimit
        if (isSentOnce || !(isRateLimit || (failures < retries && isTransient(error)))) throw error
        const delayMs = isRateLimit ? getLimitDelayMs(error, limits++, clock.wallTime()) : (++failures) ** 2 * 1_000
        if (!(isRateLimit ? deadline.allowWait(delayMs) : clock.now() + delayMs < deadline.at)) throw error
        debug(`Retrying in ${delayMs / 1_000} s: ${request.method} ${request.url.href}`)
        await (isRateLimit ? waitForLimit(delayMs, signal) : clock.sleep(delayMs, signal))
      }
    }
  }

  const plugin: OctokitPlugin = (octokit) => {
    octokit.hook.wrap('request', async (request, options) => {
      const { method, url, ...rest } = octokit.request.endpoint.parse(options)
      const body: unknown = rest.body
      const { baseUrl, headers, mediaType } = options
      const policy = options.request as RequestPolicy
      // Octokit passes one object to all hooks, so it is changed in place. The route is replaced with a URL, because
      // Octokit would add the parameters of a route to the URL of a redirect.
      for (const name of Object.keys(options)) Reflect.deleteProperty(options, name)
      Object.assign(options, { method, baseUrl, mediaType, ...(body !== undefined && { data: body }) })
      const send: Outgoing['send'] = async (target, etag, signal) => {
        Object.assign(options, { url: target.href, headers: { ...headers, 'if-none-match': etag } })
        Object.assign(options, { request: { ...policy, signal } })
        return Promise.resolve(request(options)).catch(unwrapResponse)
      }
      const response = await perform({ method, url: new URL(url), policy, send })
      const isJson = typeof response.data === 'object' && response.data !== null
      if (!isJson && policy.redirect !== 'manual') throw new InvalidResponse()
      return response
    })
  }

  return { plugin, usage: () => usage }
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
    throw error instanceof ActionError ? error : new TransportFailure(error)
  }
}

/** Creates a `fetch` for Octokit that uses our own connections. */
function createFetch(send: Send) {
  return async (url: string, { method, headers, body, signal }: HttpRequest & { readonly signal: AbortSignal }) => {
    const { response, text } = await exchangeText(send, { method, url: new URL(url), headers, body }, signal)
    const read = (): Promise<string> => Promise.resolve(text)
    const responseHeaders = new Map(Object.entries(response.headers))
    return { status: response.status, url, headers: responseHeaders, text: read, arrayBuffer: read }
  }
}

const USER_AGENT = 'docs-agent-action'

/**
 * Loads Octokit with our request policy. The toolkit reads the proxies, the API URL and the event while it loads. The
 * event is hidden from it: the toolkit throws on a truncated payload, and this action has already read it.
 * @throws ActionError `proxy` if a URL in the environment is invalid
 */
async function openOctokit(
  { token, apiUrl, debug }: Pick<GitHubOptions, 'token' | 'apiUrl' | 'debug'>,
  send: Send,
  load: LoadToolkit,
  ...plugins: readonly OctokitPlugin[]
): Promise<Octokit> {
  const { GITHUB_EVENT_PATH: event } = process.env
  delete process.env['GITHUB_EVENT_PATH']
  try {
    const { getOctokit } = await load()
    // Octokit would write to the step's standard output, without redaction and escaping.
    const log = { debug, info: debug, warn: debug, error: debug }
    const request = { fetch: createFetch(send), log }
    return getOctokit(token, { baseUrl: apiUrl, userAgent: USER_AGENT, log, request }, ...plugins)
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

/** Octokit, loaded by the first request of a step, and GitHub's count of the requests. */
export interface Transport {
  readonly open: () => Promise<Octokit>
  readonly usage: () => Usage
}

export function createTransport(
  options: Pick<GitHubOptions, 'token' | 'apiUrl' | 'clock' | 'log' | 'debug'>,
  send: Send,
  load: LoadToolkit = () => import('@actions/github'),
): Transport {
  const { plugin, usage } = createRequestPolicy(options)
  let octokit: Promise<Octokit> | undefined
  return { open: () => (octokit ??= openOctokit(options, send, load, plugin)), usage }
}
