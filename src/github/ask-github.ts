import { getOctokit } from '@actions/github'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { fetch } from 'undici'
import { openDispatcher } from '../http/dispatcher.ts'
import { proxyFor } from '../http/proxy.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Environment } from '../runtime/environment.ts'
import { redactAll, type Redact } from '../text/redact.ts'
import { createBoundedFetch, type Fetch } from './bounded-fetch.ts'
import { createConditionalRequests, type ConditionalRequests } from './conditional-requests.ts'
import { toActionError, type Need } from './github-error.ts'
import { createFollowingFetch } from './redirects.ts'
import { mayWaitForRateLimit } from './retry-policy.ts'

export type Octokit = ReturnType<typeof getOctokit>

/** A repository as Octokit wants it. */
export interface RepositoryName {
  readonly owner: string
  readonly repo: string
}

/** @param repository `owner/name` */
export function splitRepository(repository: string): RepositoryName {
  const [owner = '', repo = ''] = repository.split('/')
  return { owner, repo }
}

/**
 * Asks GitHub one thing, which may be several pages and several attempts.
 * @throws ActionError and nothing else; what the token lacks is in its hint
 */
export type AskGitHub = <T>(need: Need, call: (octokit: Octokit, where: RepositoryName) => Promise<T>) => Promise<T>

export interface GitHubOptions {
  readonly token: string
  /** `GITHUB_API_URL`: GitHub's own, or that of a GitHub Enterprise Server. */
  readonly apiUrl: string
  /** Where the proxies stand. */
  readonly env: Environment
  readonly clock: Clock
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** On the clock's scale, in milliseconds: nothing is asked, waited for or retried after it. */
  readonly deadlineAt: number
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
  /** For all that GitHub says: texts of strangers are cut later, and half a secret is found by nobody. */
  readonly redact: Redact
  /** The unit of the pauses between attempts, in milliseconds; tests shorten it. */
  readonly retryUnitMs?: number
}

/** Where trying again cannot help. Rate limits (403, 429) are left to the throttling plugin, which knows how long they last. */
const DO_NOT_RETRY = [400, 401, 403, 404, 409, 410, 422, 429, 451]
const RETRIES = 3
const USER_AGENT = 'docs-agent-action'

/** A server between here and GitHub limits with a status and a time alone; the throttling plugin goes by GitHub's words. */
function nameBareLimits({ hook }: Pick<Octokit, 'hook'>): Record<string, never> {
  hook.error('request', (error) => {
    if ('status' in error && error.status === 429 && error.response?.headers['retry-after'] !== undefined)
      error.message = `secondary rate limit: ${error.message}`
    throw error
  })
  return {}
}

/** Octokit takes for done what was only sent on, and for an answer what is a page. */
export function refuseNonAnswers({ hook }: Pick<Octokit, 'hook'>): Record<string, never> {
  hook.after('request', ({ status, data }, { request }) => {
    if (request.redirect === 'manual') return
    if (status >= 300) {
      throw new ActionError('redirected', `GitHub answered ${status} and sends the request on to another address.`, {
        hint: 'Name a repository as it is called now, and check `GITHUB_API_URL`.',
      })
    }
    if (typeof data !== 'object' || data === null) throw new TypeError('GitHub answered with a page.')
  })
  return {}
}

/**
 * Octokit, with its own plugins for retries and rate limits, bounded by a deadline and the run's cancellation.
 * @throws ActionError `proxy` if the proxy's address is none
 */
export function createAskGitHub(
  options: GitHubOptions,
  requests: ConditionalRequests = createConditionalRequests(),
): AskGitHub {
  const { token, apiUrl, env, clock, signal, deadlineAt, debug, redact, retryUnitMs = 1_000 } = options
  const closed = new AbortController()
  const end = AbortSignal.any([signal, closed.signal])
  const leftMs = (): number => deadlineAt - clock.now()

  const onLimit =
    (kind: string) =>
    (
      retryAfter: number,
      request: { method?: string; url?: string },
      _octokit: unknown,
      retryCount: number,
    ): boolean => {
      debug(
        `GitHub's ${kind} rate limit: ${request.method ?? ''} ${request.url ?? ''} may come back in ${retryAfter} s.`,
      )
      return mayWaitForRateLimit(retryAfter, retryCount, leftMs())
    }

  const quiet = { debug, info: debug, warn: debug, error: debug }
  const followingFetch = createFollowingFetch(proxiedFetch(proxyFor(new URL(apiUrl), env)))
  const octokit = getOctokit(
    token,
    {
      baseUrl: apiUrl,
      userAgent: USER_AGENT,
      // Octokit would write to the step's streams, past all that keeps them clean.
      log: quiet,
      request: { fetch: createBoundedFetch(followingFetch, clock, end), log: quiet },
      retry: { doNotRetry: DO_NOT_RETRY, retries: RETRIES, retryAfterBaseValue: retryUnitMs },
      throttle: {
        onRateLimit: onLimit('primary'),
        onSecondaryRateLimit: onLimit('secondary'),
        retryAfterBaseValue: retryUnitMs,
      },
    },
    requests.plugin,
    nameBareLimits,
    retry,
    throttling,
    refuseNonAnswers,
  )

  const timedOut = (): Error => {
    const error = new ActionError('deadline', 'The time ran out before GitHub had answered.')
    closed.abort(error)
    return error
  }

  return async (need, call) => {
    signal.throwIfAborted()
    try {
      const limits = { clock, signal, timeoutMs: leftMs(), timedOut }
      return redactAll(await withDeadline(() => call(octokit, splitRepository(need.repository)), limits), redact)
    } catch (error) {
      signal.throwIfAborted()
      throw toActionError(error, need, redact)
    }
  }
}

/**
 * On the same way as the service's requests, with a connection of its own for each attempt, which ends with the attempt. The
 * toolkit's own `fetch` reads the proxies in another way, and connects again without end where one hangs up.
 */
export function proxiedFetch(proxy: URL | undefined): Fetch {
  return (url, init) => {
    const dispatcher = openDispatcher(proxy)
    init.signal?.addEventListener('abort', () => {
      dispatcher.destroy().catch(() => undefined)
    })
    return fetch(url, { ...init, dispatcher })
  }
}
