import { expect } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import type { GitHubExchange, GitHubOptions } from '../../../src/emulator/github/github.ts'
import { combineScenarios, type GitHubScenarioName } from '../../../src/emulator/github/github-scenarios.ts'
import { repositoryState, type RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { violationsOf } from '../../support/github-violations.ts'
import { driveService, type ServiceDriver } from '../drive-service.ts'

/** What tests read of an answer. */
export type Json = any // eslint-disable-line @typescript-eslint/no-explicit-any -- see eslint.config.js

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

export interface GitHubDriver extends ServiceDriver {
  /** Asks the API below the repository `acme/docs`, with the token, at the present time. */
  readonly ask: (method: string, path: string, body?: object, headers?: Record<string, string>) => Answered
  /** The body of a successful GET. */
  readonly read: (path: string) => Json
  readonly docs: RepositoryState
  readonly exchanges: readonly GitHubExchange[]
}

export interface DriveOptions extends Partial<GitHubOptions> {
  readonly scenarios?: readonly GitHubScenarioName[]
  /** Whether requests and responses may differ from GitHub's description: where it knows no such refusal. */
  readonly isUndescribed?: boolean
  /** In place of the usual repository. */
  readonly docs?: Partial<RepositoryState>
}

/** The service with GitHub beside it, without sockets. Each exchange must be as GitHub's description says. */
export function driveGitHub({
  scenarios = [],
  docs,
  isUndescribed = false,
  ...options
}: DriveOptions = {}): GitHubDriver {
  const exchanges: GitHubExchange[] = []
  const driver = driveService({
    projectId: 'docs-demo',
    github: {
      scenario: combineScenarios(scenarios),
      ...(docs === undefined ? {} : { state: { repositories: { 'acme/docs': repositoryState(docs) } } }),
      ...options,
      onExchange: (exchange) => {
        exchanges.push(exchange)
        if (!isUndescribed) expect(violationsOf(exchange)).toEqual([])
      },
    },
  })
  const ask: GitHubDriver['ask'] = (method, path, body, more) => {
    const answer = driver.send({
      method,
      target: path.startsWith('/api/') ? path : `/api/v3/repos/acme/docs${path}`,
      headers: { authorization: `token ${GITHUB_TOKEN}`, ...more },
      body: body === undefined ? '' : JSON.stringify(body),
    })
    return { ...answer, body: answer.body === '' ? undefined : JSON.parse(answer.body) }
  }
  const { 'acme/docs': repository } = driver.service.github.state.repositories
  if (repository === undefined) throw new Error('There is no acme/docs.')
  return {
    ...driver,
    ask,
    read: (path) => {
      const { status, body } = ask('GET', path)
      expect([path, status]).toEqual([path, 200])
      return body
    },
    docs: repository,
    exchanges,
  }
}
