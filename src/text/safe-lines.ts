import type { Redact } from './redact.ts'
import { cleanLines, cutRaw, cutText } from './untrusted.ts'

/**
 * The lines of a stranger's text, safe to print and without secrets: redacted before anything is cut, as half a secret is
 * found by nobody; cut before it is cleaned, as time is not the stranger's; redacted again, as cleaning may put a secret
 * together. The caller cuts what it shows to `maxLength`.
 */
export function safeLines(text: string, redact: Redact, maxLength: number): string[] {
  return cleanLines(cutRaw(redact(text), maxLength)).map(redact)
}

/** The same as one line of at most `maxLength` code points. */
export function safeLine(text: string, redact: Redact, maxLength: number): string {
  return cutText(redact(safeLines(text, redact, maxLength).join(' ').trim()), maxLength)
}
