import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { runAtExit } from '../small-runner/at-exit.mjs'

/** Fast enough for a run of about five seconds, slow enough to see the job change. */
export const EMBEDDED_SPEED = 5

/**
 * @typedef {object} EmbeddedService
 * @property {string} baseUrl
 * @property {string} projectId
 * @property {string} apiKey
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the embedded service as a process of its own, on a port that is free. It is kept out of the terminal's process
 * group: Ctrl-C must not take it away while the action still asks it.
 *
 * @param {string} program the path of the packaged service
 * @param {string} scenario
 * @param {object} [options]
 * @param {number} [options.speed] seconds of the service's time in one second
 * @param {string} [options.startAt] the service's date, `YYYY-MM-DD`; by default a fixed one
 * @param {(line: string) => void} [options.onLine] called for each line of its log from then on, one for each request; all of
 *   them have come once `stop` has resolved
 * @returns {Promise<EmbeddedService>}
 * @throws {Error} with what the service said, where it does not start; a wrong scenario is such a case
 */
export async function startEmbeddedService(program, scenario, { speed = EMBEDDED_SPEED, startAt, onLine } = {}) {
  const args = [program, '--port=0', `--speed=${speed}`, `--scenario=${scenario}`]
  if (startAt !== undefined) args.push(`--start-at=${startAt}`)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, windowsHide: true })
  const closed = once(child, 'close')
  const forget = runAtExit(() => void child.kill('SIGKILL'))
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (complaint += text))

  /** @type {Record<string, string>} */
  const found = {}
  for await (const line of createInterface(child.stdout)) {
    Object.assign(found, readStartLine(line))
    const { baseUrl, projectId, apiKey } = found
    if (baseUrl === undefined || projectId === undefined || apiKey === undefined) continue
    // Read even where nobody wants it: a full pipe would stop the service.
    if (onLine === undefined) child.stdout.resume()
    else createInterface(child.stdout).on('line', onLine)
    const stop = async () => {
      child.kill()
      await closed
      forget()
    }
    return { baseUrl, projectId, apiKey, stop }
  }
  await closed
  forget()
  throw new Error(complaint.trim() || 'The embedded service ended before it was ready.')
}

const START_LINES = /** @type {const} */ ({
  baseUrl: /^listening (\S+)$/,
  projectId: /^ *DOCS_AGENT_PROJECT_ID=(\S+)$/,
  apiKey: /^ *DOCS_AGENT_API_KEY=(\S+)$/,
})

/**
 * @param {string} line of what the service prints when it starts
 * @returns {Record<string, string>}
 */
function readStartLine(line) {
  return Object.fromEntries(
    Object.entries(START_LINES).flatMap(([name, pattern]) => {
      const value = pattern.exec(line)?.[1]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
