import { spawn } from 'node:child_process'
import { runAtExit } from './at-exit.ts'
import { splitIntoLines } from './line-splitter.ts'

export interface CancelTimes {
  /** From SIGINT to SIGTERM. */
  readonly sigtermAfterMs: number
  /** From SIGTERM to SIGKILL. */
  readonly killAfterMs: number
}

export interface StepEnd {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly wasCancelled: boolean
}

export interface StepProcess {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly onLine: (line: string) => void
  readonly onText: (text: string) => void
  readonly cancel: AbortSignal | undefined
  readonly cancelTimes: CancelTimes
}

/** The times of the runner's ProcessInvoker. */
export const RUNNER_CANCEL_TIMES: CancelTimes = { sigtermAfterMs: 7500, killAfterMs: 2500 }

/** A grandchild can keep the streams open after the step has ended. The runner waits this long for them. */
const STREAM_GRACE_MS = 5000

const isWindows = process.platform === 'win32'

/**
 * Runs one process and emits the lines of both streams in the order of arrival.
 *
 * The process gets its own process group, so that Ctrl-C in a terminal reaches only the runner, which forwards it once. On
 * Windows, Node.js cannot send Ctrl-C to another process: the step shares the console and receives Ctrl-C from it. Any other
 * cancellation waits there and then kills the step.
 * @throws Error if the process cannot be started, for example because its environment is too large
 */
export function runStepProcess(step: StepProcess): Promise<StepEnd> {
  const { file, args, cwd, env, onLine, onText, cancel, cancelTimes } = step
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: !isWindows })
    let wasCancelled = false
    let timer: NodeJS.Timeout | undefined
    const killNow = (): void => void child.kill('SIGKILL')
    const terminate = (): void => {
      child.kill('SIGTERM')
      timer = setTimeout(killNow, cancelTimes.killAfterMs)
    }
    const interrupt = (): void => {
      wasCancelled = true
      if (!isWindows) child.kill('SIGINT')
      timer = setTimeout(terminate, cancelTimes.sigtermAfterMs)
    }
    const forgetChild = runAtExit(killNow)
    const splitters = [child.stdout, child.stderr].map((stream) => {
      const splitter = splitIntoLines(onLine)
      stream.on('data', (chunk: Buffer) => {
        onText(splitter.write(chunk))
      })
      return splitter
    })
    const finish = (): void => {
      clearTimeout(timer)
      forgetChild()
      cancel?.removeEventListener('abort', interrupt)
      splitters.forEach((splitter) => {
        splitter.end()
      })
    }

    if (cancel?.aborted === true) interrupt()
    else cancel?.addEventListener('abort', interrupt, { once: true })

    child.once('error', (error) => {
      if (child.pid !== undefined) return
      finish()
      reject(error)
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
      if (child.pid === undefined) return
      finish()
      resolve({ exitCode, signal, wasCancelled })
    })
  })
}
