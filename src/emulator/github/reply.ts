import type { RepositoryState } from './repository-state.ts'
import type { GitHubState } from './state.ts'

export interface GitHubCall {
  readonly state: GitHubState
  /** `owner/name` */
  readonly name: string
  readonly repository: RepositoryState
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The parsed JSON body. Empty if there is none. */
  readonly body: Readonly<Record<string, unknown>>
  readonly nowMs: number
  /** Whether the token is an app's, and not the workflow's own. */
  readonly isOfApp: boolean
  /** The URL of the web pages, without a trailing slash. The API is below `/api/v3`. */
  readonly baseUrl: string
  /** The URL for pagination links: without a query, and with the repository's id instead of its name. */
  readonly url: string
}

/** A request without a repository. */
export type AccountCall = Pick<GitHubCall, 'state' | 'nowMs' | 'baseUrl' | 'url'>

/** Returns the call for a repository, without parameters and body. */
export function withRepository(call: AccountCall, name: string, repository: RepositoryState): GitHubCall {
  return { ...call, name, repository, params: {}, query: new URLSearchParams(), body: {}, isOfApp: false }
}

export interface Reply {
  readonly status: number
  /** JSON with all fields that GitHub's API description requires, except for URLs that no client uses. */
  readonly body: unknown
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The API is below this path, as on a GitHub Enterprise Server. */
export const API_PATH = '/api/v3'

/** Returns the API URL of a path in a repository. */
export const getApiUrl = ({ baseUrl, name }: Pick<GitHubCall, 'baseUrl' | 'name'>, path: string): string =>
  `${baseUrl}${API_PATH}/repos/${name}${path}`

const DOCUMENTATION_URL = 'https://docs.github.com/rest'

export const ok = (body: unknown): Reply => ({ status: 200, body })
/** Adds a `location` header if the created resource has a `url`. */
export function created(body: object): Reply {
  const { url } = body as { readonly url?: string }
  return { status: 201, body, ...(url !== undefined && { headers: { location: url } }) }
}

/** Returns an error response in GitHub's format. */
export function replyWithError(
  status: number,
  message: string,
  fields: {
    readonly errors?: readonly (object | string)[]
    readonly url?: string
    readonly headers?: Reply['headers']
  } = {},
): Reply {
  const { headers = {}, ...more } = fields
  return { status, body: { message, ...more, documentation_url: DOCUMENTATION_URL, status: String(status) }, headers }
}

export const NOT_FOUND = replyWithError(404, 'Not Found')

/** The response to an unsupported request. GitHub itself never responds with 501, so the two cannot be confused. */
export const notImplemented = (what: string): Reply =>
  replyWithError(501, `The embedded GitHub does not support ${what}.`)

export function refuseField(resource: string, field: string, code = 'missing_field'): Reply {
  return replyWithError(422, 'Validation Failed', { errors: [{ resource, field, code }] })
}

const MAX_PER_PAGE = 100

function getNumber(query: URLSearchParams, name: string, fallback: number, max = Infinity): number {
  const value = Number(query.get(name))
  return Number.isInteger(value) && value >= 1 ? Math.min(value, max) : fallback
}

interface Page<T> {
  readonly items: readonly T[]
  readonly number: number
  /** `link`, if there are other pages. */
  readonly headers: Readonly<Record<string, string>>
}

export function getPage<T>({ query, url }: Pick<GitHubCall, 'query' | 'url'>, items: readonly T[]): Page<T> {
  const size = getNumber(query, 'per_page', 30, MAX_PER_PAGE)
  const number = getNumber(query, 'page', 1)
  const last = Math.ceil(items.length / size)
  const formatLink = (page: number, rel: string): string => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(page))
    return `<${url}?${parameters.toString()}>; rel="${rel}"`
  }
  const links = [
    ...(number > 1 ? [formatLink(number - 1, 'prev')] : []),
    ...(number < last ? [formatLink(number + 1, 'next'), formatLink(last, 'last')] : []),
    ...(number > 1 ? [formatLink(1, 'first')] : []),
  ]
  const headers = links.length === 0 ? {} : { link: links.join(', ') }
  return { items: items.slice((number - 1) * size, number * size), number, headers }
}

/** Finds a name in a list and returns it in the list's spelling. Ignores case, as GitHub does. */
export function findIgnoringCase(names: readonly string[], name: string): string | undefined {
  return names.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
}

/** Responds with one page of a list. `envelope` wraps the rendered items. */
export function createListReply<T, C extends GitHubCall>(
  call: C,
  items: readonly T[],
  render: (call: C, item: T) => object,
  envelope: (bodies: readonly object[]) => unknown = (bodies) => bodies,
): Reply {
  const { items: shown, headers } = getPage(call, items)
  return { status: 200, body: envelope(shown.map((item) => render(call, item))), headers }
}

/** Formats a time as GitHub does, in whole seconds. */
export function formatTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z')
}
