import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown-files.ts'

/** All that is written in `src`, as a reader of its messages sees it: backticks without the backslash before them. */
export function readSourceText(): string {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8').replaceAll('\\`', '`'))
    .join('\n')
}

/** The rows that begin with a quoted message, without the quotation marks. */
export function listQuotedMessages(markdown: string): string[] {
  return [...markdown.matchAll(/^\| “([^”]+)”/gm)].map(([, message = '']) => message)
}
