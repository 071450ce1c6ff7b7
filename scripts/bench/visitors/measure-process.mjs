import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Run in the measured process: only it knows the most memory it ever had. */
const TELL_PEAK = `
  import { writeFileSync } from 'node:fs'
  process.on('exit', () => writeFileSync(process.env.BENCH_PEAK_FILE, String(process.resourceUsage().maxRSS)))
`

/**
 * Runs a program to its end.
 *
 * @param {object} options
 * @param {string} options.node
 * @param {string} options.script
 * @param {string} options.cwd
 * @param {Record<string, string>} options.env besides the search path
 * @returns {Promise<{ durationMs: number, peakMiB: number }>}
 * @throws {Error} with what it said, where it fails
 */
export async function measureProcess({ node, script, cwd, env }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peak-'))
  const peakFile = join(folder, 'peak')
  const startedAt = performance.now()
  const child = spawn(node, [`--import=data:text/javascript,${encodeURIComponent(TELL_PEAK)}`, script], {
    cwd,
    env: { PATH: process.env['PATH'], BENCH_PEAK_FILE: peakFile, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
  try {
    await once(child, 'close')
    const durationMs = performance.now() - startedAt
    if (child.exitCode !== 0) throw new Error(`${script} failed:\n${output}`)
    return { durationMs, peakMiB: Number(readFileSync(peakFile, 'utf8')) / 1024 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
