import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRepository, drawMonth } from '../../testing/generated-repository.ts'
import { root } from '../../testing/markdown-files.ts'
import { splitCommand } from '../../testing/split-command.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { wrapLines } from '../start/terminal.ts'

/** Long ago, so that the days end with the newest commit. */
const START_MS = Date.parse('2026-01-05T08:00:00Z')
/** About 400 pushes in a month. */
const MAX_GAP_MINUTES = 160
const COLUMNS = 100

/** Returns what the packaged `npm start` shows with these flags, for the repository `code` with a busy month, and the recipe on-push.yml. */
export function replayMonth(flags: string): string {
  const { path: folder, remove } = openScratchFolder('history-picture-')
  try {
    copyFileSync(join(root, 'docs/recipes/on-push.yml'), join(folder, 'docs.yml'))
    createRepository(join(folder, 'code'), drawMonth(7, START_MS, MAX_GAP_MINUTES))
    const program = join(root, 'dist/start/index.js')
    const env = { ...process.env, INIT_CWD: folder }
    const shown = execFileSync(process.execPath, [program, ...splitCommand(flags)], { encoding: 'utf8', env })
    return wrapLines(shown, COLUMNS)
  } finally {
    remove()
  }
}
