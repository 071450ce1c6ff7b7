import * as toolkit from '@actions/github'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { API_PATH } from '../../src/emulator/github/github.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { Download } from '../../src/github/job-log.ts'
import { connectGitHub, type GitHub } from '../../src/github/github.ts'
import type { Send } from '../../src/github/octokit.ts'
import { createRequests, type GitHubOptions } from '../../src/github/requests.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'

/** What the addresses in the world begin with. */
export const BASE_URL = 'https://git.example.com'

/** Longer than any step. */
const DAY_MS = 86_400_000

export interface InProcessGitHub extends Partial<Pick<GitHubOptions, 'token' | 'redact' | 'debug'>> {
  readonly handle: (request: ServiceRequest) => ServiceResponse
  readonly clock: Clock
  readonly signal: AbortSignal
  /** How long the way to the server takes, and the way back, in milliseconds. */
  readonly latencyMs?: () => number
}

function sendTo({ handle, clock, latencyMs = () => 0 }: InProcessGitHub): Send {
  return async ({ method, url, headers, body = '' }, end) => {
    await clock.sleep(latencyMs(), end)
    const { delivery, delayMs = 0, ...answer } = handle({ method, target: url.pathname + url.search, headers, body })
    if (delivery === 'never') await clock.sleep(Infinity, end)
    await clock.sleep(latencyMs() + delayMs, end)
    if (delivery !== 'whole') throw new Error('The connection was reset.')
    const { 'x-ratelimit-reset': reset, ...others } = answer.headers
    const answered = { ...answer, headers: { 'content-type': 'application/json; charset=utf-8', ...others } }
    if (reset === undefined) return answered
    const endsAt = Math.ceil(clock.wallTime().getTime() / 1_000) + Number(reset)
    return { ...answered, headers: { ...answered.headers, 'x-ratelimit-reset': String(endsAt) } }
  }
}

/** GitHub's client, with a GitHub of this process behind it. */
export function connectInProcess(github: InProcessGitHub): GitHub {
  const { clock, signal, token = GITHUB_TOKEN, redact = (text: string) => text, debug = () => undefined } = github
  const send = sendTo(github)
  const deadlineAt = clock.now() + DAY_MS
  const options = { token, apiUrl: `${BASE_URL}${API_PATH}`, env: {}, clock, signal, deadlineAt, debug, redact }
  const download: Download = async (url, take) => {
    const { status, body } = await send({ method: 'GET', url, headers: {} }, signal)
    if (status !== 200) throw new ActionError('rejected', `The log answered ${status}.`)
    take(body)
  }
  // At once: what it takes to load is no time of the clock's.
  const load = () => Promise.resolve(toolkit)
  return connectGitHub(options, createRequests(options, send, load), download)
}
