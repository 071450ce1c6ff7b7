import type { HttpAnswer } from '../http/exchange.ts'
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
const MAX_LINE = 4_000
/** At least the length of every secret that the action knows, encoded with up to six characters for each of its own. */
const MAX_SECRET = 6 * 4_096
/** A longer line is cut to this before secrets are redacted, so its end may hold a part of a secret. */
const MAX_RAW_LINE = MAX_LINE + MAX_SECRET
const ERROR = '##[error]'

/** The lines of a body, as many at once as have come; each is cut to `LONGEST_RAW_LINE`. */
async function* toLines(body: HttpAnswer['body']): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    const lines = [line + first, ...others].map((one) => one.slice(0, MAX_RAW_LINE))
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
  for await (const lines of toLines(body)) {
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
async function* readBody(body: HttpAnswer['body']): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new TransportFailure(error)
  }
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
  const timedOut = new ActionError('deadline', 'The log was not received in time.')
  const read = async (end: AbortSignal): Promise<readonly string[]> => {
    const { status, body } = await send({ method: 'GET', url, headers: {} }, end).catch((error: unknown) => {
      throw error instanceof ActionError ? error : new TransportFailure(error)
    })
    if (status !== 200) throw new ActionError('rejected', `The URL of the log responded with ${status}.`)
    return lastLines(readBody(body))
  }
  try {
    return await withDeadline(read, { clock, signal, timeoutMs: DOWNLOAD_MS, timedOut })
  } catch (error) {
    // The cause may quote the address, which is a secret for as long as it is good.
    throw error instanceof TransportFailure ? new ActionError('unreachable', 'The log could not be read.') : error
  }
}

/** Redacts first: the end of a line that was cut before may be a part of a secret, which nothing would find. */
function cutLine(raw: string, redact: Redact): string {
  const redacted = redact(raw)
  const whole = raw.length < MAX_RAW_LINE ? redacted : redacted.slice(0, -MAX_SECRET)
  return whole.slice(0, MAX_LINE)
}

/** As the runner puts it before every line. */
const TIME_STAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z /
/** `##[error]`, which the log says at the beginning of a line. */
const COMMAND = /^##\[([a-z]+)\]/

function toAddress(location: string | undefined): URL {
  const url = parseUrl(location ?? '')
  if (url !== undefined && (url.protocol === 'https:' || isLoopback(url))) return url
  throw new ActionError('bad-answer', 'GitHub returned no usable URL for the log.')
}

export interface JobLogs {
  /**
   * The end of the log of a job of GitHub Actions, around its last error, without time stamps. GitHub gives an address that
   * is good for a minute and for whoever has it (`GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`); the token is not
   * shown there.
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
      const url = toAddress(headers.location)
      const lines = await downloadLog(url, send, { clock, signal })
      const texts = lines.map((line) => cutLine(line, redact))
      return texts.map((line) => line.replace(TIME_STAMP, '').replace(COMMAND, '$1: ')).join('\n')
    }),
})
