import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from '@jest/globals'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A new folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'small-runner-test-'))
  folders.push(folder)
  return folder
}

/** Writes an action whose program is `source` (CommonJS), and gives back its folder. */
export function temporaryAction(source: string, inputs = ''): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'action.yml'), `name: Fixture\n${inputs}runs:\n  using: node24\n  main: main.cjs\n`)
  writeFileSync(join(folder, 'main.cjs'), source)
  return folder
}
