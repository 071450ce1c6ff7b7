/** Reads the end of the log of a failed job. */
import type { HttpResponse } from '../http/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/time-budget.ts'
import { ActionError } from '../runtime/errors.ts'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import type { Redact } from '../text/redact.ts'
import type { Call } from './pages.ts'
import { TransportFailure } from './github-error.ts'
import type { GitHubOptions, Send } from './transport.ts'

const LINES_BEFORE = 120
const LINES_AFTER = 30
const MAX_LINE_CHARS = 4_000
/** At least the length of every secret of the action, with up to six characters for each encoded character. */
const MAX_SECRET_CHARS = 6 * 4_096
/** A longer line is cut before secrets are redacted, so its end can contain a part of a secret. */
const MAX_RAW_LINE_CHARS = MAX_LINE_CHARS + MAX_SECRET_CHARS
const ERROR = '##[error]'

/** Yields the lines of each chunk of a body, cut to `MAX_RAW_LINE_CHARS`. */
async function* splitLines(body: HttpResponse['body']): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    const lines = [line + first, ...others].map((raw) => raw.slice(0, MAX_RAW_LINE_CHARS))
    line = lines.pop() ?? ''
    yield lines
  }
  if (line !== '') yield [line]
}

/**
 * Returns the lines of a log around its last error, or its last lines if it has no error. Keeps no other lines in
 * memory.
 */
export async function lastLines(body: HttpResponse['body']): Promise<readonly string[]> {
  const recent: string[] = []
  let aroundError: readonly string[] = []
  let sinceError = Infinity
  for await (const lines of splitLines(body)) {
    for (const line of lines) {
      recent.push(line)
      if (recent.length > LINES_BEFORE + LINES_AFTER) recent.shift()
      sinceError = line.includes(ERROR) ? 0 : sinceError + 1
      if (sinceError <= LINES_AFTER) aroundError = recent.slice(-LINES_BEFORE - sinceError)
    }
  }
  return aroundError.length > 0 ? aroundError : recent.slice(-LINES_BEFORE)
}

/** @throws TransportFailure */
async function* readBody(body: HttpResponse['body']): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new TransportFailure(error)
  }
}

/** For the complete download. */
const DOWNLOAD_TIMEOUT_MS = 60_000

/**
 * Downloads a log from a URL that needs no token. The timeout covers the complete download, however slowly it arrives.
 * @throws ActionError
 */
export async function downloadLog(
  url: URL,
  send: Send,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const timedOut = new ActionError('deadline', 'The log was not received in time.')
  const read = async (end: AbortSignal): Promise<readonly string[]> => {
    const { status, body } = await send({ method: 'GET', url, headers: {} }, end).catch((error: unknown) => {
      throw error instanceof ActionError ? error : new TransportFailure(error)
    })
    if (status !== 200) throw new ActionError('rejected', `The URL of the log responded with ${status}.`)
    return lastLines(readBody(body))
  }
  try {
    return await withDeadline(read, { clock, signal, timeoutMs: DOWNLOAD_TIMEOUT_MS, timedOut })
  } catch (error) {
    // The cause can quote the URL, which is a secret while it is valid.
    throw error instanceof TransportFailure ? new ActionError('unreachable', 'The log could not be read.') : error
  }
}

/** Redacts a line before it is cut. Drops the end of a line that was cut before, which can be a part of a secret. */
function cutLine(raw: string, redact: Redact): string {
  const redacted = redact(raw)
  const whole = raw.length < MAX_RAW_LINE_CHARS ? redacted : redacted.slice(0, -MAX_SECRET_CHARS)
  return whole.slice(0, MAX_LINE_CHARS)
}

/** The runner's prefix of every line. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z /
/** A command at the beginning of a line, such as `##[error]`. */
const COMMAND = /^##\[([a-z]+)\]/

function toLogUrl(location: string | undefined): URL {
  const url = parseUrl(location ?? '')
  if (url !== undefined && (url.protocol === 'https:' || isLoopback(url))) return url
  throw new ActionError('bad-answer', 'GitHub returned no usable URL for the log.')
}

export interface JobLogs {
  /**
   * Reads the log of a job around its last error, without timestamps (`GET
   * /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`). GitHub redirects to a URL that anybody can use for a minute, so
   * the token is not sent there.
   */
  readonly readJobLog: (repository: string, jobId: number) => Promise<string>
}

export const connectJobLogs = (
  call: Call,
  send: Send,
  { clock, redact }: Pick<GitHubOptions, 'clock' | 'redact'>,
): JobLogs => ({
  readJobLog: (repository, jobId) =>
    call('actions: read', repository, async ({ request, repo, signal }) => {
      const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'
      const { headers } = await request(route, { ...repo, job_id: jobId, request: { redirect: 'manual' } })
      const url = toLogUrl(headers.location)
      const lines = await downloadLog(url, send, { clock, signal })
      const texts = lines.map((line) => cutLine(line, redact))
      return texts.map((line) => line.replace(TIMESTAMP, '').replace(COMMAND, '$1: ')).join('\n')
    }),
})
