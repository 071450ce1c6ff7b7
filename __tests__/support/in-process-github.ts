import { getOctokit } from '@actions/github'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { API_PATH } from '../../src/emulator/github/github.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import { refuseNonAnswers, splitRepository, type AskGitHub } from '../../src/github/ask-github.ts'
import { createBoundedFetch, type Fetch } from '../../src/github/bounded-fetch.ts'
import { createConditionalRequests } from '../../src/github/conditional-requests.ts'
import { connectResources } from '../../src/github/connect-github.ts'
import type { GitHub } from '../../src/github/github.ts'
import type { Download } from '../../src/github/download.ts'
import { toActionError } from '../../src/github/github-error.ts'
import { createFollowingFetch } from '../../src/github/redirects.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { withDeadline } from '../../src/runtime/deadline.ts'
import { ActionError } from '../../src/runtime/errors.ts'

/** What the addresses in the world begin with. */
export const BASE_URL = 'https://git.example.com'

const NO_CHANGE = (text: string): string => text

export interface InProcessGitHub {
  readonly handle: (request: ServiceRequest) => ServiceResponse
  readonly clock: Clock
  readonly signal: AbortSignal
  /** How long the way to the server takes, and the way back, in milliseconds. */
  readonly latencyMs?: () => number
}

async function* bytesOf(body: string): AsyncGenerator<Uint8Array> {
  if (body !== '') yield await Promise.resolve(Buffer.from(body))
}

/** As `fetch` does: a GET is sent on to wherever it is redirected, unless that is to be left to the caller. */
function fetchFrom({ handle, clock, latencyMs = () => 0 }: InProcessGitHub): Fetch {
  return async function ask(url, init) {
    const { method = 'GET', signal } = init
    const headers = Object.fromEntries(new Headers(init.headers as Record<string, string>))
    await clock.sleep(latencyMs(), signal ?? undefined)
    const body = typeof init.body === 'string' ? init.body : ''
    const answer = handle({ method, target: url.slice(BASE_URL.length), headers, body })
    if (answer.delivery === 'never') await clock.sleep(Infinity, signal ?? undefined)
    await clock.sleep(latencyMs() + (answer.delayMs ?? 0), signal ?? undefined)
    if (answer.delivery !== 'whole') throw new Error('The connection was reset.')
    const { location } = answer.headers
    const isSentOn = answer.status >= 300 && answer.status < 400 && location !== undefined && init.redirect !== 'manual'
    if (isSentOn) return ask(location, init)
    return {
      ...{ status: answer.status, statusText: '', url },
      ...{ headers: Object.entries(answer.headers), body: bytesOf(answer.body) },
    }
  }
}

/** GitHub's client but for those plugins whose timers no clock of ours moves, with a GitHub of this process behind it. */
export function connectInProcess(github: InProcessGitHub): GitHub {
  const { clock } = github
  const fetch = createFollowingFetch(fetchFrom(github))
  const { plugin, usage } = createConditionalRequests()

  function until(deadlineAt: number, signal = github.signal): GitHub {
    const closed = new AbortController()
    const bounded = createBoundedFetch(fetch, clock, AbortSignal.any([signal, closed.signal]))
    const options = { baseUrl: `${BASE_URL}${API_PATH}`, request: { fetch: bounded } }
    const octokit = getOctokit(GITHUB_TOKEN, options, plugin, refuseNonAnswers)

    const timedOut = (): Error => {
      const error = new ActionError('deadline', 'The time ran out before GitHub had answered.')
      closed.abort(error)
      return error
    }

    const ask: AskGitHub = async (need, call) => {
      signal.throwIfAborted()
      try {
        if (deadlineAt === Infinity) return await call(octokit, splitRepository(need.repository))
        const limits = { clock, signal, timeoutMs: deadlineAt - clock.now(), timedOut }
        return await withDeadline(() => call(octokit, splitRepository(need.repository)), limits)
      } catch (error) {
        signal.throwIfAborted()
        throw toActionError(error, need, NO_CHANGE)
      }
    }
    const download: Download = async (url, take) => {
      const answer = await bounded(url.href, {})
      if (answer.status !== 200) throw new ActionError('rejected', `The log answered ${answer.status}.`)
      take(await answer.text())
    }
    return {
      ...connectResources(ask, download, NO_CHANGE),
      ...{ usage, until: (own, end = signal) => until(own, end) },
    }
  }
  return until(Infinity)
}
