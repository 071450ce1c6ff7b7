import { failureCause } from '../http/failure-cause.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { formatTimeAfter, sleepAloud } from '../runtime/heartbeat.ts'
import { toDeadline, type Deadline } from '../runtime/time-budget.ts'
import { parseUrl } from '../runtime/url.ts'
import type { Redact } from '../text/redact.ts'
import { Refusal } from './github-error.ts'
import {
  openOctokit,
  TransportFailure,
  type Answer,
  type GitHubRequest,
  type LoadToolkit,
  type Send,
} from './octokit.ts'

export interface GitHubOptions {
  readonly token: string
  /** `GITHUB_API_URL`: GitHub's own, or that of a GitHub Enterprise Server. */
  readonly apiUrl: string
  /** Where the proxies stand. */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** On the clock's scale, in milliseconds: nothing is asked, waited for or retried after it. */
  readonly deadlineAt: number | Deadline
  readonly log: (line: string) => void
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
  /** For all that GitHub says: texts of strangers are cut later, and half a secret is found by nobody. */
  readonly redact: Redact
}

/** What GitHub counts of the requests with a token. */
export interface Usage {
  /** How many of ours it has counted. An answer 304 is none of them. */
  readonly counted: number
  /** How many more it lets through within this hour, whoever asks with the token. */
  readonly remaining: number
  /** How many it lets through in an hour; 0 while it has not said. */
  readonly limit: number
}

/** One attempt, its answer's last byte included. */
const ATTEMPT_MS = 30_000
/** A limit that comes back again and again is not going to end, and neither is a fault. */
const MOST_RETRIES = 3
/** GitHub asks for as much between two requests that write. */
const WRITE_PAUSE_MS = 1_000
/** GitHub sends on once, from where a repository was to where it is. */
const MOST_HOPS = 3
/** A look at a pull request with its checks takes five, and so much is kept of the last ones only. */
const MOST_KEPT = 16

/** These ask for the same request at another place; 302 does not if the request asks where something is. */
const MOVED = [301, 302, 307, 308]

/** Where the same request is to be made instead, if that is the same server: the token is for no other. */
function movedTo({ status, headers: { location } }: Answer, url: URL): URL | undefined {
  if (!MOVED.includes(status) || location === undefined) return undefined
  const next = parseUrl(location, url.href)
  return next?.origin === url.origin ? next : undefined
}

/** GitHub's own have no other characters. A header with any other byte could not be sent back as it was. */
const SENDABLE_ETAG = /^[\x21-\x7e]+$/

/** Whether the next attempt may end otherwise: a refusal stays one, and so does a certificate. */
function mayPass(error: unknown): boolean {
  if (error instanceof Refusal) return error.status >= 500 || error.status === 408
  return error instanceof TransportFailure && ['no-connection', 'broken'].includes(failureCause(error.cause))
}

/** In milliseconds; undefined if there is to be no other attempt. */
function pauseAfter(error: unknown, tries: number, retries: number, wallTime: Date): number | undefined {
  if (error instanceof Refusal && error.isRateLimit) return tries < MOST_RETRIES ? error.limitMs(wallTime) : undefined
  return tries < retries && mayPass(error) ? (tries + 1) ** 2 * 1_000 : undefined
}

export type Requests = ReturnType<typeof createRequests>

/**
 * Requests to GitHub: each over a connection of its own, on the same way as those to the service, and sent again after what
 * passes. What GitHub limits is waited for as long as it says, if that ends in time. Octokit says who asks, and writes and
 * reads what is said.
 */
