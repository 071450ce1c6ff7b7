import { ActionError, type ErrorCode } from '../shared/errors.ts'
import type { Redact } from '../shared/redact.ts'
import { safeLine } from '../shared/safe-text.ts'
import type { WireAnswer, WireFailure, WireResult } from './transport.ts'

const LONGEST_QUOTE = 300

interface Refusal {
  readonly code: ErrorCode
  readonly what: string
  readonly hint: string
}

const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { code: 'rejected', what: 'rejected the request', hint: 'Check the prompt and the ids that were given.' },
  401: {
    code: 'unauthorized',
    what: 'refused the key',
    hint: 'Check that the secret holds a current admin API key of this project. Keys can expire.',
  },
  402: {
    code: 'rejected',
    what: 'asks for payment',
    hint: "Check the plan and the credits on the service's dashboard.",
  },
  403: {
    code: 'forbidden',
    what: 'says that this key may not do this',
    hint: 'Check the scope of the key (an agent job needs write access) and whether it is limited to some addresses.',
  },
  404: { code: 'not-found', what: 'does not know this', hint: 'Check `project-id`, `job-id` and `base-url`.' },
  405: { code: 'rejected', what: 'does not offer this', hint: 'Check `base-url`: it may lead to something else.' },
  413: { code: 'rejected', what: 'finds the prompt too large', hint: 'Shorten the prompt.' },
  415: { code: 'rejected', what: 'does not take JSON here', hint: 'Check `base-url`: it may lead to something else.' },
  422: { code: 'rejected', what: 'cannot process the request', hint: 'Check the prompt and the ids that were given.' },
  425: { code: 'rate-limited', what: 'asks to come back later', hint: 'Try again later.' },
  429: { code: 'rate-limited', what: 'limits the rate of requests', hint: 'Try again later, or start fewer jobs.' },
}

function refusalFor(status: number): Refusal {
  const known = REFUSALS[status]
  if (known !== undefined) return known
  if (status >= 300 && status < 400) {
    return {
      code: 'redirected',
      what: 'redirects to another address, which is not followed',
      hint: 'Set `base-url` to the address that the service really has.',
    }
  }
  const code = status >= 500 || status === 408 ? 'service-error' : 'rejected'
  return { code, what: 'failed', hint: 'Try again later.' }
}

/** What the service itself says (section 7 leaves its shape open), made safe to show. */
function quoteOf(body: string, redact: Redact): string | undefined {
  try {
    const error = (JSON.parse(body) as { error?: unknown } | null)?.error
    if (typeof error !== 'string') return undefined
    const quote = safeLine(error, redact, LONGEST_QUOTE)
    return quote === '' ? undefined : quote
  } catch {
    return undefined
  }
}

export function errorOfAnswer({ status, body, retryAfterMs }: WireAnswer, redact: Redact): ActionError {
  const { code, what, hint } = refusalFor(status)
  const quote = quoteOf(body, redact)
  return new ActionError(code, `The service ${what} (${status}).`, {
    hint,
    ...(quote === undefined ? {} : { quote }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

const FAILURES: Readonly<Record<WireFailure['cause'], Refusal>> = {
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
  cancelled: { code: 'cancelled', what: 'was not asked any more, because the run was cancelled', hint: '' },
  broken: {
    code: 'unreachable',
    what: 'could not be heard, because the connection broke',
    hint: "Check the service's state, the runner's network and its proxy settings.",
  },
}

export function errorOfFailure({ cause, code: name }: WireFailure): ActionError {
  const { code, what, hint } = FAILURES[cause]
  return new ActionError(code, `The service ${what}${name === undefined ? '' : ` (${name})`}.`, { hint })
}

export function errorOfResult(result: WireResult, redact: Redact): ActionError {
  return result.kind === 'answer' ? errorOfAnswer(result, redact) : errorOfFailure(result)
}
