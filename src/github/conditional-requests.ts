import type { getOctokit } from '@actions/github'

type Octokit = ReturnType<typeof getOctokit>
type Answer = Awaited<ReturnType<Octokit['request']>>

/** What GitHub counts of the requests with a token. */
export interface Usage {
  /** How many of ours it has counted. An answer 304 is none of them. */
  readonly counted: number
  /** How many more it lets through within this hour, whoever asks with the token. */
  readonly remaining: number
  /** How many it lets through in an hour; 0 while it has not said. */
  readonly limit: number
}

export interface ConditionalRequests {
  readonly plugin: (octokit: Pick<Octokit, 'hook' | 'request'>) => Record<string, never>
  readonly usage: () => Usage
}

/** A look at a pull request with its checks takes five, and so much is kept of the last ones only. */
const MOST_KEPT = 16

/**
 * Asks again for what was answered with an `ETag` only in case that it has changed, and counts what GitHub counts. Octokit
 * throws the answer 304, and knows nothing of the one before. Has to be the first plugin, so that the others see an answer.
 */
export function createConditionalRequests(): ConditionalRequests {
  /** By address, the one that was asked for last at the end. */
  const kept = new Map<string, Answer>()
  let usage: Usage = { counted: 0, remaining: 0, limit: 0 }

  function note({ status, headers }: Answer): void {
    const [remaining, limit] = [Number(headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-limit'])]
    usage = { ...usage, ...(limit > 0 && { remaining, limit }), counted: usage.counted + (status === 304 ? 0 : 1) }
  }

  function keep(address: string, answer: Answer | undefined): void {
    kept.delete(address)
    if (answer?.headers.etag !== undefined) kept.set(address, answer)
    for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest)
  }

  function plugin({ hook, request: { endpoint } }: Pick<Octokit, 'hook' | 'request'>): Record<string, never> {
    hook.wrap('request', async (request, options) => {
      const address = options.method === 'GET' ? endpoint(options).url : ''
      const known = kept.get(address)
      // A hook cannot give other options to what it wraps.
      if (known !== undefined) options.headers['if-none-match'] = known.headers.etag
      try {
        const answer = await request(options)
        note(answer)
        if (address !== '') keep(address, answer)
        return answer
      } catch (error) {
        const { response } = error as { readonly response?: Answer }
        if (response !== undefined) note(response)
        if (known === undefined || response?.status !== 304) throw error
        keep(address, known)
        return known
      }
    })
    return {}
  }

  return { plugin, usage: () => usage }
}
