import type { Clock } from '../runtime/clock.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepAloud } from '../runtime/heartbeat.ts'
import type { Redact } from '../text/redact.ts'
import { joinSentences } from '../text/sentences.ts'
import { adviseOnAddress, decidePost, errorOfResult, type Operation } from './answer-meaning.ts'
import { getRetryDelayMs, namingTheTime } from './retry.ts'
import { acceptedJobSchema, parseBody, type Job } from './schemas.ts'
import type { Transport, WireAnswer, WireResult } from './transport.ts'

export interface PromptSender {
  readonly transport: Transport
  readonly clock: Clock
  readonly redact: Redact
  readonly signal: AbortSignal
  /** On the clock's own scale, in milliseconds: no request outlives it by more than the grace of the last read. */
  readonly deadlineAt: number
  /** The time from the step's start to its deadline, in milliseconds. */
  readonly totalMs: number
  readonly random: () => number
  readonly log: (line: string) => void
  /** How many requests of the step were refused in a row. */
  readonly refusals: () => number
}

/** A prompt that could not be delivered is tried this often in all. */
const MOST_ATTEMPTS = 3
const POST_TIMEOUT_MS = 60_000
/** The time that a prompt leaves for its response, in milliseconds; if less, a share of the step's time. */
const RESPONSE_MS = 10_000
const RESPONSE_SHARE = 1 / 10
/** A cancelled run waits this long for the answer to a prompt that is on its way, to learn the job's id. */
const CANCEL_GRACE_MS = 1_000

const UNKNOWN_FATE_HINT =
  "Before you run it again, look for the job on the service's dashboard, or for its pull request in the documentation's repository."

/** "Try again later" would be a second job, so of what an error advises only a wrong address is passed on. */
function mayHaveTaken({ code, message, hint, quote }: ActionError): ActionError {
  const advice = code === 'redirected' || code === 'bad-answer' ? hint : undefined
  const text = `It is not known whether the service accepted the prompt: the job may exist. ${message}`
  return new ActionError('unknown-fate', text, { hint: joinSentences([UNKNOWN_FATE_HINT, advice]), quote })
}

/** Nothing was contacted, so that the step ran out of time and no more. */
function nothingSentInTime({ message, hint }: ActionError): ActionError {
  const text = `The deadline passed before the prompt could be sent. ${message}`
  return new ActionError('deadline', text, { hint })
}

/** A prompt without a response would leave a job behind that nobody knows. */
function noTimeForResponse(): ActionError {
  const text = 'The prompt was not sent: too little time was left for its response before the deadline.'
  return new ActionError('deadline', text, { hint: 'Allow more time in `timeout-minutes`.' })
}

/** A prompt on its way is not dropped the moment a run is cancelled: its answer names the job that now runs. */
async function sendPatiently(path: string, body: string, sender: PromptSender): Promise<WireResult> {
  const { transport, clock, signal, deadlineAt } = sender
  const timeoutMs = Math.max(0, Math.min(POST_TIMEOUT_MS, deadlineAt - clock.now()))
  const end = new AbortController()
  const giveUp = async (): Promise<void> => {
    await clock.sleep(CANCEL_GRACE_MS, end.signal)
    end.abort(signal.reason)
  }
  signal.addEventListener('abort', () => void giveUp().catch(() => undefined), { once: true, signal: end.signal })
  try {
    return await transport({ method: 'POST', path, body, timeoutMs }, end.signal)
  } finally {
    end.abort()
  }
}

/** The job that an answer tells of, be it the one that was asked. */
function accept(answer: WireAnswer, { jobId }: Operation, redact: Redact): Job {
  const job = parseBody(acceptedJobSchema, answer.body)
  if (job !== undefined && (jobId === undefined || job.id === jobId)) return job
  const text = `The service answered ${answer.status} without a valid job id.`
  throw mayHaveTaken(new ActionError('bad-answer', text, { hint: adviseOnAddress(answer, redact) }))
}

/** Creates a job or sends a message, as `DocsServiceClient` says. */
export async function sendPrompt(
  sender: PromptSender,
  operation: Operation,
  prompt: string,
  beforeAgain?: () => Promise<void>,
): Promise<Job> {
  const { clock, redact, signal, deadlineAt, random, log, refusals } = sender
  const body = JSON.stringify({ prompt })
  const responseMs = Math.min(RESPONSE_MS, sender.totalMs * RESPONSE_SHARE)
  const getTimeToSendMs = (): number => deadlineAt - responseMs - clock.now()
  for (let attempt = 1; ; attempt++) {
    // A signal of the process is heard only when the loop turns, and a prompt that was sent cannot be taken back.
    await clock.turn()
    signal.throwIfAborted()
    if (getTimeToSendMs() < 0) throw noTimeForResponse()
    const result = await sendPatiently(operation.path, body, sender)
    const decision = decidePost(result)
    if (decision === 'accepted') return accept(result as WireAnswer, operation, redact)
    const error = errorOfResult(result, operation, redact)
    if (decision === 'unknown') throw mayHaveTaken(error)
    const leftMs = deadlineAt - clock.now()
    const isTimeout = result.kind === 'failure' && result.cause === 'timeout'
    if (decision === 'stop') throw isTimeout && leftMs < 1 ? nothingSentInTime(error) : error
    if (decision === 'again' && attempt >= MOST_ATTEMPTS) throw error
    const timeToSendMs = getTimeToSendMs()
    const delayMs = getRetryDelayMs(error, attempt, { refusals: refusals(), leftMs: timeToSendMs, random: random() })
    if (delayMs >= timeToSendMs) throw decision === 'again' ? nothingSentInTime(error) : namingTheTime(error, clock)
    log(`${describeError(error)} Nothing was processed; sending the prompt again in ${Math.ceil(delayMs / 1000)} s.`)
    await sleepAloud(delayMs, sender)
    await beforeAgain?.()
  }
}
