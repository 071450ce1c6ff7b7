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
