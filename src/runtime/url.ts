/** Parses URLs and the ids in their paths. */

/** Ids become parts of URL paths and outputs. Percent-encoding does not change `..`, so ids are restricted instead. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether a URL stays on this machine, where TLS is not required. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK_HOST.test(url.hostname)
}

/**
 * Returns `undefined` for an invalid URL. Node 20 has no `URL.parse`, and its `URL.canParse` returns false for some
 * valid URLs after some thousand calls.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
