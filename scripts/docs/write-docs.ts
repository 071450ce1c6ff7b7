/** Writes the generated parts of the documents: tables and summaries. Tests compare them with the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { renderPage } from '../summaries/render-page.ts'
import { writeCalls } from './github-calls.ts'
import { PAGES, writeTables } from './input-tables.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string): void => {
  writeFileSync(join(root, path), text)
}

for (const { document, action, tables } of PAGES) write(document, writeTables(read(document), read(action), tables))
write('docs/rehearse.md', writeCalls(read('docs/rehearse.md')))
write('docs/internals/summaries.md', await renderPage())
