import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { preload } from '../../scripts/small-runner/preload.ts'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN, demoState } from '../../src/emulator/github/demo-state.ts'
import {
  combineScenarios,
  type GitHubScenario,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState, Permissions } from '../../src/emulator/github/state.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { commit } from './github-state.ts'
import { observeGitHub, type ObservedOptions } from './observe-github.ts'
import { playWorkflow, type PlayedWorkflow, type WorkflowSetting } from './play-workflow.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { NODE_24 } from './visitors-bundle.ts'

export interface RecipeOptions {
  /** In place of the usual ones, or besides; undefined for one that the token cannot see. */
  readonly repositories?: Readonly<Record<string, RepositoryState | undefined>>
  /** What happens on GitHub; the later one counts. */
  readonly gitHubScenarios?: readonly GitHubScenarioName[]
  /** What none of the named scenarios has. */
  readonly gitHubScenario?: Partial<GitHubScenario>
  readonly permissions?: Permissions
  readonly beforeAnswer?: ObservedOptions['beforeAnswer']
  readonly scenario?: ScenarioName
  readonly eventName: string
  readonly event?: unknown
  /** The repository that the workflow is in. */
  readonly repository?: string
  readonly actions?: WorkflowSetting['actions']
}

export interface PlayedRecipe extends PlayedWorkflow {
  readonly github: { readonly state: GitHubState; readonly requests: readonly string[] }
  /** What the service's agent was asked to do. */
  readonly prompts: readonly (string | undefined)[]
  /** How `gh` was called, one line a call. */
  readonly ghCalls: readonly string[]
}

/** Stands in for `gh pr merge`: notes how it was called, and asks GitHub as the command line does. */
const GH = `#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$GH_CALLS"
number=$3 repository= sha=
while [ $# -gt 0 ]; do
  [ "$1" = --repo ] && repository=$2
  [ "$1" = --match-head-commit ] && sha=$2
  shift
done
curl --silent --fail-with-body -X PUT "$GITHUB_API_URL/repos/$repository/pulls/$number/merge" \\
  -H "Authorization: Bearer $GH_TOKEN" -d "{\\"sha\\":\\"$sha\\",\\"merge_method\\":\\"squash\\"}" >&2
`

/** Plays a recipe against the embedded service and its GitHub, eight times as fast. */
export async function playRecipe(name: string, options: RecipeOptions): Promise<PlayedRecipe> {
  const { repositories = {}, repository = 'acme/docs', gitHubScenarios = [], gitHubScenario } = options
  const { permissions, beforeAnswer } = options
  const recipe = readFileSync(new URL(`../../docs/recipes/${name}.yml`, import.meta.url), 'utf8')
  const combined = { ...combineScenarios(gitHubScenarios), ...gitHubScenario }
  const scenario = permissions === undefined ? combined : { ...combined, permissions }
  const usual = demoState(scenario, DEFAULT_START_MS)
  const seen = Object.entries({ ...usual.repositories, ...repositories }).filter(([, state]) => state !== undefined)
  const state = { ...usual, repositories: Object.fromEntries(seen) as GitHubState['repositories'] }
  const observed = observeGitHub({ scenario, state, ...(beforeAnswer === undefined ? {} : { beforeAnswer }) })
  const service = await startEmulator({
    speed: 1_000,
    scenario: options.scenario ?? 'pull-request',
    github: observed.options,
  })
  const tools = temporaryFolder()
  const calls = join(tools, 'calls')
  writeFileSync(calls, '')
  writeFileSync(join(tools, 'gh'), GH)
  chmodSync(join(tools, 'gh'), 0o755)
  try {
    const played = await playWorkflow(recipe, {
      vars: { DOCS_AGENT_BASE_URL: service.url, DOCS_AGENT_PROJECT_ID: service.projectId, DOCS_APP_CLIENT_ID: '1' },
      secrets: { DOCS_AGENT_API_KEY: EMULATOR_KEY, DOCS_APP_PRIVATE_KEY: 'private' },
      github: { token: GITHUB_TOKEN, ref: 'refs/heads/main', repository, repository_owner: 'acme' },
      node: NODE_24,
      eventName: options.eventName,
      event: options.event ?? {},
      ...(options.actions === undefined ? {} : { actions: options.actions }),
      env: {
        ...preload(timesFaster(8)),
        PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}`,
        GH_CALLS: calls,
        GITHUB_API_URL: service.github.apiUrl,
        GITHUB_SERVER_URL: service.url,
        GITHUB_REPOSITORY: repository,
        GITHUB_SHA: commit('b'),
        GITHUB_RUN_ID: '42',
        GITHUB_WORKFLOW_REF: `${repository}/.github/workflows/docs.yml@refs/heads/main`,
      },
    })
    expect(observed.violations).toEqual([])
    const prompts = service.requests.filter(({ method }) => method === 'POST').map(({ prompt }) => prompt)
    const ghCalls = readFileSync(calls, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    return { ...played, github: { state, requests: observed.requests }, prompts, ghCalls }
  } finally {
    await service.close()
  }
}

/** What a recipe says of itself: with these permissions its GitHub has to do. */
export function permissionsOf(name: string): Permissions {
  const recipe = readFileSync(new URL(`../../docs/recipes/${name}.yml`, import.meta.url), 'utf8')
  const lines = /^permissions:\n((?: .*\n)+)/m.exec(recipe)?.[1]?.split('\n') ?? []
  const pairs = lines.flatMap((line) => [...line.matchAll(/^ {2}([a-z-]+): (read|write)$/g)])
  return Object.fromEntries(pairs.map(([, permission, access]) => [permission, access])) as Permissions
}
