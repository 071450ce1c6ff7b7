import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'

const folders: string[] = []

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Creates an empty folder that is removed after the tests of the file. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'docs-agent-test-'))
  folders.push(folder)
  return folder
}

/** Lists all files and folders in a folder, recursively and including hidden ones. */
export function listNames(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
}
