import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { redactAll } from '../text/redact.ts'
import { toActionError } from './github-error.ts'
import type { Answer } from './octokit.ts'
import type { GitHubOptions, GitHubRequest, Requests } from './requests.ts'

/** A path whose parts may be anything: a branch has slashes. */
export function path(texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...parts.map((part) => encodeURIComponent(part)))
}

export type Query = Readonly<Record<string, string | number | boolean>>
export type RepositoryApi = ReturnType<typeof openRepository>

/** What one repository is asked. Paths are below it, and begin with `/`. */
function openRepository(
  { apiUrl, deadlineAt }: GitHubOptions,
  requests: Requests,
  repository: string,
  end: AbortSignal,
) {
  const [owner = '', name = ''] = repository.split('/')
  const base = apiUrl + path`/repos/${owner}/${name}`
  const perform = async (request: GitHubRequest): Promise<Answer> => {
    const answer = await requests.perform(request, end, deadlineAt)
    if (typeof answer.data !== 'object' || answer.data === null) throw new TypeError('GitHub answered with a page.')
    return answer
  }
  return {
    /** Of the repository, as it was named. */
    owner,
    get: (place: string, query: Query = {}): Promise<Answer> => {
      const url = new URL(base + place)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
      return perform({ method: 'GET', url })
    },
    /** @param retries how often it is sent again after a failure that may pass, by default three times */
    send: (method: 'POST' | 'PATCH', place: string, body: object, retries?: number): Promise<Answer> =>
      perform({ method, url: new URL(base + place), body, retries }),
    /** Where GitHub says that something is. */
    locate: async (place: string): Promise<string | undefined> => {
      const asked = { method: 'GET', url: new URL(base + place), asksWhere: true } as const
      return (await requests.perform(asked, end, deadlineAt)).headers['location']
    },
    /** Asks the other interface, which has errors in the place of data for what it refuses. */
    graphql: async (query: string): Promise<unknown> => {
      // An Enterprise Server has it beside `/api/v3`.
      const url = new URL(`${apiUrl.replace(/\/v3\/?$/, '')}/graphql`)
      return (await perform({ method: 'POST', url, body: { query } })).data
    },
  }
}

/**
 * Asks GitHub one thing, which may be several pages and several attempts.
 * @param permission what it needs, as it is written in a workflow, such as `checks: read`
 * @param repository `owner/name`
 * @param call its `end` aborts when nobody waits for it any more
 * @throws ActionError and nothing else; what the token lacks is in its hint
 */
export type AskGitHub = <T>(
  permission: string,
  repository: string,
  call: (api: RepositoryApi, end: AbortSignal) => Promise<T>,
) => Promise<T>

export function createAskGitHub(options: GitHubOptions, requests: Requests): AskGitHub {
  const { clock, signal, deadlineAt, redact } = options
  return async (permission, repository, call) => {
    signal.throwIfAborted()
    const timedOut = (): Error => new ActionError('deadline', 'GitHub did not answer in time.')
    const limits = { clock, signal, timeoutMs: deadlineAt - clock.now(), timedOut }
    try {
      if (limits.timeoutMs <= 0) throw timedOut()
      const perform = (end: AbortSignal) => call(openRepository(options, requests, repository, end), end)
      return redactAll(await withDeadline(perform, limits), redact)
    } catch (error) {
      signal.throwIfAborted()
      throw toActionError(error, permission, repository, redact)
    }
  }
}
