import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { toDeadline } from '../runtime/time-budget.ts'
import { redactAll } from '../text/redact.ts'
import { toActionError } from './github-error.ts'
import type { Answer, GitHubRequest } from './octokit.ts'
import { InvalidResponse } from './read-json.ts'
import type { GitHubOptions, Requests } from './requests.ts'

/** A path whose parts may be anything: a branch has slashes. */
export function path(texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...parts.map((part) => encodeURIComponent(part)))
}

export type Query = Readonly<Record<string, string | number | boolean>>
export type RepositoryApi = ReturnType<typeof openRepository>

/** What one repository is asked. Paths are below it, and begin with `/`. */
function openRepository(apiUrl: string, repository: string, perform: (request: GitHubRequest) => Promise<Answer>) {
  const [owner = '', name = ''] = repository.split('/')
  const base = apiUrl + path`/repos/${owner}/${name}`
  const ask = async (request: GitHubRequest): Promise<Answer> => {
    const answer = await perform(request)
    if (typeof answer.data !== 'object' || answer.data === null) throw new InvalidResponse()
    return answer
  }
  return {
    /** Of the repository, as it was named. */
    owner,
    get: (place: string, query: Query = {}): Promise<Answer> => {
      const url = new URL(base + place)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
      return ask({ method: 'GET', url })
    },
    send: (
      method: 'POST' | 'PATCH',
      place: string,
      body: object,
      options: Pick<GitHubRequest, 'retries' | 'isSentOnce'> = {},
    ): Promise<Answer> => ask({ method, url: new URL(base + place), body, ...options }),
    /** Where GitHub says that something is. */
    locate: async (place: string): Promise<string | undefined> =>
      (await perform({ method: 'GET', url: new URL(base + place), asksWhere: true })).headers['location'],
    /** Asks the other interface, which has errors in the place of data for what it refuses. */
    graphql: (query: string): Promise<Answer> => {
      // An Enterprise Server has it beside `/api/v3`.
      const url = new URL(`${apiUrl.replace(/\/v3\/?$/, '')}/graphql`)
      return ask({ method: 'POST', url, body: { query } })
    },
  }
}

/**
 * Asks GitHub one thing, which may be several pages and several attempts.
 * @param permission what it needs, as it is written in a workflow, such as `checks: read`
 * @param repository `owner/name`
 * @param call its `end` aborts when nobody waits for it any more
 * @throws ActionError; what the token lacks is in its hint. Any other error is a defect of this action.
 */
export type AskGitHub = <T>(
  permission: string,
  repository: string,
  call: (api: RepositoryApi, end: AbortSignal) => Promise<T>,
) => Promise<T>

export function createAskGitHub(
  { apiUrl, clock, signal, deadlineAt, redact }: GitHubOptions,
  { perform }: Requests,
): AskGitHub {
  return async (permission, repository, call) => {
    signal.throwIfAborted()
    const timedOut = new ActionError('deadline', 'GitHub did not answer in time.')
    const deadline = toDeadline(deadlineAt, clock)
    const getLeftMs = (): number => deadline.at - clock.now()
    const limits = { clock, signal, timeoutMs: getLeftMs, timedOut }
    try {
      if (getLeftMs() <= 0) throw timedOut
      const answer = await withDeadline((end) => {
        const api = openRepository(apiUrl, repository, (request) => perform(request, end, deadline))
        return call(api, end)
      }, limits)
      return redactAll(answer, redact)
    } catch (error) {
      signal.throwIfAborted()
      throw toActionError(error, permission, repository, redact, clock.wallTime())
    }
  }
}
