import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import { type Redact, safeLine } from '../text/redact.ts'
import { adviseOn, nameAsked, type Operation } from './operation.ts'
import { parseBody, refusalSchema } from './schemas.ts'
import type { WireAnswer, WireFailure, WireResult } from './transport.ts'

const LONGEST_QUOTE = 300

interface Refusal {
  readonly code: ErrorCode
  readonly what: string
}

const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { code: 'rejected', what: 'rejected the request' },
  401: { code: 'unauthorized', what: 'refused the key' },
  402: { code: 'rejected', what: 'asks for payment' },
  403: { code: 'forbidden', what: 'says that this key may not do this' },
  404: { code: 'not-found', what: 'knows no' },
  405: { code: 'rejected', what: 'does not offer this' },
  413: { code: 'rejected', what: 'finds the request too large' },
  415: { code: 'rejected', what: 'does not take JSON here' },
  422: { code: 'rejected', what: 'cannot process the request' },
  425: { code: 'rate-limited', what: 'asks to try again later' },
  429: { code: 'rate-limited', what: 'limits the rate of requests' },
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

function refusalFor(status: number): Refusal {
  const known = REFUSALS[status]
  if (known !== undefined) return known
  if (isRedirect(status)) return { code: 'redirected', what: 'redirects to another address, which is not followed' }
  return { code: status >= 500 || status === 408 ? 'service-error' : 'rejected', what: 'failed' }
}

/** What to do where something else than the service may have answered. */
export function adviseOnAddress({ redirectHost }: WireAnswer, redact: Redact): string {
  const leadsTo = redirectHost === undefined ? '' : ` It redirects to \`${redact(redirectHost)}\`.`
  return `Check \`base-url\`: a proxy or a login page may answer instead of the service.${leadsTo}`
}

/** An answer that the service's interface does not know. */
export function badAnswer(answer: WireAnswer, redact: Redact): ActionError {
  return new ActionError('bad-answer', `The service gave an invalid answer (${answer.status}).`, {
    hint: adviseOnAddress(answer, redact),
  })
}

interface Failure extends Refusal {
  readonly hint: string
}

const FAILURES: Readonly<Record<WireFailure['cause'], Failure>> = {
  'no-connection': {
    code: 'unreachable',
    what: 'could not be reached',
    hint: "Check `base-url`, the runner's network and its proxy settings.",
  },
  untrusted: {
    code: 'untrusted',
    what: 'could not be reached, because its certificate is not trusted',
    hint: 'Behind a private certificate authority, point the environment variable `NODE_EXTRA_CA_CERTS` to its certificate.',
  },
  'not-tls': {
    code: 'untrusted',
    what: 'could not be reached, because what answers there does not speak TLS',
    hint: 'Check the port in `base-url`: it takes plain `http:` or another protocol, and no `https:`.',
  },
  'proxy-refused': {
    code: 'proxy',
    what: 'could not be reached, because the proxy refused',
    hint: 'Check the address and the credentials in `HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`.',
  },
  invalid: {
    code: 'rejected',
    what: 'was not asked, because the request cannot be sent as it is',
    hint: 'Check `base-url` and the proxy settings.',
  },
  timeout: {
    code: 'unreachable',
    what: 'did not answer in time',
    hint: "Check the service's state, the runner's network and its proxy settings.",
  },
  cancelled: { code: 'cancelled', what: 'was not asked again, because the run was cancelled', hint: '' },
  broken: {
    code: 'unreachable',
    what: 'did not answer, because the connection broke',
    hint: "Check the service's state, the runner's network and its proxy settings.",
  },
}

/** Why what was asked was not done, and what to do about it. */
export function errorOfResult(result: WireResult, operation: Operation, redact: Redact): ActionError {
  if (result.kind === 'failure') {
    const { code, what, hint } = FAILURES[result.cause]
    const name = result.code === undefined ? '' : ` (${result.code})`
    return new ActionError(code, `The service ${what}${name}.`, { hint })
  }
  const { status, body, retryAfterMs } = result
  const said = parseBody(refusalSchema, body)
  // That a job is gone is what another job begins on, and gateways have pages for what they do not find.
  if (operation.kind === 'read' && status === 404 && said === undefined) return badAnswer(result, redact)
  const { code, what } = refusalFor(status)
  const thing = code === 'not-found' ? ` ${nameAsked(operation)}` : ''
  return new ActionError(code, `The service ${what}${thing} (${status}).`, {
    hint: isRedirect(status) ? adviseOnAddress(result, redact) : adviseOn(status, operation),
    quote: safeLine(said?.error ?? '', redact, LONGEST_QUOTE) || undefined,
    retryAfterMs,
  })
}
