import { isLoopback, parseUrl } from '../runtime/url.ts'

/** The address of a pull request, safe to show, and what it says. */
export interface PullRequestLink {
  readonly href: string
  /** In lower case, with its port. */
  readonly host: string
  /** Undefined, as `repository` is, if the address has no known shape. */
  readonly number: string | undefined
  readonly repository: string | undefined
}

/** `/owner/name/pull/7`, and `/group/subgroup/name/-/merge_requests/7`, on any host; the page's own parts may follow. */
const KNOWN_SHAPES = [
  /^\/(?<repository>[\w.-]+\/[\w.-]+)\/pull\/(?<number>[1-9]\d{0,9})(?:\/(?:files|commits|checks)?)?$/,
  /^\/(?<repository>[\w.-]+(?:\/[\w.-]+)+)\/-\/merge_requests\/(?<number>[1-9]\d{0,9})(?:\/(?:diffs|commits)?)?$/,
]

const MAX_LENGTH = 2_000

/** Characters that end a link in Markdown or in an attribute early. */
const BREAKS_MARKUP = /[()[\]<>"'`|\\*~]/g

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Makes a `prLink` (section 2.1) safe to show and to hand on, or gives undefined if it cannot be: not https (http for
 * loopback only), user information, or any control character, space or non-ASCII character. The raw text is judged,
 * because URL parsing deletes line ends and what stands behind them would move up.
 */
export function parsePullRequestLink(raw: string): PullRequestLink | undefined {
  if (raw.length > MAX_LENGTH || /[^\x21-\x7e]/.test(raw)) return undefined
  const url = parseUrl(raw)
  if (url === undefined) return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const shape = KNOWN_SHAPES.map((pattern) => pattern.exec(url.pathname)?.groups).find((groups) => groups !== undefined)
  // An IPv6 address stands in brackets, and has nothing else in it that could break markup.
  const plain = url.hostname.startsWith('[') ? url.origin : ''
  return {
    href: plain + url.href.slice(plain.length).replace(BREAKS_MARKUP, percentEncode),
    host: url.host,
    number: shape?.['number'],
    repository: shape?.['repository'],
  }
}

/** What of a link names the page, without query, fragment and the slash at its end. */
function addressOf({ href }: PullRequestLink): string {
  return href.replace(/[?#].*$/, '').replace(/\/$/, '')
}

/** Whether two links lead to one pull request, however they are spelled: by host, repository and number. */
export function isSamePullRequest(a: PullRequestLink, b: PullRequestLink): boolean {
  if (a.number === undefined || b.number === undefined) return addressOf(a) === addressOf(b)
  return a.host === b.host && a.number === b.number && a.repository?.toLowerCase() === b.repository?.toLowerCase()
}
