/** What is asked of the service (section 4 of its interface), for words that fit it. The ids were checked. */
export interface Operation {
  readonly kind: 'create' | 'message' | 'read' | 'visitors'
  readonly projectId: string
  /** Of a message or a read. */
  readonly jobId?: string
}

interface OperationWords {
  /** What the service may not like in the request, besides its address. */
  readonly sent: string
  readonly payment: string
  readonly scope: string
  readonly patience: string
}

const WRONG_ADDRESS = 'Check `base-url`: it may be the address of something else.'
const CREDITS = "Check the plan and the credits on the service's dashboard."
const PLAN = "Check the plan on the service's dashboard."

const WORDS: Readonly<Record<Operation['kind'], OperationWords>> = {
  create: {
    sent: 'the prompt, ',
    payment: CREDITS,
    scope: 'a new job needs write access',
    patience: 'Try again later, or start fewer jobs.',
  },
  message: {
    sent: 'the prompt, ',
    payment: CREDITS,
    scope: 'a follow-up needs write access',
    patience: 'Try again later, or send fewer prompts.',
  },
  read: {
    sent: '',
    payment: PLAN,
    scope: 'it must be able to read jobs',
    patience: 'Try again later, or give a longer `poll-interval-seconds`.',
  },
  visitors: {
    sent: '`date-from`, `date-to`, ',
    payment: PLAN,
    scope: 'it must be able to read analytics',
    patience:
      'Run it later, allow more time in `timeout-minutes`, or export fewer days. 250 pages of a site take one request.',
  },
}

const sendsPrompt = ({ kind }: Operation): boolean => kind === 'create' || kind === 'message'

/** What an operation asks for, in words: what a 404 says is not there. */
export function nameAsked({ projectId, jobId }: Operation): string {
  return jobId === undefined ? `project ${projectId}` : `job ${jobId} in project ${projectId}`
}

/** What to do about a refusal (section 7 of the interface), by its status. */
export function adviseOn(status: number, operation: Operation): string {
  const { sent, payment, scope, patience } = WORDS[operation.kind]
  const address = `\`project-id\`${operation.jobId === undefined ? '' : ', `job-id`'} and \`base-url\``
  switch (status) {
    case 400:
    case 422:
      return `Check ${sent}${address}.`
    case 401:
      return 'Check that the secret holds a current admin API key of this project. Keys can expire.'
    case 402:
      return payment
    case 403:
      return `Check the scope of the key (${scope}) and whether it is limited to some addresses.`
    case 404:
      return `Check ${address}.`
    case 405:
    case 415:
      return WRONG_ADDRESS
    case 413:
      return sendsPrompt(operation) ? 'Shorten the prompt.' : WRONG_ADDRESS
    case 429:
      return patience
    default:
      return 'Try again later.'
  }
}
