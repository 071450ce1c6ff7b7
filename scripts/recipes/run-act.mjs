import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { splitIntoLines } from '../small-runner/line-splitter.ts'
import { readActLog } from './act-log.mjs'

/**
 * @typedef {object} ActRun
 * @property {string} act the engine's program
 * @property {string} folder an empty folder for all that the run leaves behind
 * @property {string} repository the folder of the repository that the workflow is in
 * @property {string} workflow its path inside the repository
 * @property {string} eventName
 * @property {unknown} event
 * @property {readonly string[]} [matrix] which jobs of a matrix to run, as `name:value`
 * @property {Record<string, string>} vars
 * @property {Record<string, string>} secrets
 * @property {Record<string, string>} env
 * @property {string} node the Node.js that runs the actions, and the one on the PATH of the steps
 * @property {string} programs a folder of programs that come before those of the machine
 * @property {Record<string, string>} repositories by `owner/name@ref`: folders to use in their place
 * @property {AbortSignal} [cancel]
 * @property {(line: string) => void} [onLine]
 *
 * @typedef {import('./act-log.mjs').WorkflowRun & { exitCode: number | null, log: string }} ActResult
 */

/** What a run may take before something hangs, in milliseconds. */
const LONGEST_RUN_MS = 600_000

/**
 * @param {string} flag
 * @param {Record<string, string>} values
 * @returns {string[]}
 */
function repeat(flag, values) {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`])
}

/**
 * Runs a workflow with act on this machine itself, without containers. Nothing of the caller's environment reaches it but
 * the PATH, and no settings of a person who uses act.
 *
 * @param {ActRun} run
 * @returns {Promise<ActResult>}
 */
export async function runAct(run) {
  const eventFile = join(run.folder, 'event.json')
  const home = join(run.folder, 'home')
  mkdirSync(home)
  writeFileSync(eventFile, JSON.stringify(run.event))
  const args = [
    run.eventName,
    ...['--json', '--no-cache-server', '--pull=false', '--platform=ubuntu-latest=-self-hosted'],
    ...['--workflows', run.workflow, '--eventpath', eventFile, '--action-cache-path', join(run.folder, 'cache')],
    ...(run.matrix ?? []).flatMap((choice) => ['--matrix', choice]),
    ...repeat('--var', run.vars),
    ...repeat('--env', run.env),
    ...repeat('--local-repository', run.repositories),
    // Only the names: the values come from the environment, which nobody else sees.
    ...Object.keys(run.secrets).flatMap((name) => ['--secret', name]),
  ]
  const env = {
    ...run.secrets,
    PATH: [run.programs, dirname(run.node), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
  }
  const child = spawn(run.act, args, { cwd: run.repository, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    const splitter = splitIntoLines((line) => run.onLine?.(line))
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      log += splitter.write(chunk)
    })
  }
  const cancel = () => void child.kill('SIGINT')
  run.cancel?.addEventListener('abort', cancel, { once: true })
  const watchdog = setTimeout(() => {
    log += `\n(ended after ${LONGEST_RUN_MS / 1000} seconds)\n`
    child.kill('SIGKILL')
  }, LONGEST_RUN_MS)
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  clearTimeout(watchdog)
  run.cancel?.removeEventListener('abort', cancel)
  return { exitCode: /** @type {number | null} */ (exitCode), log, ...readActLog(log) }
}
