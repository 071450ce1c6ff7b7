import { exchange } from '../http/exchange.ts'
import { proxyFor } from '../http/proxy.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import { path, type AskGitHub } from './ask-github.ts'
import type { GitHubOptions } from './requests.ts'

/** All of it. What takes longer is not worth the wait. */
const DOWNLOAD_MS = 60_000

export type Download = typeof downloadText

/**
 * Reads a text from an address that needs no token, piece by piece, and keeps nothing of it: by the same proxies as all else,
 * with a limit of time that no drip resets.
 * @param signal ends it with its reason
 * @throws ActionError
 */
export async function downloadText(
  url: URL,
  take: (text: string) => void,
  { env, clock }: Pick<GitHubOptions, 'env' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const timedOut = (): Error => new ActionError('deadline', 'The log did not come in time.')
  const read = async (end: AbortSignal): Promise<void> => {
    const { status, body } = await exchange({ method: 'GET', url, headers: {} }, proxyFor(url, env), end)
    if (status !== 200) throw new ActionError('rejected', `The address of the log answered ${status}.`)
    const decoder = new TextDecoder()
    for await (const chunk of body) take(decoder.decode(chunk, { stream: true }))
  }
  try {
    await withDeadline(read, { clock, signal, timeoutMs: DOWNLOAD_MS, timedOut })
  } catch (error) {
    // Whatever else it says may quote the address, which is a secret for as long as it is good.
    throw error instanceof ActionError ? error : new ActionError('unreachable', 'The log could not be read.')
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
  readonly #recent: string[] = []
  #aroundError: string[] = []
  /** How many more lines belong to the last error. */
  #room = 0
  #open = ''

  /** @param text the next part of the log, which may end anywhere in a line */
  add(text: string): void {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#close()
      this.#open += part.slice(0, LONGEST_LINE - this.#open.length)
    }
  }

  /** The lines that are kept, as the runner wrote them. */
  lines(): readonly string[] {
    if (this.#open !== '') this.#close()
    return this.#aroundError.length > 0 ? this.#aroundError : this.#recent
  }

  #close(): void {
    const line = this.#open
    this.#open = ''
    this.#recent.push(line)
    if (this.#recent.length > LINES_BEFORE) this.#recent.shift()
    if (line.includes(ERROR)) {
      this.#aroundError = [...this.#recent]
      this.#room = LINES_AFTER
    } else if (this.#room > 0) {
      this.#aroundError.push(line)
      this.#room--
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

export interface JobLogs {
  /**
   * The end of the log of a job of GitHub Actions, around its last error, without time stamps. GitHub gives an address that
   * is good for a minute and for whoever has it (`GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`); the token is not
   * shown there.
   */
  readonly readJobLog: (repository: string, jobId: number) => Promise<string>
}

export const connectJobLogs = (ask: AskGitHub, options: GitHubOptions, download: Download): JobLogs => ({
  readJobLog: (repository, jobId) =>
    ask('actions: read', repository, async (api, end) => {
      const url = addressOf(await api.locate(path`/actions/jobs/${jobId}/logs`))
      const window = new LogWindow()
      const take = (text: string): void => {
        window.add(text)
      }
      await download(url, take, options, end)
      const lines = window.lines().map((line) => line.replace(TIME_STAMP, '').replace(COMMAND, '$1: '))
      return lines.join('\n')
    }),
})
