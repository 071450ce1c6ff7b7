import { once } from 'node:events'
import type { Run } from './options.ts'
import { choosePaint, type Paint, quote, showCommand, wrapLines } from './terminal.ts'

const CTRL_C_EXIT_CODE = 130
/** npm forwards a Ctrl-C that the terminal has already sent, so two signals within this time are one. */
const CTRL_C_DEBOUNCE_MS = 500

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface Terminal {
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Output
  readonly stderr: Output
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown
  exit(code: number): unknown
}

export function writeTo(output: Output, text: string): void {
  const { columns = 0 } = output
  output.write(wrapLines(text, columns > 0 ? columns : Infinity))
}

/** Shows a run, until it ends or is cancelled. */
export interface Session {
  readonly paint: Paint
  readonly print: (text: string) => void
  /** Aborts on Ctrl-C and after `--cancel-after`. */
  readonly cancel: AbortSignal
  /** The command of this run with other flags, on a line of its own. */
  readonly offer: (...flags: readonly string[]) => string
  /**
   * Offers what else can be shown, or keeps the embedded service until Ctrl-C.
   * @param link a pull request; empty if there is none
   */
  readonly finish: (link: string) => Promise<void>
  readonly close: () => void
}

/**
 * @param url the origin of the embedded GitHub, which ends with the command unless it is kept
 * @param secondsInOne how many seconds pass in one
 */
export function openSession(
  terminal: Terminal,
  { isKept, showsAll, words, cancelAfter }: Pick<Run, 'isKept' | 'showsAll' | 'words' | 'cancelAfter'>,
  { url, speed }: { readonly url: string; readonly speed: number },
): Session {
  const { stdout, env } = terminal
  const paint = choosePaint(stdout, env)
  // An address that leads nowhere a second later is shown without its server.
  const isDead = url !== '' && !isKept
  const print = (text: string): void => {
    writeTo(stdout, isDead ? text.replaceAll(`${url}/`, '') : text)
  }
  let isOver = false
  let cancelledAt = Infinity
  const cancel = new AbortController()
  cancel.signal.addEventListener('abort', () => {
    cancelledAt = performance.now()
    if (!isOver) print(paint('yellow', 'Cancelling, as the runner would. Press again to end immediately.\n'))
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    terminal.on(signal, () => {
      if (performance.now() - cancelledAt > CTRL_C_DEBOUNCE_MS) terminal.exit(CTRL_C_EXIT_CODE)
      cancel.abort()
    })
  }
  const timer =
    cancelAfter === undefined
      ? undefined
      : setTimeout(
          () => {
            cancel.abort()
          },
          (cancelAfter * 1_000) / speed,
        )
  const offer = (...flags: readonly string[]): string => showCommand([...words, ...flags].map(quote).join(' '))
  return {
    paint,
    offer,
    print,
    cancel: cancel.signal,
    async finish(link) {
      isOver = true
      clearTimeout(timer)
      if (link !== '' && !isDead) print(`\n${link}${isKept ? ' is open until Ctrl-C' : ''}\n`)
      if (!showsAll) print(`\nTo see the outputs and the job summary too:${offer('--all')}\n`)
      if (link !== '' && isDead) print(`\nTo look at the pull request in a browser:${offer('--keep')}\n`)
      if (isKept && !cancel.signal.aborted) await once(cancel.signal, 'abort')
    },
    close: () => {
      clearTimeout(timer)
    },
  }
}
