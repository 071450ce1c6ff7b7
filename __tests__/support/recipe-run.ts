import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect } from '@jest/globals'
import { EMULATOR_KEY } from '../../src/emulator/access.ts'
import type { ScenarioName } from '../../src/emulator/scenarios.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { timesFaster } from './bundle-run.ts'
import { startGitHub, type GitHubServer, type GitHubServerOptions } from './github-server.ts'
import { commit, TOKEN, type GitHubState } from './github-state.ts'
import { playWorkflow, type PlayedWorkflow, type WorkflowSetting } from './play-workflow.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { NODE_24 } from './visitors-bundle.ts'

export interface RecipeOptions {
  readonly repositories: GitHubState['repositories']
  readonly permissions?: GitHubState['permissions']
  readonly onRequest?: GitHubServerOptions['onRequest']
  readonly scenario?: ScenarioName
  readonly eventName: string
  readonly event?: unknown
  /** The repository that the workflow is in. */
  readonly repository?: string
  readonly actions?: WorkflowSetting['actions']
  /** The head that the pull request has when `gh` is called; by default the one of the pull requests in these tests. */
  readonly headAtMerge?: string
}

export interface PlayedRecipe extends PlayedWorkflow {
  readonly github: GitHubServer
  /** What the service's agent was asked to do. */
  readonly prompts: readonly (string | undefined)[]
  /** How `gh` was called, one line a call. */
  readonly ghCalls: readonly string[]
}

/** Stands in for `gh pr merge`: notes how it was called, and refuses where the head is another one, as GitHub does. */
const GH = `#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$GH_CALLS"
while [ $# -gt 0 ]; do
  if [ "$1" = --match-head-commit ] && [ "$2" != "$GH_HEAD" ]; then
    echo 'Head branch was modified. Review and try the merge again.' >&2
    exit 1
  fi
  shift
done
[ -n "$GH_TOKEN" ]
`

/** Plays a recipe against the embedded service and a GitHub of its own, twenty times as fast. */
export async function playRecipe(name: string, options: RecipeOptions): Promise<PlayedRecipe> {
  const { repositories, permissions, onRequest, repository = 'acme/docs', headAtMerge = commit('c') } = options
  const recipe = readFileSync(new URL(`../../docs/recipes/${name}.yml`, import.meta.url), 'utf8')
  const github = await startGitHub({
    state: { repositories, ...(permissions === undefined ? {} : { permissions }) },
    ...(onRequest === undefined ? {} : { onRequest }),
  })
  const service = await startEmulator({ speed: 1_000, scenario: options.scenario ?? 'pull-request' })
  const tools = temporaryFolder()
  const calls = join(tools, 'calls')
  writeFileSync(calls, '')
  writeFileSync(join(tools, 'gh'), GH)
  chmodSync(join(tools, 'gh'), 0o755)
  try {
    const played = await playWorkflow(recipe, {
      vars: { DOCS_AGENT_BASE_URL: service.url, DOCS_AGENT_PROJECT_ID: service.projectId, DOCS_APP_ID: '1' },
      secrets: { DOCS_AGENT_API_KEY: EMULATOR_KEY, DOCS_APP_PRIVATE_KEY: 'private' },
      github: { token: TOKEN, ref: 'refs/heads/main', repository, repository_owner: 'acme' },
      node: NODE_24,
      eventName: options.eventName,
      event: options.event ?? {},
      ...(options.actions === undefined ? {} : { actions: options.actions }),
      env: {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(timesFaster(20))}`,
        PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}`,
        GH_CALLS: calls,
        GH_HEAD: headAtMerge,
        GITHUB_API_URL: github.url,
        GITHUB_SERVER_URL: service.url,
        GITHUB_REPOSITORY: repository,
        GITHUB_SHA: commit('b'),
        GITHUB_RUN_ID: '42',
        GITHUB_WORKFLOW_REF: `${repository}/.github/workflows/docs.yml@refs/heads/main`,
      },
    })
    expect(github.violations).toEqual([])
    const prompts = service.requests.filter(({ method }) => method === 'POST').map(({ prompt }) => prompt)
    const ghCalls = readFileSync(calls, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    return { ...played, github, prompts, ghCalls }
  } finally {
    await service.close()
    await github.close()
  }
}

/** What a recipe says of itself: with these permissions its GitHub has to do. */
export function permissionsOf(name: string): GitHubState['permissions'] {
  const recipe = readFileSync(new URL(`../../docs/recipes/${name}.yml`, import.meta.url), 'utf8')
  const lines = /^permissions:\n((?: .*\n)+)/m.exec(recipe)?.[1]?.split('\n') ?? []
  const pairs = lines.flatMap((line) => [...line.matchAll(/^ {2}([a-z-]+): (read|write)$/g)])
  return Object.fromEntries(pairs.map(([, permission, access]) => [permission, access])) as GitHubState['permissions']
}
