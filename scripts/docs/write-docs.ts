/** Writes the generated tables of the documents. Tests compare them with the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../testing/markdown-files.ts'
import { writeCalls } from './github-calls.ts'
import { PAGES, writeTables } from './input-tables.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string): void => {
  writeFileSync(join(root, path), text)
}

for (const { document, action, tables } of PAGES) write(document, writeTables(read(document), read(action), tables))
write('docs/internals/embedded-github.md', writeCalls(read('docs/internals/embedded-github.md')))
