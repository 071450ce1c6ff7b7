/** Ids go into paths and outputs. Percent-encoding would leave `..` alone, so nothing else is let through. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address stays on this machine, where it may go without TLS. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK_HOST.test(url.hostname)
}

/**
 * Undefined if the text is no address. On Node 20 `URL.canParse` begins to say no to some addresses after some thousand
 * calls, and there is no `URL.parse`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
