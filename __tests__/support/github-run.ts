import { expect } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN, demoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { runBundle, type BundleOptions, type BundleRun } from './bundle-run.ts'
import { commit } from './github-state.ts'
import { observeGitHub, type ObservedOptions } from './observe-github.ts'

/** The pull request that the embedded service's first job opens. */
export const PULL = 4

export interface GitHubRunOptions
  extends Omit<BundleOptions, 'env' | 'github'>, Pick<ObservedOptions, 'faults' | 'beforeAnswer'> {
  /** What happens on GitHub; the later one counts. */
  readonly gitHubScenarios?: readonly GitHubScenarioName[]
  /** Besides that of a runner whose GitHub is the test's own. */
  readonly env?: (serviceUrl: string) => Record<string, string>
}

export interface GitHubRun extends BundleRun {
  readonly github: { readonly requests: readonly string[]; readonly state: GitHubState }
  readonly notices: readonly string[]
}

/**
 * Runs the packaged action with the GitHub of the embedded service, ten times as fast. All that the two say to each other
 * is held against GitHub's published description, and the token must be nowhere.
 */
export async function runWithGitHub(options: GitHubRunOptions): Promise<GitHubRun> {
  const { gitHubScenarios = [], faults, beforeAnswer, env, inputs, preload = '', ...bundle } = options
  const scenario = combineScenarios(gitHubScenarios)
  const state = demoState(scenario, DEFAULT_START_MS)
  const observed = observeGitHub({
    scenario,
    state,
    ...(faults === undefined ? {} : { faults }),
    ...(beforeAnswer === undefined ? {} : { beforeAnswer }),
  })
  const run = await runBundle({
    ...bundle,
    github: observed.options,
    // Minutes of the step's own time, which runs ten times as fast.
    inputs: { prompt: 'Fix the guide.', 'github-token': GITHUB_TOKEN, 'timeout-minutes': '5', ...inputs },
    preload: timesFaster(10) + preload,
    env: (serviceUrl) => ({
      GITHUB_API_URL: `${serviceUrl}/api/v3`,
      GITHUB_SERVER_URL: serviceUrl,
      GITHUB_RUN_ID: '42',
      GITHUB_SHA: commit('b'),
      GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
      ...env?.(serviceUrl),
    }),
  })
  expect(observed.violations).toEqual([])
  const said = run.rawOutput.replaceAll(`::add-mask::${GITHUB_TOKEN}`, '') + Object.values(run.rawFiles).join('')
  expect(said).not.toContain(GITHUB_TOKEN)
  const notices = run.annotations.filter(({ level }) => level === 'notice').map(({ message }) => message)
  return { ...run, github: { requests: observed.requests, state }, notices }
}

/** The pull request of the first job, as the run left it. */
export function pullOf({ github }: GitHubRun, number = PULL): PullState {
  const pull = github.state.repositories['acme/docs']?.pulls[number]
  if (pull === undefined) throw new Error('The pull request is gone.')
  return pull
}
