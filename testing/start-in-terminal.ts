import { expect } from '@jest/globals'
import { start } from '../scripts/start/start.ts'
import { root } from './markdown-files.ts'

export interface TerminalOptions {
  /** The folder in which npm was called. */
  readonly folder: string
  /** The folder with the action. Default: this project. */
  readonly project?: string
  readonly env?: Readonly<Record<string, string>>
  /** The width. Default: unknown. */
  readonly columns?: number
  /** Ctrl-C is pressed where the output has this text. */
  readonly cancelAt?: string
}

export type Started = Readonly<Record<'stdout' | 'stderr', string> & { exitCode: number }>

/** Runs `npm start` in this process. */
export async function startInTerminal(args: readonly string[], terminal: TerminalOptions): Promise<Started> {
  const { folder, project = root, env = {}, columns, cancelAt } = terminal
  const listeners = new Map<string, () => void>()
  const shown = { stdout: '', stderr: '' }
  const createStream = (name: keyof typeof shown) => ({
    ...(columns !== undefined && { columns }),
    write: (text: string) => {
      shown[name] += text
      if (cancelAt !== undefined && text.includes(cancelAt)) listeners.get('SIGINT')?.()
    },
  })
  const exitCode = await start(project, {
    argv: ['node', 'start', ...args],
    env: { INIT_CWD: folder, ...env },
    stdout: createStream('stdout'),
    stderr: createStream('stderr'),
    on: (signal, listener) => listeners.set(signal, listener),
    exit: () => undefined,
  })
  return { exitCode, ...shown }
}

const COLUMNS = 80

/**
 * Runs `npm start` in a terminal of 80 columns. Only URLs may be longer, on lines of their own. The speed is the default:
 * with a faster clock, a busy machine misses the time limits of requests.
 */
export async function startIn80Columns(args: readonly string[], folder: string): Promise<Started> {
  const started = await startInTerminal(args, { folder, columns: COLUMNS })
  const tooLong = `${started.stdout}\n${started.stderr}`.split('\n').filter((line) => Array.from(line).length > COLUMNS)
  expect(tooLong.filter((line) => !/^\(?https?:\S+$/.test(line))).toEqual([])
  return started
}
