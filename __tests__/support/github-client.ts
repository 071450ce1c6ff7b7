import { createAskGitHub, type AskGitHub, type GitHubOptions } from '../../src/github/ask-github.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { createRedactor } from '../../src/shared/redact.ts'
import { startGitHub, type GitHubServer, type GitHubServerOptions } from './github-server.ts'
import { TOKEN } from './github-state.ts'

/** A secret besides the token, which GitHub may repeat. */
export const SECRET = 'docs_secret-0123456789'

export interface AskedGitHub {
  /** Until the step's own deadline. */
  readonly ask: AskGitHub
  readonly askUntil: (deadlineAt: number) => AskGitHub
  readonly github: GitHubServer
  readonly debugLines: readonly string[]
}

const LONGEST_PAUSE_MS = 20_000

/**
 * Octokit's plugins leave one to three seconds between two requests that write, on timers of their own, and add them up. Here
 * these pauses are short; limits of time, which are longer, stay as they are.
 */
export async function withShortPauses<T>(perform: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis
  const isPause = (ms?: number): boolean => ms !== undefined && ms > 500 && ms <= LONGEST_PAUSE_MS
  const hurried = (act: () => void, ms?: number, ...args: []) => setTimeout(act, isPause(ms) ? 1 : ms, ...args)
  Object.assign(globalThis, { setTimeout: hurried })
  try {
    return await perform()
  } finally {
    Object.assign(globalThis, { setTimeout })
  }
}

/** Starts a GitHub, gives what asks it, and holds all that was said between the two against GitHub's description. */
export async function askingGitHub<T>(
  options: GitHubServerOptions & Partial<Pick<GitHubOptions, 'token' | 'signal' | 'deadlineAt' | 'clock' | 'env'>>,
  perform: (asked: AskedGitHub) => Promise<T>,
): Promise<T> {
  const { token = TOKEN, signal = new AbortController().signal, clock = systemClock, env = {} } = options
  const { deadlineAt = clock.now() + 60_000, ...server } = options
  const github = await startGitHub(server)
  const debugLines: string[] = []
  const debug = (line: string): void => {
    debugLines.push(line)
  }
  const complain = (): void => {
    if (github.violations.length > 0) throw new Error(github.violations.join('\n'))
  }
  try {
    // A hundredth of the pauses that are usual between two attempts.
    const redact = createRedactor([SECRET])
    const pace = { retryUnitMs: 10 }
    const askUntil = (until: number): AskGitHub =>
      createAskGitHub({ token, apiUrl: github.url, env, clock, signal, debug, redact, ...pace, deadlineAt: until })
    const asked = { ask: askUntil(deadlineAt), askUntil, github, debugLines }
    const result = await withShortPauses(() => perform(asked)).catch((error: unknown) => {
      complain()
      throw error
    })
    complain()
    return result
  } finally {
    await github.close()
  }
}

/** The error that a promise ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('It did not fail.')
    },
    (error: unknown) => error,
  )
}
