import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** How a program ended. */
export type Run =
  { readonly kind: 'passed' } | { readonly kind: 'failed'; readonly output: string } | { readonly kind: 'timed-out' }

/**
 * Runs a program of Node.js.
 * @param limitMs kills the program after this time
 */
export async function runLimited(folder: string, args: readonly string[], limitMs?: number): Promise<Run> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(limitMs !== undefined && { timeout: Math.ceil(limitMs) }),
    // Some mutants ignore SIGTERM.
    killSignal: 'SIGKILL',
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  if (limitMs !== undefined && child.signalCode === 'SIGKILL') return { kind: 'timed-out' }
  return child.exitCode === 0 ? { kind: 'passed' } : { kind: 'failed', output }
}
