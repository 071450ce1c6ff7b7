import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import type { GitHubOptions as EmulatedOptions } from '../../src/emulator/github/github.ts'
import { type RepositoryState, repositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { createAskGitHub, splitRepository, type AskGitHub, type GitHubOptions } from '../../src/github/ask-github.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { observeGitHub, type ObservedGitHub } from './observe-github.ts'

/** A secret besides the token, which GitHub may repeat. */
export const SECRET = 'docs_secret-0123456789'

/** Time goes so much faster for GitHub that what it asks to wait for is as short as it can be. */
const SPEED = 1_000

export interface AskedGitHub {
  /** Until the step's own deadline. */
  readonly ask: AskGitHub
  readonly askUntil: (deadlineAt: number) => AskGitHub
  readonly github: Pick<ObservedGitHub, 'requests'> & {
    readonly docs: RepositoryState
    /** The status of each answer, to strangers as well; 0 where there was none. */
    readonly statuses: readonly number[]
  }
  readonly debugLines: readonly string[]
}

export interface AskingOptions
  extends
    Partial<Pick<GitHubOptions, 'token' | 'signal' | 'deadlineAt' | 'clock' | 'env'>>,
    Pick<EmulatedOptions, 'beforeAnswer'> {
  /** The repository `acme/docs`. */
  readonly docs?: RepositoryState
  readonly state?: Partial<GitHubState>
  /** Of each operation, what happens to its requests in order; all after the last one go well. */
  readonly faults?: Readonly<Record<string, readonly GitHubFault[]>>
}

const LONGEST_PAUSE_MS = 25_000

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
export async function askingGitHub<T>(options: AskingOptions, perform: (asked: AskedGitHub) => Promise<T>): Promise<T> {
  const { token = GITHUB_TOKEN, signal = new AbortController().signal, clock = systemClock, env = {} } = options
  const { deadlineAt = clock.now() + 60_000, docs = repositoryState(), state, faults = {}, beforeAnswer } = options
  const observed = observeGitHub({
    state: { repositories: { 'acme/docs': docs }, ...state },
    faults,
    ...(beforeAnswer === undefined ? {} : { beforeAnswer }),
  })
  const statuses: number[] = []
  const server = await startEmulator({
    speed: SPEED,
    github: observed.options,
    onRequest: ({ status }) => {
      statuses.push(status)
    },
  })
  const { apiUrl } = server.github
  const debugLines: string[] = []
  const debug = (line: string): void => {
    debugLines.push(line)
  }
  const complain = (): void => {
    if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  }
  try {
    // A hundredth of the pauses that are usual between two attempts.
    const redact = createRedactor([SECRET])
    const pace = { retryUnitMs: 10 }
    const askUntil = (until: number): AskGitHub =>
      createAskGitHub({ token, apiUrl, env, clock, signal, debug, redact, ...pace, deadlineAt: until })
    const github = { requests: observed.requests, docs, statuses }
    const asked = { ask: askUntil(deadlineAt), askUntil, github, debugLines }
    const result = await withShortPauses(() => perform(asked)).catch((error: unknown) => {
      complain()
      throw error
    })
    complain()
    return result
  } finally {
    await server.close()
  }
}

/** A GitHub that answers what its own description does not allow, by Octokit's names. */
export function answering(rest: object): AskGitHub {
  const octokit: unknown = { rest }
  return (need, call) => call(octokit as Parameters<typeof call>[0], splitRepository(need.repository))
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
