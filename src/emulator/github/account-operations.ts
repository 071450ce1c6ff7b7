import { toIssueBody } from './issue-operations.ts'
import type { ParameterType, SupportedParameters } from './parameters.ts'
import { PAGE_PARAMETERS, decodeParameters } from './parameters.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  createListReply,
  notImplemented,
  ok,
  refuse,
  findIgnoringCase,
} from './reply.ts'
import { createRepositoryState } from './repository-state.ts'
import type { RateLimit } from './rate-limit.ts'
import { toFullUserBody } from './resource-body.ts'
import { isSortKey, parseSearch, searchIssues } from './search-issues.ts'

/** A request outside of repositories. */
export type AccountCall = Pick<Call, 'state' | 'params' | 'query' | 'nowMs' | 'baseUrl' | 'url'> & {
  readonly limit: RateLimit
}

interface AccountOperation {
  readonly path: string
  readonly handle: (call: AccountCall) => Reply
  readonly parameters: SupportedParameters
  /** Requests do not count towards the rate limit. */
  readonly isFree?: true
}

function getRateLimit({ limit, nowMs }: AccountCall): Reply {
  const { resetSeconds, ...counts } = limit
  const core = { ...counts, reset: Math.ceil(nowMs / 1_000) + resetSeconds }
  const createUnused = (max: number): object => ({ limit: max, used: 0, remaining: max, reset: core.reset })
  return ok({ resources: { core, search: createUnused(30), graphql: createUnused(1_000) }, rate: core })
}

/** The response of a GitHub Enterprise Server. Clients such as `gh` select features by its version. */
const META = { verifiable_password_authentication: false, installed_version: '3.19.0' }

const CANNOT_BE_SEARCHED =
  'The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.'

function toRepositoryCall(call: AccountCall, name: string): Call {
  const repository = call.state.repositories[name] ?? createRepositoryState()
  return { ...call, name, repository, body: {}, format: undefined }
}

function search(call: AccountCall): Reply {
  const { state, query, nowMs } = call
  const q = query.get('q') ?? ''
  const parsed = parseSearch(q)
  if (q.trim() === '')
    return refuse(422, 'Validation Failed', { errors: [{ resource: 'Search', field: 'q', code: 'missing' }] })
  if ('unsupported' in parsed) return notImplemented(`“${parsed.unsupported}” in a search`)
  const isKnown = (name: string): boolean => findIgnoringCase(Object.keys(state.repositories), name) !== undefined
  if (!parsed.repositories.every(isKnown))
    return refuse(422, 'Validation Failed', {
      errors: [{ message: CANNOT_BE_SEARCHED, resource: 'Search', field: 'q', code: 'invalid' }],
    })
  const [sort, order] = [query.get('sort') ?? parsed.sort?.[0], query.get('order') ?? parsed.sort?.[1] ?? 'desc']
  if (sort !== undefined && !isSortKey(sort)) return notImplemented(`the order “${sort}” of a search`)
  const found = searchIssues(state, { ...parsed, sort: sort === undefined ? undefined : [sort, order] }, nowMs)
  const listCall = { ...toRepositoryCall(call, ''), query }
  return createListReply(
    listCall,
    found,
    (_call, { repositoryName, number, issue }) => ({
      ...toIssueBody(toRepositoryCall(call, repositoryName), number, issue),
      score: 1,
    }),
    (items) => ({ total_count: found.length, incomplete_results: false, search_type: 'lexical', items }),
  )
}

function getUser({ state, params, baseUrl }: AccountCall): Reply {
  const login = findIgnoringCase(Object.keys(state.users), params['username'] ?? '')
  return login === undefined ? NOT_FOUND : ok(toFullUserBody(state, login, baseUrl))
}

const SEARCH: Readonly<Record<string, ParameterType>> = {
  ...PAGE_PARAMETERS,
  q: 'text',
  order: ['desc', 'asc'],
  sort: 'text',
}

/** Operations outside of repositories, by their ids in GitHub's API description. */
export const ACCOUNT_OPERATIONS: Readonly<Record<string, AccountOperation>> = {
  'rate-limit/get': { path: '/rate_limit', handle: getRateLimit, parameters: {}, isFree: true },
  // The token of an app, such as a workflow's token, has no user.
  'users/get-authenticated': {
    path: '/user',
    handle: ({ state, baseUrl }) =>
      state.users[state.identity]?.type === 'User'
        ? ok(toFullUserBody(state, state.identity, baseUrl))
        : refuse(403, 'Resource not accessible by integration'),
    parameters: {},
  },
  'users/get-by-username': { path: '/users/{username}', handle: getUser, parameters: {} },
  'meta/get': { path: '/meta', handle: () => ok(META), parameters: {} },
  'search/issues-and-pull-requests': {
    path: '/search/issues',
    handle: search,
    parameters: { query: SEARCH, unsupported: ['advanced_search', 'search_type'] },
  },
}

export interface AccountRoute {
  readonly name: string
  readonly operation: AccountOperation
  readonly params: Readonly<Record<string, string>>
}

/** Finds the operation of a request outside of repositories. */
export function findAccountOperation(method: string, path: string): AccountRoute | undefined {
  if (method !== 'GET') return undefined
  for (const [name, operation] of Object.entries(ACCOUNT_OPERATIONS)) {
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const match = pattern.exec(path)
    if (match !== null) return { name, operation, params: decodeParameters(match.groups) }
  }
  return undefined
}