export function createRequests(
  { token, clock, log, debug }: Pick<GitHubOptions, 'token' | 'clock' | 'log' | 'debug'>,
  send: Send,
  load: LoadToolkit = () => import('@actions/github'),
) {
  let octokit: ReturnType<typeof openOctokit> | undefined
  let usage: Usage = { counted: 0, remaining: 0, limit: 0 }
  let nextWriteAt = -Infinity
  /** When the last wait for a rate limit ends that the log tells of. */
  let loggedUntil = -Infinity
  /** What came with an `ETag`, by address, the one that was asked for last at the end. */
  const known = new Map<string, Answer>()

  function count({ status, headers }: Answer): void {
    const [remaining, limit] = [Number(headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-limit'])]
    usage = { ...usage, ...(limit > 0 && { remaining, limit }), counted: usage.counted + (status === 304 ? 0 : 1) }
  }

  /** Takes the answer of an address that was read, and gives the known one in the place of a 304. */
  function remember(url: string, answer: Answer): Answer {
    const whole = answer.status === 304 ? known.get(url) : answer
    if (whole === undefined || whole.status >= 300) return answer
    known.delete(url)
    if (SENDABLE_ETAG.test(whole.headers['etag'] ?? '')) known.set(url, whole)
    for (const oldest of [...known.keys()].slice(0, -MOST_KEPT)) known.delete(oldest)
    return whole
  }

  /** Logs the wait, unless a wait of another request that lasts as long is being logged. */
  async function waitForLimit(ms: number, signal: AbortSignal): Promise<void> {
    const endsAt = clock.now() + ms
    if (endsAt <= loggedUntil) return clock.sleep(ms, signal)
    const before = loggedUntil
    loggedUntil = endsAt
    try {
      log(`GitHub limits the rate of requests. Waiting until ${formatTimeAfter(ms, clock)}.`)
      await sleepAloud(ms, { clock, log, signal })
    } catch (error) {
      loggedUntil = before
      throw error
    }
  }

  async function pauseWrites(end: AbortSignal): Promise<void> {
    const at = Math.max(clock.now(), nextWriteAt)
    nextWriteAt = at + WRITE_PAUSE_MS
    await clock.sleep(at - clock.now(), end)
  }

  async function sendOnce(request: GitHubRequest, signal: AbortSignal): Promise<Answer> {
    const { method, url } = request
    const ask = await (octokit ??= openOctokit(token, send, debug, load))
    // A signal of the process is heard only when the loop turns, and this may be something that GitHub is told to write.
    await clock.turn()
    signal.throwIfAborted()
    const etag = method === 'GET' ? known.get(url.href)?.headers['etag'] : undefined
    const limits = {
      clock,
      signal,
      timeoutMs: ATTEMPT_MS,
      timedOut: new TransportFailure(new Error('No response in time.')),
    }
    const answer = await withDeadline((end) => ask({ ...request, etag }, end), limits)
    count(answer)
    return method === 'GET' ? remember(url.href, answer) : answer
  }

  /** Follows a repository to where it is now, with method and body. */
  async function attempt(request: GitHubRequest, end: AbortSignal): Promise<Answer> {
    if (request.method !== 'GET') await pauseWrites(end)
    let { url } = request
    for (let hops = 0; ; hops++) {
      const answer = await sendOnce({ ...request, url }, end)
      if (answer.status < 300 || (answer.status === 302 && request.asksWhere === true)) return answer
      const next = hops < MOST_HOPS ? movedTo(answer, url) : undefined
      if (next === undefined) throw new Refusal(answer)
      url = next
    }
  }

  return {
    usage: () => usage,
    /**
     * @param deadlineAt on the clock's scale: no pause between two attempts ends after it, except waits for a rate limit that
     * it allows
     * @throws Refusal, TransportFailure, ActionError `proxy`, or a defect
     */
    perform: async (request: GitHubRequest, end: AbortSignal, deadlineAt: number | Deadline): Promise<Answer> => {
      const deadline = toDeadline(deadlineAt, clock)
      for (let tries = 0; ; tries++) {
        try {
          return await attempt(request, end)
        } catch (error) {
          const retries = request.retries ?? MOST_RETRIES
          const pauseMs = request.isSentOnce === true ? undefined : pauseAfter(error, tries, retries, clock.wallTime())
          if (pauseMs === undefined) throw error
          const isRateLimit = error instanceof Refusal && error.isRateLimit
          if (!(isRateLimit ? deadline.allowWait(pauseMs) : clock.now() + pauseMs < deadline.at)) throw error
          debug(`GitHub is asked again in ${pauseMs / 1_000} s: ${request.method} ${request.url.href}`)
          await (isRateLimit ? waitForLimit(pauseMs, end) : clock.sleep(pauseMs, end))
        }
      }
    },
  }
}
