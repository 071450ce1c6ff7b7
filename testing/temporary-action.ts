import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from './temporary-folder.ts'

/** Writes an action with the program `source` (CommonJS), and returns its folder. */
export function createTemporaryAction(source: string): string {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'action.yml'), 'name: Fixture\nruns:\n  using: node24\n  main: main.cjs\n')
  writeFileSync(join(folder, 'main.cjs'), source)
  return folder
}
