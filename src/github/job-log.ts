import type { HttpAnswer } from '../http/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import { path, type AskGitHub } from './ask-github.ts'
import type { Send } from './octokit.ts'

const LINES_BEFORE = 120
const LINES_AFTER = 30
/** Far more than is shown of a line: a secret is looked for before the line is cut to that. */
const LONGEST_LINE = 4_000
const ERROR = '##[error]'

/** The lines of a body, as many at once as have come; each is cut to `LONGEST_LINE`. */
async function* linesOf(body: HttpAnswer['body']): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    const lines = [line + first, ...others].map((one) => one.slice(0, LONGEST_LINE))
    line = lines.pop() ?? ''
    yield lines
  }
  if (line !== '') yield [line]
}

/**
 * What stands in a log around its last error, or its end if it has none, as the runner wrote it. A log of any length takes no
 * more memory than these lines.
 */
export async function lastLines(body: HttpAnswer['body']): Promise<readonly string[]> {
  const recent: string[] = []
  let aroundError: readonly string[] = []
  let sinceError = Infinity
  for await (const lines of linesOf(body)) {
    for (const line of lines) {
      recent.push(line)
      if (recent.length > LINES_BEFORE + LINES_AFTER) recent.shift()
      sinceError = line.includes(ERROR) ? 0 : sinceError + 1
      if (sinceError <= LINES_AFTER) aroundError = recent.slice(-LINES_BEFORE - sinceError)
    }
  }
  return aroundError.length > 0 ? aroundError : recent.slice(-LINES_BEFORE)
}

/** All of it. What takes longer is not worth the wait. */
const DOWNLOAD_MS = 60_000

/**
 * Reads a log from an address that needs no token, with a limit of time that no drip resets.
 * @param signal ends it with its reason
 * @throws ActionError
 */
export async function downloadLog(
  url: URL,
  send: Send,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const timedOut = new ActionError('deadline', 'The log did not come in time.')
  const read = async (end: AbortSignal): Promise<readonly string[]> => {
    const { status, body } = await send({ method: 'GET', url, headers: {} }, end)
    if (status !== 200) throw new ActionError('rejected', `The address of the log answered ${status}.`)
    return lastLines(body)
  }
  try {
    return await withDeadline(read, { clock, signal, timeoutMs: DOWNLOAD_MS, timedOut })
  } catch (error) {
    // Whatever else it says may quote the address, which is a secret for as long as it is good.
    throw error instanceof ActionError ? error : new ActionError('unreachable', 'The log could not be read.')
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

export const connectJobLogs = (ask: AskGitHub, send: Send, clock: Clock): JobLogs => ({
  readJobLog: (repository, jobId) =>
    ask('actions: read', repository, async (api, signal) => {
      const url = addressOf(await api.locate(path`/actions/jobs/${jobId}/logs`))
      const lines = await downloadLog(url, send, { clock, signal })
      return lines.map((line) => line.replace(TIME_STAMP, '').replace(COMMAND, '$1: ')).join('\n')
    }),
})
