import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { GitHubOptions } from '../../src/github/ask-github.ts'
import { connectGitHub } from '../../src/github/connect-github.ts'
import type { GitHub } from '../../src/github/github.ts'
import { systemClock } from '../../src/runtime/clock.ts'

export interface EmbeddedGitHub {
  /** The repository `acme/docs`. */
  readonly docs?: Partial<RepositoryState>
  /** Another name that it had before. */
  readonly oldName?: string
  readonly permissions?: GitHubState['permissions']
  readonly options?: Partial<GitHubOptions>
}

/** Asks the embedded GitHub over real sockets, with the real client. */
export async function askingEmbedded<T>(
  { docs, oldName, permissions, options }: EmbeddedGitHub,
  perform: (github: GitHub, url: string) => Promise<T>,
): Promise<T> {
  const state = {
    repositories: {
      'acme/docs': repositoryState(docs),
      ...(oldName === undefined ? {} : { [oldName]: repositoryState({ movedTo: 'acme/docs' }) }),
    },
    ...(permissions === undefined ? {} : { permissions }),
  }
  const emulator = await startEmulator({ github: { state } })
  const { apiUrl } = emulator.github
  const bounds = { clock: systemClock, deadlineAt: systemClock.now() + 60_000, signal: new AbortController().signal }
  const quiet = { debug: () => undefined, redact: (text: string) => text, retryUnitMs: 10 }
  const github = connectGitHub({ token: GITHUB_TOKEN, apiUrl, env: {}, ...bounds, ...quiet, ...options })
  try {
    return await perform(github, emulator.url)
  } finally {
    await emulator.close()
  }
}
