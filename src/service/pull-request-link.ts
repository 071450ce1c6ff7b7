import { isLoopback } from '../shared/loopback.ts'

export interface PullRequestLink {
  readonly href: string
  readonly number: string | undefined
  readonly repository: string | undefined
}

/** `/owner/name/pull/7`, and `/group/subgroup/name/-/merge_requests/7`, on any host. */
const KNOWN_SHAPES = [
  /^\/(?<repository>[\w.-]+\/[\w.-]+)\/pull\/(?<number>[1-9]\d{0,9})\/?$/,
  /^\/(?<repository>[\w.-]+(?:\/[\w.-]+)+)\/-\/merge_requests\/(?<number>[1-9]\d{0,9})\/?$/,
]

const MAX_LENGTH = 2_000

/** Characters that end a link in Markdown or in an attribute early. */
const BREAKS_MARKUP = /[()[\]<>"'`|\\*~]/g

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Makes a `prLink` (section 2.1) safe to show and to hand on, or gives undefined where it cannot be: not https (http for
 * loopback only), user information, or any control character, space or non-ASCII character. The raw text is judged,
 * because URL parsing deletes line ends and what stands behind them would move up.
 */
export function cleanPullRequestLink(raw: string): PullRequestLink | undefined {
  if (raw.length > MAX_LENGTH || /[^\x21-\x7e]/.test(raw) || !URL.canParse(raw)) return undefined
  const url = new URL(raw)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const shape = KNOWN_SHAPES.map((pattern) => pattern.exec(url.pathname)?.groups).find((groups) => groups !== undefined)
  // An IPv6 address stands in brackets, and has nothing else in it that could break markup.
  const plain = url.hostname.startsWith('[') ? url.origin : ''
  return {
    href: plain + url.href.slice(plain.length).replace(BREAKS_MARKUP, percentEncode),
    number: shape?.['number'],
    repository: shape?.['repository'],
  }
}
