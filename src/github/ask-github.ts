import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { redactAll, type Redact } from '../text/redact.ts'
import { toActionError, type Need } from './github-error.ts'
import type { GitHubRequest, Requests } from './requests.ts'
import type { Answer } from './send.ts'

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
  readonly deadlineAt: number
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
  /** For all that GitHub says: texts of strangers are cut later, and half a secret is found by nobody. */
  readonly redact: Redact
}

export type Query = Readonly<Record<string, string | number | boolean>>

/** What one repository is asked. Paths are below it, and begin with `/`. */
export interface RepositoryApi {
  /** Of the repository, as it was named. */
  readonly owner: string
  readonly get: (path: string, query?: Query) => Promise<Answer>
  /** @param retries how often it is sent again after a failure that may pass, by default three times */
  readonly send: (method: 'POST' | 'PATCH', path: string, body: object, retries?: number) => Promise<Answer>
  /** Where GitHub says that something is. */
  readonly locate: (path: string) => Promise<string | undefined>
  /** Asks the other interface, which has errors in the place of data for what it refuses. */
  readonly graphql: (query: string) => Promise<unknown>
}

/**
 * Asks GitHub one thing, which may be several pages and several attempts.
 * @throws ActionError and nothing else; what the token lacks is in its hint
 */
export type AskGitHub = <T>(need: Need, call: (api: RepositoryApi) => Promise<T>) => Promise<T>

/** A path whose parts may be anything: a branch has slashes. */
export function path(texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...parts.map((part) => encodeURIComponent(part)))
}

export function createAskGitHub(options: GitHubOptions, requests: Requests): AskGitHub {
  const { apiUrl, clock, signal, deadlineAt, redact } = options
  // An Enterprise Server has it beside `/api/v3`.
  const graphqlUrl = new URL(`${apiUrl.replace(/\/v3\/?$/, '')}/graphql`)

  function openRepository(repository: string, end: AbortSignal): RepositoryApi {
    const [owner = '', name = ''] = repository.split('/')
    const base = apiUrl + path`/repos/${owner}/${name}`
    const perform = async (request: GitHubRequest): Promise<Answer> => {
      const answer = await requests.perform(request, { end, deadlineAt })
      if (typeof answer.data !== 'object' || answer.data === null) throw new TypeError('GitHub answered with a page.')
      return answer
    }
    return {
      owner,
      get: (place, query = {}) => {
        const url = new URL(base + place)
        for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
        return perform({ method: 'GET', url })
      },
      send: (method, place, body, retries) => perform({ method, url: new URL(base + place), body, retries }),
      locate: async (place) => {
        const asked = { method: 'GET', url: new URL(base + place), asksWhere: true } as const
        return (await requests.perform(asked, { end, deadlineAt })).headers['location']
      },
      graphql: async (query) => (await perform({ method: 'POST', url: graphqlUrl, body: { query } })).data,
    }
  }

  return async (need, call) => {
    signal.throwIfAborted()
    const timedOut = (): Error => new ActionError('deadline', 'GitHub did not answer in time.')
    const limits = { clock, signal, timeoutMs: deadlineAt - clock.now(), timedOut }
    try {
      if (limits.timeoutMs <= 0) throw timedOut()
      return redactAll(await withDeadline((end) => call(openRepository(need.repository, end)), limits), redact)
    } catch (error) {
      signal.throwIfAborted()
      throw toActionError(error, need, redact)
    }
  }
}
