import * as toolkit from '@actions/github'
import { GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { API_PATH } from '../src/emulator/github/reply.ts'
import type { ServiceRequest, ServiceResponse } from '../src/emulator/http/exchange.ts'
import { connectGitHub, type GitHub } from '../src/github/github.ts'
import type { GitHubOptions, Send } from '../src/github/transport.ts'
import type { Clock } from '../src/runtime/clock.ts'

/** The beginning of all URLs of the embedded service and GitHub. */
export const BASE_URL = 'https://git.example.com'

const DAY_MS = 86_400_000

export interface InProcessGitHub extends Partial<Pick<GitHubOptions, 'token' | 'redact' | 'log' | 'debug'>> {
  readonly handle: (request: ServiceRequest) => ServiceResponse
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Default: after a day, which is longer than any step. */
  readonly deadlineAt?: number
  /** The latency in each direction, in milliseconds. */
  readonly latencyMs?: () => number
}

/** Streams the body of a response. */
export async function* toBody(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part))
}

function sendTo({ handle, clock, latencyMs = () => 0 }: InProcessGitHub): Send {
  return async ({ method, url, headers, body = '' }, end) => {
    await clock.sleep(latencyMs(), end)
    const response = handle({ method, target: url.pathname + url.search, headers, body })
    if (response.delivery === 'never') await clock.sleep(Infinity, end)
    await clock.sleep(latencyMs() + (response.delayMs ?? 0), end)
    if (response.delivery !== 'complete') throw new Error('The connection was reset.')
    const { 'x-ratelimit-reset': reset, ...others } = response.headers
    const endsAt = Math.ceil(clock.wallTime().getTime() / 1_000) + Number(reset)
    const limit = reset === undefined ? {} : { 'x-ratelimit-reset': String(endsAt) }
    const date = clock.wallTime().toUTCString()
    const given = { 'content-type': 'application/json; charset=utf-8', date, ...others, ...limit }
    return { status: response.status, headers: given, body: toBody(response.body) }
  }
}

/** Creates a client of a GitHub in this process. */
export function connectInProcess(github: InProcessGitHub): GitHub {
  const quiet = (): void => undefined
  const { clock, signal, token = GITHUB_TOKEN, redact = (text: string) => text, log = quiet, debug = quiet } = github
  const { deadlineAt = clock.now() + DAY_MS } = github
  const options = { token, apiUrl: `${BASE_URL}${API_PATH}`, env: {}, clock, signal, deadlineAt, log, debug, redact }
  // Already loaded: the loading time must not depend on the clock.
  return connectGitHub(options, sendTo(github), () => Promise.resolve(toolkit))
}
