import { expect } from '@jest/globals'
import { timesFaster } from '../scripts/small-runner/faster-time.ts'
import { GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../src/emulator/github/github-scenarios.ts'
import { API_PATH } from '../src/emulator/github/reply.ts'
import { runBundle, type BundleOptions, type BundleRun } from './bundle-run.ts'
import { commit } from './github-state.ts'
import { observeGitHub, type ObservedOptions } from './observe-github.ts'

export interface GitHubRunOptions extends Omit<BundleOptions, 'env' | 'github'> {
  readonly plays?: GitHubScenarioName
  readonly observed?: Pick<ObservedOptions, 'faults' | 'onBeforeResponse'>
}

/**
 * Runs the packaged action with the embedded GitHub, ten times as fast. Checks all requests and responses against
 * GitHub's API description, and that no output contains the token.
 */
export async function runWithGitHub(options: GitHubRunOptions): Promise<BundleRun> {
  const { plays = 'checks-pass', observed: more, inputs, preload = '', ...bundle } = options
  const observed = observeGitHub({ scenario: combineScenarios([plays]), ...more })
  const run = await runBundle({
    ...bundle,
    github: observed.options,
    // In the time of the step, which runs ten times as fast.
    inputs: { prompt: 'Fix the guide.', 'github-token': GITHUB_TOKEN, 'timeout-minutes': '5', ...inputs },
    preload: timesFaster(10) + preload,
    env: (serviceUrl, entranceUrl) => ({
      GITHUB_API_URL: `${entranceUrl}${API_PATH}`,
      GITHUB_SERVER_URL: serviceUrl,
      GITHUB_RUN_ID: '42',
      GITHUB_SHA: commit('b'),
      GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
    }),
  })
  expect(observed.violations).toEqual([])
  const written = run.rawOutput.replaceAll(`::add-mask::${GITHUB_TOKEN}`, '') + Object.values(run.rawFiles).join('')
  expect(written).not.toContain(GITHUB_TOKEN)
  return run
}
