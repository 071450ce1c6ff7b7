import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OPERATIONS, type Answered, type Asked } from './github-operations.ts'
import { findOperation } from './github-schema.ts'
import { ALL_PERMISSIONS, repositoryState, TOKEN, type GitHubState } from './github-state.ts'
import { checkRequest, finishAnswer } from './github-validation.ts'

/** What can go wrong with one request. A number is a refusal, and `never` keeps it open without an answer. */
export type GitHubFault =
  number | 'none' | 'unavailable' | 'primary-limit' | 'secondary-limit' | 'long-limit' | 'html' | 'never'

export interface GitHubServerOptions {
  readonly state?: Partial<GitHubState>
  /** For each operation, what happens to its requests in order; all after the last one go well. */
  readonly faults?: Readonly<Record<string, readonly GitHubFault[]>>
  /** Called before a request is answered, with how often the operation was asked before: the world may move on here. */
  readonly onRequest?: (operationId: string, before: number, state: GitHubState) => void
}

export interface GitHubServer {
  /** The API's address, with no slash at the end. */
  readonly url: string
  readonly state: GitHubState
  /** The operations that were asked, in order, by the names of GitHub's description. */
  readonly requests: readonly string[]
  /** What in requests and answers GitHub's description does not allow. */
  readonly violations: readonly string[]
  close(): Promise<void>
}

interface Reply extends Answered {
  readonly headers?: Readonly<Record<string, string>>
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

const FAULTS: Readonly<Record<Exclude<GitHubFault, number | 'none' | 'never'>, () => Reply>> = {
  unavailable: () => ({ status: 503, body: { message: 'Service unavailable' } }),
  html: () => ({ status: 200, body: undefined }),
  'primary-limit': () => ({
    status: 403,
    body: { message: 'API rate limit exceeded for installation.' },
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowSeconds()) },
  }),
  'secondary-limit': () => ({
    status: 403,
    body: { message: 'You have exceeded a secondary rate limit.' },
    headers: { 'retry-after': '1' },
  }),
  'long-limit': () => ({
    status: 429,
    body: { message: 'API rate limit exceeded for installation.' },
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowSeconds() + 3_600) },
  }),
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}

const isEnough = (given: 'read' | 'write' | undefined, wanted: 'read' | 'write'): boolean =>
  given === 'write' || given === wanted

/** Starts a small GitHub on loopback: the operations that this action uses, over a state that the test can see. */
export async function startGitHub(options: GitHubServerOptions = {}): Promise<GitHubServer> {
  const state: GitHubState = {
    token: TOKEN,
    permissions: ALL_PERMISSIONS,
    repositories: { 'acme/docs': repositoryState() },
    ...options.state,
  }
  const requests: string[] = []
  const violations: string[] = []

  function decide(operationId: string, asked: Asked, authorization: string | undefined): Reply {
    const { owner = '', repo = '' } = asked.params
    if (authorization !== `token ${state.token}`) return { status: 401, body: { message: 'Bad credentials' } }
    const operation = OPERATIONS[operationId]
    const repository = state.repositories[`${owner}/${repo}`]
    if (repository === undefined || operation === undefined) return { status: 404, body: { message: 'Not Found' } }
    if (!isEnough(state.permissions[operation.permission], operation.access))
      return { status: 403, body: { message: 'Resource not accessible by integration' } }
    return operation.answer(repository, asked, state)
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '', 'http://localhost')
    const { searchParams: query } = url
    // A GitHub Enterprise Server has its API below this path.
    const pathname = url.pathname.replace(/^\/api\/v3(?=\/)/, '')
    const body = await readBody(incoming)
    const found = findOperation(incoming.method ?? '', pathname)
    if (found === undefined || !(found.operation.operationId in OPERATIONS)) {
      violations.push(`There is no ${incoming.method ?? ''} ${pathname} here.`)
      outgoing.writeHead(404).end()
      return
    }
    const { operation, params } = found
    const { operationId } = operation
    const before = requests.filter((name) => name === operationId).length
    requests.push(operationId)
    violations.push(...checkRequest({ operation, params, query, body }))
    options.onRequest?.(operationId, before, state)
    const fault = options.faults?.[operationId]?.[before] ?? 'none'
    if (fault === 'never') return
    const reply =
      fault === 'none'
        ? decide(operationId, { params, query, body }, incoming.headers.authorization)
        : typeof fault === 'number'
          ? { status: fault, body: { message: 'Refused' } }
          : FAULTS[fault]()
    const { body: whole, problems } = finishAnswer(operation, reply.status, reply.body)
    if (fault === 'none') violations.push(...problems)
    outgoing.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8', ...reply.headers })
    outgoing.end(fault === 'html' ? '<!doctype html><title>Sign in</title>' : JSON.stringify(whole))
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      violations.push(String(error))
      outgoing.destroy()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    requests,
    violations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
