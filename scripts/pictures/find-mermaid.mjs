import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAtExit } from '../small-runner/at-exit.ts'

const MERMAID = 'mermaid@11.17.2'

/**
 * Installs Mermaid, which draws the charts of a summary on GitHub too, outside the project: the pictures alone need it. It is
 * gone when this process ends.
 *
 * @returns {string} the path of a script for a page
 * @throws {Error} where the registry cannot be reached
 */
export function findMermaid() {
  const folder = mkdtempSync(join(tmpdir(), 'summary-picture-mermaid-'))
  runAtExit(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  const flags = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...flags, MERMAID], { stdio: 'inherit', shell: process.platform === 'win32' })
  return join(folder, 'node_modules/mermaid/dist/mermaid.min.js')
}
