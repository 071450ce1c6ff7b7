import { spawn } from 'node:child_process'
import { runAtExit } from './at-exit.mjs'
import { splitIntoLines } from './line-splitter.mjs'

/**
 * @typedef {object} CancelTimes
 * @property {number} sigtermAfterMs from SIGINT to SIGTERM
 * @property {number} killAfterMs from SIGTERM to the end
 *
 * @typedef {object} StepEnd
 * @property {number | null} exitCode null where a signal ended it, or where it never started
 * @property {NodeJS.Signals | null} signal
 * @property {boolean} wasCancelled
 * @property {string} [startError] why there was no process at all
 */

/** As in the runner's ProcessInvoker. @type {CancelTimes} */
export const RUNNER_CANCEL_TIMES = { sigtermAfterMs: 7500, killAfterMs: 2500 }

/** A grandchild can keep the streams open after the step has ended; the runner then waits this long, and so does this. */
const STREAM_GRACE_MS = 5000

/**
 * Runs one process and hands on its output line by line, of both streams in the order they come in.
 *
 * It gets a process group of its own, so that Ctrl-C in a terminal reaches the runner alone, which then passes it on: once.
 * On Windows Node cannot send Ctrl-C to another process: there the step shares the console, gets Ctrl-C from it, and a
 * cancellation from elsewhere only waits and then ends the step.
 *
 * @param {object} options
 * @param {string} options.file
 * @param {string[]} options.args
 * @param {string} options.cwd
 * @param {Record<string, string>} options.env
 * @param {(line: string) => void} options.onLine
 * @param {(text: string) => void} options.onText
 * @param {AbortSignal | undefined} options.cancel
 * @param {CancelTimes} options.cancelTimes
 * @returns {Promise<StepEnd>}
 */
export function runStepProcess({ file, args, cwd, env, onLine, onText, cancel, cancelTimes }) {
  const isWindows = process.platform === 'win32'
  return new Promise((resolve) => {
    const child = start(() => spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: !isWindows }))
    if (child instanceof Error) {
      resolve({ exitCode: null, signal: null, wasCancelled: false, startError: child.message })
      return
    }
    let wasCancelled = false
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const killNow = () => void child.kill('SIGKILL')
    const terminate = () => {
      child.kill('SIGTERM')
      timer = setTimeout(killNow, cancelTimes.killAfterMs)
    }
    const interrupt = () => {
      wasCancelled = true
      if (!isWindows) child.kill('SIGINT')
      timer = setTimeout(terminate, cancelTimes.sigtermAfterMs)
    }
    const forgetChild = runAtExit(killNow)
    const splitters = [child.stdout, child.stderr].map((stream) => {
      const splitter = splitIntoLines(onLine)
      stream.on('data', (/** @type {Buffer} */ chunk) => {
        onText(splitter.write(chunk))
      })
      return splitter
    })
    /** @param {Omit<StepEnd, 'wasCancelled'>} end */
    const finish = (end) => {
      clearTimeout(timer)
      forgetChild()
      cancel?.removeEventListener('abort', interrupt)
      splitters.forEach((splitter) => {
        splitter.end()
      })
      resolve({ ...end, wasCancelled })
    }

    if (cancel?.aborted === true) interrupt()
    else cancel?.addEventListener('abort', interrupt, { once: true })

    child.once('error', (error) => {
      if (child.pid === undefined) finish({ exitCode: null, signal: null, startError: error.message })
    })
    child.once('exit', () => {
      cancel?.removeEventListener('abort', interrupt)
      clearTimeout(timer)
      timer = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, STREAM_GRACE_MS)
    })
    child.once('close', (exitCode, signal) => {
      if (child.pid !== undefined) finish({ exitCode, signal })
    })
  })
}

/**
 * An environment that is too large makes `spawn` throw, where other failures come as an event.
 *
 * @template T
 * @param {() => T} spawnIt
 * @returns {T | Error}
 */
function start(spawnIt) {
  try {
    return spawnIt()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
