import { failureCause } from '../http/failure-cause.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Redact } from '../text/redact.ts'
import { safeLine } from '../text/safe-lines.ts'

/** What a request needs, so that a refusal can say what to grant. */
export interface Need {
  /** As it is written in a workflow, such as `checks: read`. */
  readonly permission: string
  /** `owner/name` */
  readonly repository: string
}

const LONGEST_QUOTE = 200
/** Says no more than the status does. */
const GENERIC = /^(?:not found|forbidden)?\.?$/i

interface Refusal {
  readonly status: number
  readonly message: string
  readonly isRateLimit: boolean
  readonly isAboutPermissions: boolean
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** Octokit wraps what `fetch` has wrapped. */
function causesOf(error: unknown, depth = 5): unknown[] {
  const cause = property(error, 'cause')
  return cause === undefined || depth === 0 ? [error] : [error, ...causesOf(cause, depth - 1)]
}

/** Whether a request was answered with this. */
export function hasStatus(error: unknown, status: number): boolean {
  return refusalOf(error)?.status === status
}

/** Whether a request was refused for what it is, and not for how many there were before it. */
export function isRefusal(error: unknown): boolean {
  const refusal = refusalOf(error)
  return (refusal?.status === 403 || refusal?.status === 404) && !refusal.isRateLimit
}

/** Octokit calls a request that got no answer a 500; only an answer makes it a refusal. */
function refusalOf(error: unknown): Refusal | undefined {
  const status = property(error, 'status')
  const response = property(error, 'response')
  if (typeof status !== 'number' || response === undefined) return undefined
  const said = property(property(response, 'data'), 'message')
  const message = typeof said === 'string' ? said : ''
  const headers = property(response, 'headers')
  const isLimited = property(headers, 'x-ratelimit-remaining') === '0' || /\brate limit\b/i.test(message)
  return {
    status,
    message,
    isRateLimit: status === 429 || (status === 403 && isLimited),
    isAboutPermissions:
      /\bresource not accessible by\b/i.test(message) ||
      // It names what the operation takes, and comes with refusals for other reasons too; those say their reason.
      (GENERIC.test(message) && property(headers, 'x-accepted-github-permissions') !== undefined),
  }
}

/** GitHub's own words first: a refusal has many reasons, and they name the one that it is. No Markdown gets through. */
function tell({ status, message }: Refusal, redact: Redact): string {
  const quote = safeLine(message, redact, LONGEST_QUOTE).replace(/[`<>[\]\\|*]/g, '')
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
        hint: 'Check what `github-token` is given from: a token may have expired.',
      })
    case 403:
      return new ActionError('forbidden', said, advice)
    case 404:
      return new ActionError('not-found', `${said} It is not there, or the token does not see it.`, {
        hint: `Check that it is there, and that \`github-token\` can see \`${need.repository}\`: the workflow's own token sees no private repository but its own.`,
        ...advice,
      })
    default:
      return new ActionError('rejected', said)
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
