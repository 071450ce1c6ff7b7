import type { Answer, Fetch } from './bounded-fetch.ts'

/** GitHub sends on once, from where a repository was to where it is. */
const MOST_HOPS = 3

/** Where a write is sent on to with its method and body, if that is the same server: the token is for no other. */
function nextPlace({ status, headers }: Answer, place: string): string | undefined {
  const location = [...headers].find(([name]) => name.toLowerCase() === 'location')?.[1]
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, place)) return undefined
  const next = new URL(location, place)
  return next.origin === new URL(place).origin ? next.href : undefined
}

/**
 * Follows a moved repository. `fetch` does so for reads, and shows the token to no other host. It would replay a write that
 * was answered 301 as a read, which succeeds and writes nothing: that answer is left to be the refusal that it is.
 */
export function createFollowingFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    if (init.method === 'GET' || init.method === 'HEAD') return fetch(url, init)
    let place = url
    for (let hops = 0; ; hops++) {
      const answer = await fetch(place, { ...init, redirect: 'manual' })
      const next = hops < MOST_HOPS ? nextPlace(answer, place) : undefined
      if (next === undefined) return answer
      place = next
    }
  }
}
