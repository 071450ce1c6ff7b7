import { failureCause } from '../network/failure-cause.ts'
import { ActionError } from '../shared/errors.ts'
import type { Redact } from '../shared/redact.ts'
import { safeLine } from '../shared/safe-text.ts'

/** What a request needs, so that a refusal can say what to grant. */
export interface Need {
  /** As it is written in a workflow, such as `checks: read`. */
  readonly permission: string
  /** `owner/name` */
  readonly repository: string
}

const LONGEST_QUOTE = 200

interface Refusal {
  readonly status: number
  readonly message: string
  readonly isRateLimit: boolean
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** Octokit wraps what `fetch` has wrapped. */
function causesOf(error: unknown, depth = 5): unknown[] {
  const cause = property(error, 'cause')
  return cause === undefined || depth === 0 ? [error] : [error, ...causesOf(cause, depth - 1)]
}

/** Octokit calls a request that got no answer a 500; only an answer makes it a refusal. */
function refusalOf(error: unknown): Refusal | undefined {
  const status = property(error, 'status')
  const response = property(error, 'response')
  if (typeof status !== 'number' || response === undefined) return undefined
  const said = property(property(response, 'data'), 'message')
  const message = typeof said === 'string' ? said : ''
  const remaining = property(property(response, 'headers'), 'x-ratelimit-remaining')
  const isLimited = remaining === '0' || /\brate limit\b/i.test(message)
  return { status, message, isRateLimit: status === 429 || (status === 403 && isLimited) }
}

function quoteOf(message: string, redact: Redact): { quote?: string } {
  const quote = safeLine(message, redact, LONGEST_QUOTE)
  return quote === '' ? {} : { quote }
}

function grantHint({ permission, repository }: Need): string {
  return `Grant \`${permission}\` under \`permissions\` of the job; for a repository other than the workflow's own, give \`github-token\` a token that has it in ${repository}.`
}

function refused({ status, message, isRateLimit }: Refusal, need: Need, redact: Redact): ActionError {
  if (isRateLimit) return new ActionError('rate-limited', 'GitHub limits the rate of requests.')
  if (status >= 500) return new ActionError('service-error', `GitHub answered ${status}.`)
  switch (status) {
    case 401:
      return new ActionError('unauthorized', 'GitHub refused the token (401).', {
        hint: 'Check what `github-token` is given from: a token may have expired.',
      })
    case 403:
      return new ActionError('forbidden', `the token has no \`${need.permission}\` in ${need.repository} (403).`, {
        hint: grantHint(need),
      })
    case 404:
      return new ActionError(
        'not-found',
        `GitHub does not show this to the token (404): it is not there, or the token has no \`${need.permission}\` in ${need.repository}.`,
        { hint: grantHint(need) },
      )
    default:
      return new ActionError('rejected', `GitHub answered ${status}.`, quoteOf(message, redact))
  }
}

/**
 * Makes one of our errors of whatever a request to GitHub ended with. Octokit's own errors hold the request with its token,
 * so nothing of them is kept but the status and one line of GitHub's message.
 */
export function toActionError(error: unknown, need: Need, redact: Redact): ActionError {
  if (error instanceof ActionError) return error
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refused(refusal, need, redact)
  if (causesOf(error).some((cause) => failureCause(cause) === 'untrusted'))
    return new ActionError('untrusted', "GitHub's certificate is not trusted.", {
      hint: "Set `NODE_EXTRA_CA_CERTS` to the PEM file of your server's authority, in the environment of the runner or of the step.",
    })
  if (error instanceof TypeError) return new ActionError('bad-answer', 'GitHub gave an answer that makes no sense.')
  return new ActionError('unreachable', 'GitHub could not be reached.', {
    hint: 'Check the proxy and the network of the runner, and `GITHUB_API_URL`.',
  })
}
