import type { Answer } from './send.ts'

export interface KnownAnswers {
  /** What to ask of an address with: whether its answer is still the one that is known. */
  readonly headersFor: (url: string) => Readonly<Record<string, string>>
  /** Takes the answer of an address that was read, and gives the one before in the place of a 304. */
  readonly take: (url: string, answer: Answer) => Answer
}

/** A look at a pull request with its checks takes five, and so much is kept of the last ones only. */
const MOST_KEPT = 16

/** Keeps what came with an `ETag`, so that it is asked for again only in case that it has changed. */
export function createKnownAnswers(): KnownAnswers {
  /** By address, the one that was asked for last at the end. */
  const kept = new Map<string, Answer>()
  return {
    headersFor: (url) => {
      const etag = kept.get(url)?.headers['etag']
      return etag === undefined ? {} : { 'if-none-match': etag }
    },
    take: (url, answer) => {
      const whole = answer.status === 304 ? kept.get(url) : answer
      if (whole === undefined || whole.status >= 300) return answer
      kept.delete(url)
      if (whole.headers['etag'] !== undefined) kept.set(url, whole)
      for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest)
      return whole
    },
  }
}
