import { failureCause } from '../http/failure-cause.ts'
import { ActionError } from '../runtime/errors.ts'
import { type Redact, safeLine } from '../text/redact.ts'
import type { Answer } from './octokit.ts'

/** What a request needs, so that a refusal can say what to grant. */
interface Need {
  /** As it is written in a workflow, such as `checks: read`. */
  readonly permission: string
  /** `owner/name` */
  readonly repository: string
}

const LONGEST_QUOTE = 200
/** Says no more than the status does. */
const GENERIC = /^(?:not found|forbidden)?\.?$/i

/** Without a word of GitHub's: it asks for a minute at least. */
const LIMIT_MS = 60_000

/** An answer that refuses. It stays inside this folder: `toActionError` makes of it what people read. */
export class Refusal extends Error {
  readonly status: number
  /** GitHub's own words; empty if there are none. */
  readonly said: string
  readonly isRateLimit: boolean
  readonly isAboutPermissions: boolean
  readonly #headers: Answer['headers']

  constructor({ status, headers, data }: Answer) {
    super(`GitHub answered ${status}.`)
    this.status = status
    this.said = messageIn(data)
    this.#headers = headers
    this.isRateLimit = status === 429 || (status === 403 && (this.#isUsedUp() || /\brate limit\b/i.test(this.said)))
    this.isAboutPermissions =
      /\bresource not accessible by\b/i.test(this.said) ||
      // It names what the operation takes, and comes with refusals for other reasons too; those say their reason.
      (GENERIC.test(this.said) && headers['x-accepted-github-permissions'] !== undefined)
  }

  /** How long a rate limit lasts, in milliseconds: a wait that it names, or until the hour of the token is over. */
  limitMs(now: Date): number {
    const seconds = Number(this.#headers['retry-after'])
    if (seconds > 0) return seconds * 1_000
    if (!this.#isUsedUp()) return LIMIT_MS
    // A second more, as the new hour has to have begun.
    const endsAt = Number(this.#headers['x-ratelimit-reset']) * 1_000 + 1_000
    const leftMs = endsAt - (Date.parse(this.#headers['date'] ?? '') || now.getTime())
    return Number.isNaN(leftMs) ? LIMIT_MS : Math.max(1_000, leftMs)
  }

  #isUsedUp(): boolean {
    return this.#headers['x-ratelimit-remaining'] === '0'
  }
}

function messageIn(data: unknown): string {
  const message = (data as { readonly message?: unknown } | null)?.message
  return typeof message === 'string' ? message : ''
}

/** Whether a request was answered with this. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof Refusal && error.status === status
}

/** Whether a request was refused for what it is, and not for how many there were before it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Refusal && (error.status === 403 || error.status === 404) && !error.isRateLimit
}

/** GitHub's own words first: a refusal has many reasons, and they name the one that it is. No Markdown gets through. */
function tell({ status, said }: Refusal, redact: Redact): string {
  const quote = safeLine(said, redact, LONGEST_QUOTE).replace(/[`<>[\]\\|*]/g, '')
  return quote === '' ? `GitHub answered ${status}.` : `GitHub says “${quote}” (${status}).`
}

function grantHint({ permission, repository }: Need): string {
  return `Grant \`${permission}\` under \`permissions\` of the job. If \`${repository}\` is not the workflow's own repository, give \`github-token\` a token that has it there.`
}

function refused(refusal: Refusal, need: Need, redact: Redact): ActionError {
  const { status, isRateLimit, isAboutPermissions } = refusal
  if (isRateLimit) return new ActionError('rate-limited', 'GitHub limits the rate of requests.')
  if (status >= 500) return new ActionError('service-error', `GitHub answered ${status}.`)
  const said = tell(refusal, redact)
  const advice = isAboutPermissions ? { hint: grantHint(need) } : {}
  switch (status) {
    case 401:
      return new ActionError('unauthorized', 'GitHub refused the token (401).', {
        hint: 'Check `github-token`: the token may have expired.',
      })
    case 403:
      return new ActionError('forbidden', said, advice)
    case 404:
      return new ActionError('not-found', `${said} It does not exist, or the token cannot see it.`, {
        hint: `Check that it exists, and that \`github-token\` can see \`${need.repository}\`: the workflow's own token sees no private repository but its own.`,
        ...advice,
      })
    default:
      return new ActionError('rejected', said)
  }
}

/**
 * Makes one of our errors of whatever a request to GitHub ended with. Of an answer nothing is kept but the status and one
 * line of GitHub's message.
 */
export function toActionError(error: unknown, need: Need, redact: Redact): ActionError {
  if (error instanceof ActionError) return error
  if (error instanceof Refusal) return refused(error, need, redact)
  if (failureCause(error) === 'untrusted')
    return new ActionError('untrusted', "GitHub's certificate is not trusted.", {
      hint: "Set `NODE_EXTRA_CA_CERTS` to the PEM file of your server's authority, in the environment of the runner or of the step.",
    })
  if (error instanceof TypeError) return new ActionError('bad-answer', 'GitHub gave an invalid answer.')
  return new ActionError('unreachable', 'GitHub could not be reached.', {
    hint: 'Check the proxy and the network of the runner, and `GITHUB_API_URL`.',
  })
}
