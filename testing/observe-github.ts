import type { GitHubFault } from '../src/emulator/github/github-faults.ts'
import type { GitHubExchange } from '../src/emulator/github/github.ts'
import type { EmulatorOptions } from '../src/emulator/server.ts'
import { listViolations } from './github-violations.ts'

type GitHubPart = NonNullable<EmulatorOptions['github']>

export interface ObservedOptions extends Omit<GitHubPart, 'faults' | 'onExchange'> {
  /** The faults of the requests of each operation, in order. All later requests succeed. */
  readonly faults?: Readonly<Record<string, readonly GitHubFault[]>>
}

export interface ObservedGitHub {
  readonly options: GitHubPart
  /** The operations of all requests, in order, by their ids in GitHub's API description. */
  readonly requests: readonly string[]
  /** The operations of the requests that write. */
  readonly writes: readonly string[]
  /** The violations of GitHub's API description in all exchanges since the last read. */
  readonly violations: readonly string[]
}

/**
 * Records all exchanges with the embedded GitHub, and checks them against GitHub's API description. The check takes
 * seconds on a busy machine, which would delay responses, so it runs only when `violations` is read.
 */
export function observeGitHub({ faults = {}, ...options }: ObservedOptions = {}): ObservedGitHub {
  const requests: string[] = []
  const exchanges: GitHubExchange[] = []
  /** Without repetitions: a step that waits reads the same things again and again. */
  const unread = new Map<string, GitHubExchange>()
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
    get violations() {
      const found = [...unread.values()].flatMap(listViolations)
      unread.clear()
      return found
    },
    options: {
      ...options,
      faults: Object.fromEntries(patterns),
      onExchange: (exchange) => {
        requests.push(exchange.operation ?? exchange.request.target)
        exchanges.push(exchange)
        const { request, fault, response } = exchange
        unread.set(
          [request.method, request.target, request.body, fault, response.status, response.body].join('\n'),
          exchange,
        )
      },
    },
  }
}
