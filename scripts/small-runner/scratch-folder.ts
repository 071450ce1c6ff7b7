import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAtExit } from './at-exit.ts'

/** Creates an empty folder that is removed when this process exits, or before. */
export function openScratchFolder(prefix: string): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), prefix))
  const removeFolder = (): void => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  }
  const forget = runAtExit(removeFolder)
  return {
    path,
    remove: () => {
      forget()
      removeFolder()
    },
  }
}
