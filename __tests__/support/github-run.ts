import { expect } from '@jest/globals'
import { runBundle, timesFaster, type BundleOptions, type BundleRun } from './bundle-run.ts'
import { startGitHub, type GitHubServer, type GitHubServerOptions } from './github-server.ts'
import { commit, pullState, repositoryState, TOKEN, type GitHubState, type RepositoryState } from './github-state.ts'

/** The pull request that the embedded service's first job opens. */
export const PULL = 4

export interface GitHubRunOptions extends Omit<BundleOptions, 'env'> {
  /** The repository `acme/docs`, besides the pull request of the job. */
  readonly repository?: Partial<RepositoryState>
  readonly permissions?: GitHubState['permissions']
  readonly faults?: GitHubServerOptions['faults']
  readonly onRequest?: GitHubServerOptions['onRequest']
  /** Besides that of a runner whose GitHub is the test's own. */
  readonly env?: (urls: { serviceUrl: string; apiUrl: string }) => Record<string, string>
}

export interface GitHubRun extends BundleRun {
  readonly github: Pick<GitHubServer, 'requests' | 'state'>
  readonly notices: readonly string[]
}

export const PUSH_EVENT = {
  ref: 'refs/heads/main',
  before: commit('a'),
  after: commit('b'),
  repository: { default_branch: 'main' },
  commits: [{ id: commit('b') }],
}

/** The repository of a test, with the pull request that the job opens. */
export function docsRepository(fields: Partial<RepositoryState> = {}): RepositoryState {
  return repositoryState({ ...fields, pulls: { [PULL]: pullState(), ...fields.pulls } })
}

/**
 * Runs the packaged action with a GitHub beside the embedded service, ten times as fast. All that the two say to each other
 * is held against GitHub's published description, and the token must be nowhere.
 */
export async function runWithGitHub(options: GitHubRunOptions): Promise<GitHubRun> {
  const { repository, permissions, faults, onRequest, env, inputs, preload = '', ...bundle } = options
  const github = await startGitHub({
    state: {
      repositories: { 'acme/docs': docsRepository(repository) },
      ...(permissions === undefined ? {} : { permissions }),
    },
    ...(faults === undefined ? {} : { faults }),
    ...(onRequest === undefined ? {} : { onRequest }),
  })
  try {
    const run = await runBundle({
      ...bundle,
      // Minutes of the step's own time, which runs ten times as fast.
      inputs: { prompt: 'Fix the guide.', 'github-token': TOKEN, 'timeout-minutes': '5', ...inputs },
      preload: timesFaster(10) + preload,
      env: (serviceUrl) => ({
        GITHUB_API_URL: github.url,
        GITHUB_SERVER_URL: serviceUrl,
        GITHUB_RUN_ID: '42',
        GITHUB_SHA: commit('b'),
        GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
        ...env?.({ serviceUrl, apiUrl: github.url }),
      }),
    })
    expect(github.violations).toEqual([])
    expect(run.rawOutput.replaceAll(`::add-mask::${TOKEN}`, '') + Object.values(run.rawFiles).join('')).not.toContain(
      TOKEN,
    )
    const notices = run.annotations.filter(({ level }) => level === 'notice').map(({ message }) => message)
    return { ...run, github, notices }
  } finally {
    await github.close()
  }
}

/** The one pull request, as the test left it. */
export function pullOf({ github }: GitHubRun): RepositoryState['pulls'][number] {
  const pull = github.state.repositories['acme/docs']?.pulls[PULL]
  if (pull === undefined) throw new Error('The pull request is gone.')
  return pull
}
