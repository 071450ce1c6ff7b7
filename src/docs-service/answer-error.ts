import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import { type Redact, safeLine } from '../text/redact.ts'
import { parseBody, refusalSchema } from './schemas.ts'
import type { WireAnswer, WireFailure, WireResult } from './transport.ts'

const LONGEST_QUOTE = 300

/** What is asked of the service (section 4 of its interface), for words that fit it. The ids were checked. */
export interface Operation {
  readonly kind: 'create' | 'message' | 'read' | 'visitors'
  readonly projectId: string
  /** Of a message or a read. */
  readonly jobId?: string
}

const WRONG_ADDRESS = 'Check `base-url`: it may be the address of something else.'

interface OperationWords {
  /** What the service may not like in the request, besides its address. */
  readonly sent: string
  readonly payment: string
  readonly scope: string
  readonly tooLarge: string
  readonly patience: string
}

const PROMPT = {
  sent: 'the prompt, ',
  payment: "Check the plan and the credits on the service's dashboard.",
  tooLarge: 'Shorten the prompt.',
}
const READ = { sent: '', payment: "Check the plan on the service's dashboard.", tooLarge: WRONG_ADDRESS }

const WORDS: Readonly<Record<Operation['kind'], OperationWords>> = {
  create: { ...PROMPT, scope: 'a new job needs write access', patience: 'Try again later, or start fewer jobs.' },
  message: { ...PROMPT, scope: 'a follow-up needs write access', patience: 'Try again later, or send fewer prompts.' },
  read: {
    ...READ,
    scope: 'it must be able to read jobs',
    patience: 'Try again later, or give a longer `poll-interval-seconds`.',
  },
  visitors: {
    ...READ,
    sent: '`date-from`, `date-to`, ',
    scope: 'it must be able to read analytics',
    patience:
      'Run it later, allow more time in `timeout-minutes`, or export fewer days. 250 pages of a site take one request.',
  },
}

/** What to do about it; `address` names the inputs that say where to ask. */
type Advise = (words: OperationWords & { readonly address: string }) => string

const later: Advise = () => 'Try again later.'
const wrongAddress: Advise = () => WRONG_ADDRESS
const checkSent: Advise = ({ sent, address }) => `Check ${sent}${address}.`
const checkScope: Advise = ({ scope }) =>
  `Check the scope of the key (${scope}) and whether it is limited to some addresses.`
const checkKey: Advise = () => 'Check that the secret holds a current admin API key of this project. Keys can expire.'

/** What became of a request, behind "The service". */
interface Refusal {
  readonly code: ErrorCode
  readonly what: string
  readonly advise: Advise
}

/** By status: section 7 of the interface leaves open which there are. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { code: 'rejected', what: 'rejected the request', advise: checkSent },
  401: { code: 'unauthorized', what: 'refused the key', advise: checkKey },
  402: { code: 'rejected', what: 'asks for payment', advise: ({ payment }) => payment },
  403: { code: 'forbidden', what: 'says that this key may not do this', advise: checkScope },
  404: { code: 'not-found', what: 'knows no', advise: ({ address }) => `Check ${address}.` },
  405: { code: 'rejected', what: 'does not offer this', advise: wrongAddress },
  413: { code: 'rejected', what: 'finds the request too large', advise: ({ tooLarge }) => tooLarge },
  415: { code: 'rejected', what: 'does not take JSON here', advise: wrongAddress },
  422: { code: 'rejected', what: 'cannot process the request', advise: checkSent },
  425: { code: 'rate-limited', what: 'asks to try again later', advise: later },
  429: { code: 'rate-limited', what: 'limits the rate of requests', advise: ({ patience }) => patience },
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

function refusalFor(status: number): Refusal {
  if (isRedirect(status))
    return { code: 'redirected', what: 'redirects to another address, which is not followed', advise: later }
  const code = status >= 500 || status === 408 ? 'service-error' : 'rejected'
  return REFUSALS[status] ?? { code, what: 'failed', advise: later }
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

interface Failure extends Omit<Refusal, 'advise'> {
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
  const { code, what, advise } = refusalFor(status)
  const { kind, projectId, jobId } = operation
  const asked = jobId === undefined ? `project ${projectId}` : `job ${jobId} in project ${projectId}`
  const address = `\`project-id\`${jobId === undefined ? '' : ', `job-id`'} and \`base-url\``
  return new ActionError(code, `The service ${what}${code === 'not-found' ? ` ${asked}` : ''} (${status}).`, {
    hint: isRedirect(status) ? adviseOnAddress(result, redact) : advise({ ...WORDS[kind], address }),
    quote: safeLine(said?.error ?? '', redact, LONGEST_QUOTE) || undefined,
    retryAfterMs,
  })
}
