import { parseUrl } from '../runtime/parse-url.ts'
import type { Answer, Fetch } from './bounded-fetch.ts'

/** GitHub sends on once, from where a repository was to where it is. */
const MOST_HOPS = 3

/** These ask for the same request at another place. 302 does so for a write; a read is given by it what it asked for. */
const MOVED = [301, 307, 308]
const MOVED_WRITE = [...MOVED, 302]

/** Where the same request is to be made instead, if that is the same server: the token is for no other. */
function nextPlace({ status, headers }: Answer, place: string, moved: readonly number[]): string | undefined {
  const location = [...headers].find(([name]) => name.toLowerCase() === 'location')?.[1]
  const next = location === undefined || !moved.includes(status) ? undefined : parseUrl(location, place)
  return next?.origin === new URL(place).origin ? next.href : undefined
}

/**
 * Follows a moved repository. `fetch` does so for reads, and shows the token to no other host. It would replay a write that
 * was answered 301 or 302 as a read, which succeeds and writes nothing. A read that is not to be redirected asks where
 * something is, and has to be made at the repository's new place too.
 */
export function createFollowingFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    const isRead = init.method === 'GET' || init.method === 'HEAD'
    if (isRead && init.redirect !== 'manual') return fetch(url, init)
    let place = url
    for (let hops = 0; ; hops++) {
      const answer = await fetch(place, { ...init, redirect: 'manual' })
      const next = hops < MOST_HOPS ? nextPlace(answer, place, isRead ? MOVED : MOVED_WRITE) : undefined
      if (next === undefined) return answer
      place = next
    }
  }
}
