import type { RepositoryState } from './repository-state.ts'
import type { GitHubState } from './state.ts'

export interface Call {
  readonly state: GitHubState
  /** `owner/name` */
  readonly name: string
  readonly repository: RepositoryState
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Where the body is a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** The format that the request accepts, such as `diff`, where that is not JSON. */
  readonly format: string | undefined
  readonly nowMs: number
  /** Of the pages, with no slash at the end. The API is below `/api/v3`. */
  readonly baseUrl: string
  /** The address in links to the pages of a list: without its query, and with the repository's id instead of its name. */
  readonly url: string
}

/** A request that is about no repository yet. */
export type AccountCall = Pick<Call, 'state' | 'nowMs' | 'baseUrl' | 'url'>

/** The same request about a repository. */
export function within(call: AccountCall, name: string, repository: RepositoryState): Call {
  return { ...call, name, repository, params: {}, query: new URLSearchParams(), body: {}, format: undefined }
}

export interface Reply {
  readonly status: number
  /** JSON. All that GitHub's description requires, but for addresses that nobody follows. */
  readonly body: unknown
  /** Whether the body is a text that is sent as it is. */
  readonly isText?: boolean
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The API is below this path, as on a GitHub Enterprise Server. */
export const API_PATH = '/api/v3'

/** The address of something in a repository, below the API's. */
export const apiUrl = ({ baseUrl, name }: Pick<Call, 'baseUrl' | 'name'>, path: string): string =>
  `${baseUrl}${API_PATH}/repos/${name}${path}`

const DOCUMENTATION_URL = 'https://docs.github.com/rest'

export const ok = (body: unknown): Reply => ({ status: 200, body })
/** With the address of what was created, if that has one. */
export function created(body: object): Reply {
  const { url } = body as { readonly url?: string }
  return { status: 201, body, ...(url !== undefined && { headers: { location: url } }) }
}
export const noContent = (): Reply => ({ status: 204, body: undefined })

/** A refusal in GitHub's form. */
export function refusal(
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

export const NOT_FOUND = refusal(404, 'Not Found')

/** For what this GitHub does not play: no status that GitHub itself would give, so that nobody takes it for GitHub's. */
export const notPlayed = (what: string): Reply => refusal(501, `The embedded GitHub does not play ${what}.`)

export function invalid(resource: string, field: string, code = 'missing_field'): Reply {
  return refusal(422, 'Validation Failed', { errors: [{ resource, field, code }] })
}

const MAX_PER_PAGE = 100

function getNumber(query: URLSearchParams, name: string, otherwise: number, most = Infinity): number {
  const value = Number(query.get(name))
  return Number.isInteger(value) && value >= 1 ? Math.min(value, most) : otherwise
}

interface Page<T> {
  readonly items: readonly T[]
  readonly number: number
  /** Names the pages before and behind this one, where there are any. */
  readonly headers: Readonly<Record<string, string>>
}

export function getPage<T>({ query, url }: Pick<Call, 'query' | 'url'>, items: readonly T[]): Page<T> {
  const size = getNumber(query, 'per_page', 30, MAX_PER_PAGE)
  const number = getNumber(query, 'page', 1)
  const last = Math.ceil(items.length / size)
  const link = (page: number, rel: string): string => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(page))
    return `<${url}?${parameters.toString()}>; rel="${rel}"`
  }
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
    ...(number > 1 ? [link(1, 'first')] : []),
  ]
  const headers = links.length === 0 ? {} : { link: links.join(', ') }
  return { items: items.slice((number - 1) * size, number * size), number, headers }
}

/** As it is spelled in a list: GitHub tells names apart by their letters, and not by the case of these. */
export function spelledIn(names: readonly string[], name: string): string | undefined {
  return names.find((one) => one.toLowerCase() === name.toLowerCase())
}

/** One page of a list, each item as `render` shows it. `envelope` puts it into an object. */
export function listReply<T, C extends Call>(
  call: C,
  items: readonly T[],
  render: (call: C, item: T) => object,
  envelope: (bodies: readonly object[]) => unknown = (bodies) => bodies,
): Reply {
  const { items: shown, headers } = getPage(call, items)
  return { status: 200, body: envelope(shown.map((item) => render(call, item))), headers }
}

/** Times as GitHub writes them, to the second. */
export function wireTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z')
}
