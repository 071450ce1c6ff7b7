import { expect } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import type { GitHubExchange, EmbeddedGitHubOptions } from '../../../src/emulator/github/github.ts'
import { combineScenarios, type GitHubScenarioName } from '../../../src/emulator/github/github-scenarios.ts'
import { createRepositoryState, type RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { listViolations } from '../../../testing/github-violations.ts'
import { driveService, type ServiceDriver } from '../drive-service.ts'

/** The parsed body of a response. */
export type Json = any // eslint-disable-line @typescript-eslint/no-explicit-any -- see eslint.config.js

export interface DriverResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

export interface GitHubDriver extends ServiceDriver {
  /** Sends a request with the token at the current time. Paths are below `/repos/acme/docs`, unless they start with `/api/`. */
  readonly request: (method: string, path: string, body?: object, headers?: Record<string, string>) => DriverResponse
  /** Sends a GET request, expects success, and returns the body. */
  readonly read: (path: string) => Json
  readonly docs: RepositoryState
  readonly exchanges: readonly GitHubExchange[]
}

export interface DriveOptions extends Partial<EmbeddedGitHubOptions> {
  readonly scenarios?: readonly GitHubScenarioName[]
  /** Whether requests and responses may differ from GitHub's API description, which lacks some error responses. */
  readonly allowsUndocumented?: boolean
  /** Replaces the default repository. */
  readonly docs?: Partial<RepositoryState>
}

/** Creates the service with GitHub, without sockets. Checks each exchange against GitHub's API description. */
export function driveGitHub({
  scenarios = [],
  docs,
  allowsUndocumented = false,
  ...options
}: DriveOptions = {}): GitHubDriver {
  const exchanges: GitHubExchange[] = []
  const driver = driveService({
    projectId: 'docs-demo',
    github: {
      scenario: combineScenarios(scenarios),
      ...(docs === undefined ? {} : { state: { repositories: { 'acme/docs': createRepositoryState(docs) } } }),
      ...options,
      onExchange: (exchange) => {
        exchanges.push(exchange)
        if (!allowsUndocumented) expect(listViolations(exchange)).toEqual([])
      },
    },
  })
  const request: GitHubDriver['request'] = (method, path, body, headers) => {
    const response = driver.send({
      method,
      target: path.startsWith('/api/') ? path : `/api/v3/repos/acme/docs${path}`,
      headers: { authorization: `token ${GITHUB_TOKEN}`, ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
    })
    return { ...response, body: response.body === '' ? undefined : JSON.parse(response.body) }
  }
  const { 'acme/docs': repository } = driver.service.github.state.repositories
  if (repository === undefined) throw new Error('There is no acme/docs.')
  return {
    ...driver,
    request,
    read: (path) => {
      const { status, body } = request('GET', path)
      expect([path, status]).toEqual([path, 200])
      return body
    },
    docs: repository,
    exchanges,
  }
}
