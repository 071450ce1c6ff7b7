import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { toDeadline } from '../runtime/time-budget.ts'
import { redactAll } from '../text/redact.ts'
import { toActionError } from './github-error.ts'
import type { GitHubOptions, Octokit, Transport } from './transport.ts'

export interface Api {
  /** Sends the request of a typed route, such as `GET /repos/{owner}/{repo}/pulls/{pull_number}`. */
  readonly request: Octokit['request']
  /** The parameters of every route that name the repository. */
  readonly repo: { readonly owner: string; readonly repo: string }
  /** Sends a GraphQL query. Its response has `errors` in the place of `data` that the token cannot read. */
  readonly graphql: (query: string) => ReturnType<Octokit['request']>
  /** Aborts when the caller no longer waits for the result. */
  readonly signal: AbortSignal
}

/**
 * Runs one operation on a repository, which may take several requests.
 * @param permission that the operation needs, as a workflow names it, such as `checks: read`
 * @param repository `owner/name`
 * @throws ActionError; its hint names the permission that the token lacks. Any other error is a defect of this action.
 */
export type Call = <T>(permission: string, repository: string, perform: (api: Api) => Promise<T>) => Promise<T>

export function createCall(
  transport: Transport,
  { apiUrl, clock, signal, deadlineAt, redact }: Omit<GitHubOptions, 'token' | 'env' | 'log' | 'debug'>,
): Call {
  return async (permission, repository, perform) => {
    signal.throwIfAborted()
    const timedOut = new ActionError('deadline', 'GitHub did not answer in time.')
    const deadline = toDeadline(deadlineAt, clock)
    const getLeftMs = (): number => deadline.at - clock.now()
    const limits = { clock, signal, timeoutMs: getLeftMs, timedOut }
    const [owner = '', repo = ''] = repository.split('/')
    const run = async (end: AbortSignal) => {
      const octokit = await transport.open()
      const request = octokit.request.defaults({ request: { signal: end, deadline } })
      // GitHub Enterprise Server has GraphQL at `/api/graphql`, beside `/api/v3`.
      const baseUrl = apiUrl.replace(/\/v3\/?$/, '')
      const graphql: Api['graphql'] = (query) => request('POST /graphql', { baseUrl, query })
      return perform({ request, repo: { owner, repo }, graphql, signal: end })
    }
    try {
      if (getLeftMs() <= 0) throw timedOut
      return redactAll(await withDeadline(run, limits), redact)
    } catch (error) {
      signal.throwIfAborted()
      throw toActionError(error, permission, repository, redact, clock.wallTime())
    }
  }
}
