import { createService, DEFAULT_START_MS } from '../src/emulator/embedded-service.ts'
import type { GitHubFault } from '../src/emulator/github/github-faults.ts'
import type { EmbeddedGitHubOptions as EmulatedOptions } from '../src/emulator/github/github.ts'
import { type RepositoryState, createRepositoryState } from '../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../src/emulator/github/state.ts'
import type { GitHub } from '../src/github/github.ts'
import type { GitHubOptions } from '../src/github/transport.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'
import { BASE_URL, connectInProcess } from './in-process-github.ts'
import { observeGitHub } from './observe-github.ts'

export interface EmbeddedGitHub {
  readonly docs: RepositoryState
  /** The operations of all requests, in order, by their ids in GitHub's API description. */
  readonly operations: readonly string[]
  readonly clock: VirtualClock
}

export interface EmbeddedGitHubOptions
  extends
    Partial<Pick<GitHubOptions, 'token' | 'signal' | 'deadlineAt' | 'redact' | 'log' | 'debug'>>,
    Pick<EmulatedOptions, 'onBeforeResponse'> {
  /** The repository `acme/docs`. */
  readonly docs?: RepositoryState
  readonly state?: Partial<GitHubState>
  /** The faults of the requests of each operation, in order. All later requests succeed. */
  readonly faults?: Readonly<Record<string, readonly GitHubFault[]>>
}

/**
 * Calls the embedded GitHub in this process, on a virtual clock, and checks all requests and responses against GitHub's
 * API description.
 */
export async function withGitHub<T>(
  options: EmbeddedGitHubOptions,
  perform: (github: GitHub, given: EmbeddedGitHub) => Promise<T>,
): Promise<T> {
  const { docs = createRepositoryState(), state, faults = {}, onBeforeResponse, ...client } = options
  const observed = observeGitHub({
    state: { repositories: { 'acme/docs': docs }, ...state },
    faults,
    ...(onBeforeResponse === undefined ? {} : { onBeforeResponse }),
  })
  const service = createService({ baseUrl: BASE_URL, projectId: 'docs', github: observed.options })
  const clock = virtualClock()
  const github = connectInProcess({
    clock,
    signal: new AbortController().signal,
    ...client,
    handle: (request) => service.handle(request, DEFAULT_START_MS + clock.now()),
  })
  const result = await clock.passUntil(perform(github, { docs, operations: observed.requests, clock }))
  if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  return result
}

/**
 * Creates a client of a GitHub whose responses need not match its API description.
 * @param respond returns the body of a response; the path is relative to the repository
 */
export function stubGitHub(
  respond: (path: string, query: URLSearchParams) => unknown,
  linkAfter: () => string | undefined = () => undefined,
): GitHub {
  const { signal } = new AbortController()
  return connectInProcess({
    clock: virtualClock(),
    signal,
    handle: ({ target }) => {
      const { pathname, searchParams } = new URL(target, BASE_URL)
      const body = JSON.stringify(respond(pathname.replace(/.*\/repos\/[^/]+\/[^/]+/, ''), searchParams))
      const link = linkAfter()
      return { status: 200, headers: link === undefined ? {} : { link }, body, delivery: 'complete' }
    },
  })
}

export async function catchError(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('It did not fail.')
    },
    (error: unknown) => error,
  )
}
