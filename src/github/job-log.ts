import { exchange } from '../http/exchange.ts'
import { proxyFor } from '../http/proxy.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import type { Redact } from '../text/redact.ts'
import { path, type AskGitHub, type GitHubOptions } from './ask-github.ts'

/**
 * Reads a text from an address that needs no token, piece by piece, and keeps nothing of it.
 * @throws ActionError
 */
export type Download = (url: URL, take: (text: string) => void) => Promise<void>

/** All of it. What takes longer is not worth the wait. */
const DOWNLOAD_MS = 60_000

/** By the same proxies as all else, with a limit of time that no drip resets. */
export function createDownload({ env, clock, signal, deadlineAt }: GitHubOptions): Download {
  return async (url, take) => {
    signal.throwIfAborted()
    const timeoutMs = Math.min(DOWNLOAD_MS, deadlineAt - clock.now())
    const timedOut = (): Error => new ActionError('deadline', 'The log did not come in time.')
    const read = async (end: AbortSignal): Promise<void> => {
      const { status, body } = await exchange({ method: 'GET', url, headers: {} }, proxyFor(url, env), end)
      if (status !== 200) throw new ActionError('rejected', `The address of the log answered ${status}.`)
      const decoder = new TextDecoder()
      for await (const chunk of body) take(decoder.decode(chunk, { stream: true }))
    }
    try {
      await withDeadline(read, { clock, signal, timeoutMs, timedOut })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ActionError) throw error
      // Whatever it says may quote the address, which is a secret for as long as it is good.
      throw new ActionError('unreachable', 'The log could not be read.')
    }
  }
}

const LINES_BEFORE = 120
const LINES_AFTER = 30
/** Far more than is shown of a line: a secret is looked for before the line is cut to that. */
const LONGEST_LINE = 4_000
const ERROR = '##[error]'

/**
 * Keeps of a log that runs past only what stands around its last error, or its end if it has none, so that a log of any
 * length, and of lines of any length, takes no more memory than this window.
 */
export class LogWindow {
  /** The newest lines, which nobody knows yet whether they matter. */
  #recent: string[] = []
  #aroundError: string[] | undefined
  #linesAfterError = 0
  #open = ''

  /** @param text the next part of the log, which may end anywhere in a line */
  add(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#extend(text, from, end)
      this.#close()
      from = end + 1
    }
    this.#extend(text, from, text.length)
  }

  /** The lines that are kept, as the runner wrote them. */
  lines(): readonly string[] {
    if (this.#open !== '') this.#close()
    return this.#aroundError ?? this.#recent
  }

  #extend(text: string, from: number, end: number): void {
    const room = LONGEST_LINE - this.#open.length
    if (room > 0) this.#open += text.slice(from, Math.min(end, from + room))
  }

  #close(): void {
    const line = this.#open
    this.#open = ''
    this.#recent.push(line)
    if (this.#recent.length > LINES_BEFORE) this.#recent.shift()
    if (line.includes(ERROR)) {
      this.#aroundError = [...this.#recent]
      this.#linesAfterError = 0
    } else if (this.#aroundError !== undefined && this.#linesAfterError < LINES_AFTER) {
      this.#aroundError.push(line)
      this.#linesAfterError++
    }
  }
}

/** As the runner puts it before every line. */
const TIME_STAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z /
/** `##[error]`, which the log says at the beginning of a line. */
const COMMAND = /^##\[([a-z]+)\]/

function addressOf(location: string | undefined): URL {
  const url = parseUrl(location ?? '')
  if (url !== undefined && (url.protocol === 'https:' || isLoopback(url))) return url
  throw new ActionError('bad-answer', 'GitHub gave no usable address for the log.')
}

export const connectJobLogs = (ask: AskGitHub, download: Download, redact: Redact) => ({
  /**
   * The end of the log of a job of GitHub Actions, around its last error, without time stamps. GitHub gives an address that
   * is good for a minute and for whoever has it (`GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`); the token is not
   * shown there.
   */
  readJobLog: async (repository: string, jobId: number): Promise<string> => {
    const location = await ask({ permission: 'actions: read', repository }, (api) =>
      api.locate(path`/actions/jobs/${jobId}/logs`),
    )
    const window = new LogWindow()
    await download(addressOf(location), (text) => {
      window.add(text)
    })
    const lines = window.lines().map((line) => line.replace(TIME_STAMP, '').replace(COMMAND, '$1: '))
    return redact(lines.join('\n'))
  },
})
