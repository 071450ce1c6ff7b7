import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import type { GitHubExchange } from '../../src/emulator/github/github.ts'
import type { EmulatorOptions } from '../../src/emulator/server.ts'
import { listViolations } from './github-violations.ts'

type GitHubPart = NonNullable<EmulatorOptions['github']>

export interface ObservedOptions extends Omit<GitHubPart, 'faults' | 'onExchange'> {
  /** Of each operation, what happens to its requests in order; all after the last one go well. */
  readonly faults?: Readonly<Record<string, readonly GitHubFault[]>>
}

export interface ObservedGitHub {
  readonly options: GitHubPart
  /** The operations that were asked, in order, by the names of GitHub's description. */
  readonly requests: readonly string[]
  /** Those of them that change something. */
  readonly writes: readonly string[]
  /** How many of them GitHub counts: an answer 304 is none. */
  readonly counted: number
  /** What in requests and answers, since it was read last, GitHub's description does not allow. */
  readonly violations: readonly string[]
}

/**
 * Notes what is asked of the embedded GitHub, and holds it against GitHub's description. That takes seconds on a busy machine,
 * which who waits for an answer would lose, so it is done where somebody reads what it found.
 */
export function observeGitHub({ faults = {}, ...options }: ObservedOptions = {}): ObservedGitHub {
  const requests: string[] = []
  const exchanges: GitHubExchange[] = []
  const unread: GitHubExchange[] = []
  const patterns = Object.entries(faults).map(([operation, list]) => {
    const pattern = { faults: [...list, 'none'], then: 'stays' } as const
    return [operation, pattern] as const
  })
  return {
    requests,
    get writes() {
      const isWrite = ({ request: { method, body } }: GitHubExchange): boolean =>
        method !== 'GET' && !/^\{"query":"\s*query/.test(body)
      return exchanges.filter(isWrite).map(({ operation, request }) => operation ?? request.target)
    },
    get counted() {
      return exchanges.filter(({ response }) => response.status !== 304).length
    },
    get violations() {
      return unread.splice(0).flatMap(listViolations)
    },
    options: {
      ...options,
      faults: Object.fromEntries(patterns),
      onExchange: (exchange) => {
        requests.push(exchange.operation ?? exchange.request.target)
        exchanges.push(exchange)
        unread.push(exchange)
      },
    },
  }
}
