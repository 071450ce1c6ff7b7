import { failureCause } from '../http/failure-cause.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { parseUrl } from '../runtime/url.ts'
import { Refusal } from './github-error.ts'
import { openOctokit, type LoadToolkit } from './octokit.ts'
import { answerIn, type Answer, type Send } from './send.ts'

/** What GitHub counts of the requests with a token. */
export interface Usage {
  /** How many of ours it has counted. An answer 304 is none of them. */
  readonly counted: number
  /** How many more it lets through within this hour, whoever asks with the token. */
  readonly remaining: number
  /** How many it lets through in an hour; 0 while it has not said. */
  readonly limit: number
}

export interface GitHubRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: URL
  readonly body?: object
  /** How often it is sent again after a failure that may pass, by default three times. */
  readonly retries?: number | undefined
  /** That it asks where something is, which an answer 302 says. */
  readonly asksWhere?: boolean
}

/** Bounds of a request with all its attempts. */
export interface RequestLimits {
  readonly end: AbortSignal
  /** On the clock's scale: no pause ends after it. */
  readonly deadlineAt: number
}

export interface Requests {
  /** @throws Refusal, ActionError `redirected`, or what broke the connection */
  readonly perform: (request: GitHubRequest, limits: RequestLimits) => Promise<Answer>
  readonly usage: () => Usage
}

/** One attempt, its answer's last byte included. */
const ATTEMPT_MS = 30_000
/** A limit that comes back again and again is not going to end, and neither is a fault. */
const MOST_RETRIES = 3
/** GitHub asks for as much between two requests that write. */
const WRITE_PAUSE_MS = 1_000
/** GitHub sends on once, from where a repository was to where it is. */
const MOST_HOPS = 3

/** These ask for the same request at another place. Who asks where something is has the answer with 302. */
const MOVED = [301, 307, 308]

/** Where the same request is to be made instead, if that is the same server: the token is for no other. */
function nextPlace({ status, headers }: Answer, url: URL, asksWhere: boolean): URL | undefined {
  const isMoved = MOVED.includes(status) || (status === 302 && !asksWhere)
  const next = isMoved ? parseUrl(headers['location'] ?? '', url.href) : undefined
  return headers['location'] !== undefined && next?.origin === url.origin ? next : undefined
}

/** @throws Refusal, or ActionError for what was only sent on */
function orRefuse(answer: Answer, asksWhere: boolean): Answer {
  const { status } = answer
  if (status < 300 || (status === 302 && asksWhere)) return answer
  if (status >= 400 || status === 304) throw new Refusal(answer)
  throw new ActionError('redirected', `GitHub answered ${status} and sends the request on to another address.`, {
    hint: 'Name a repository as it is called now, and check `GITHUB_API_URL`.',
  })
}

/** Whether the next attempt may end otherwise: a refusal stays one, and so does a certificate. */
function mayPass(error: unknown): boolean {
  if (error instanceof Refusal) return error.status >= 500 || error.status === 408
  if (error instanceof ActionError) return false
  return ['no-connection', 'broken'].includes(failureCause(error))
}

/** In milliseconds; undefined if there is to be no other attempt. */
function pauseAfter(error: unknown, tries: number, retries: number, wallTime: Date): number | undefined {
  if (error instanceof Refusal && error.isRateLimit) return tries < MOST_RETRIES ? error.limitMs(wallTime) : undefined
  return tries < retries && mayPass(error) ? (tries + 1) ** 2 * 1_000 : undefined
}

interface Surroundings {
  readonly token: string
  readonly clock: Clock
  readonly debug: (line: string) => void
}

/** A look at a pull request with its checks takes five, and so much is kept of the last ones only. */
const MOST_KEPT = 16

/** Keeps what came with an `ETag`, so that it is asked for again only in case that it has changed. */
function createKnownAnswers() {
  /** By address, the one that was asked for last at the end. */
  const kept = new Map<string, Answer>()
  return {
    /** What to ask of an address with: whether its answer is still the one that is known. */
    headersFor: (url: string): Readonly<Record<string, string>> => {
      const etag = kept.get(url)?.headers['etag']
      return etag === undefined ? {} : { 'if-none-match': etag }
    },
    /** Takes the answer of an address that was read, and gives the one before in the place of a 304. */
    take: (url: string, answer: Answer): Answer => {
      const whole = answer.status === 304 ? kept.get(url) : answer
      if (whole === undefined || whole.status >= 300) return answer
      kept.delete(url)
      if (whole.headers['etag'] !== undefined) kept.set(url, whole)
      for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest)
      return whole
    },
  }
}

/**
 * Requests to GitHub: each over a connection of its own, on the same way as those to the service, and sent again after what
 * passes. What GitHub limits is waited for as long as it says, if that ends in time. Octokit says who asks, and writes and
 * reads what is said.
 */
export function createRequests(
  { token, clock, debug }: Surroundings,
  send: Send,
  load: LoadToolkit = () => import('@actions/github'),
): Requests {
  let octokit: ReturnType<typeof openOctokit> | undefined
  const known = createKnownAnswers()
  let usage: Usage = { counted: 0, remaining: 0, limit: 0 }
  let nextWriteAt = -Infinity

  function note({ status, headers }: Answer): void {
    const [remaining, limit] = [Number(headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-limit'])]
    usage = { ...usage, ...(limit > 0 && { remaining, limit }), counted: usage.counted + (status === 304 ? 0 : 1) }
  }

  async function pauseWrites(end: AbortSignal): Promise<void> {
    const at = Math.max(clock.now(), nextWriteAt)
    nextWriteAt = at + WRITE_PAUSE_MS
    await clock.sleep(at - clock.now(), end)
  }

  async function sendOnce({ method, body }: GitHubRequest, url: URL, signal: AbortSignal): Promise<Answer> {
    const isRead = method === 'GET'
    // A signal of the process is heard only when the loop turns, and this may be something that GitHub is told to write.
    await clock.turn()
    signal.throwIfAborted()
    const headers = isRead ? known.headersFor(url.href) : {}
    const { request } = await (octokit ??= openOctokit(token, send, debug, load))
    const ask = (end: AbortSignal): Promise<unknown> =>
      request({ method, url: url.href, headers, data: body, request: { signal: end } }).catch(answerIn)
    const answer = (await withDeadline(ask, { clock, signal, timeoutMs: ATTEMPT_MS })) as Answer
    note(answer)
    return isRead ? known.take(url.href, answer) : answer
  }

  /** Follows a repository to where it is now, with method and body. */
  async function attempt(request: GitHubRequest, end: AbortSignal): Promise<Answer> {
    const { asksWhere = false } = request
    let { url } = request
    if (request.method !== 'GET') await pauseWrites(end)
    for (let hops = 0; ; hops++) {
      const answer = await sendOnce(request, url, end)
      const next = hops < MOST_HOPS ? nextPlace(answer, url, asksWhere) : undefined
      if (next === undefined) return orRefuse(answer, asksWhere)
      url = next
    }
  }

  return {
    usage: () => usage,
    async perform(request, { end, deadlineAt }) {
      for (let tries = 0; ; tries++) {
        try {
          return await attempt(request, end)
        } catch (error) {
          const pauseMs = pauseAfter(error, tries, request.retries ?? MOST_RETRIES, clock.wallTime())
          if (pauseMs === undefined || clock.now() + pauseMs >= deadlineAt) throw error
          debug(`GitHub is asked again in ${pauseMs / 1_000} s: ${request.method} ${request.url.href}`)
          await clock.sleep(pauseMs, end)
        }
      }
    },
  }
}
