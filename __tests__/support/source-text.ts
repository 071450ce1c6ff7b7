import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown-files.ts'

/** Reads all code of `src`, with escaped backticks unescaped, as in messages. */
export function readSourceText(): string {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8').replaceAll('\\`', '`'))
    .join('\n')
}

/** Lists the quoted messages at the beginning of table rows, without the quotation marks. */
export function listQuotedMessages(markdown: string): string[] {
  return [...markdown.matchAll(/^\| “([^”]+)”/gm)].map(([, message = '']) => message)
}
