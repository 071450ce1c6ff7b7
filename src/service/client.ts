import type * as z from 'zod/mini'
import type { Clock } from '../shared/clock.ts'
import { ActionError, describeError } from '../shared/errors.ts'
import type { Redact } from '../shared/redact.ts'
import { joinSentences } from '../shared/sentences.ts'
import { adviseOnAddress, errorOfResult } from './answer-error.ts'
import type { Operation } from './operation.ts'
import { namingTheTime } from './read-again.ts'
import { decidePost, MAX_POST_ATTEMPTS, postDelayMs } from './retry.ts'
import { acceptedJobSchema, jobSchema, visitorsPageSchema, type Job, type VisitorsPage } from './schemas.ts'
import type { Transport, WireAnswer, WireResult } from './transport.ts'

export interface VisitorsQuery {
  /** Inclusive, `YYYY-MM-DD` or ISO 8601. */
  readonly dateFrom?: string
  /** Exclusive, `YYYY-MM-DD` or ISO 8601. */
  readonly dateTo?: string
  /** Rows a page, 1 to 250. */
  readonly limit?: number
  /** Rows to skip. */
  readonly offset?: number
}

/** One method per operation of the service's interface. All of them throw `ActionError` and nothing else. */
export interface DocsServiceClient {
  /**
   * Section 4.1. Sends the prompt again only where nothing of it was processed.
   * @throws ActionError `unknown-fate` if a job may exist although no answer proves it
   */
  createJob(prompt: string): Promise<Job>
  /**
   * Section 4.2. As `createJob`.
   * @param beforeAgain after the wait, before the prompt is sent again: what it throws ends the sending
   */
  sendMessage(jobId: string, prompt: string, beforeAgain?: () => Promise<void>): Promise<Job>
  /**
   * Section 4.3. One attempt: whoever polls decides what a failed read means.
   * @param endsAt when the answer is of no use any more, on the clock's scale; by default the deadline
   */
  getJob(jobId: string, endsAt?: number): Promise<Job>
  /** Section 4.4. One attempt, one page. */
  getVisitors(query: VisitorsQuery): Promise<VisitorsPage>
}

export interface ClientOptions {
  readonly transport: Transport
  readonly projectId: string
  readonly clock: Clock
  readonly redact: Redact
  readonly signal: AbortSignal
  /** On the clock's own scale, in milliseconds: no request outlives it by more than the grace of the last read. */
  readonly deadlineAt: number
  readonly random: () => number
  readonly log: (line: string) => void
}

const READ_TIMEOUT_MS = 30_000
const POST_TIMEOUT_MS = 60_000
const HEARTBEAT_MS = 60_000
/** The last look at a job starts at the deadline, and has to end soon. */
const LAST_READ_GRACE_MS = 1_000
/** A cancelled run waits this long for the answer to a prompt that is on its way, to learn the job's id. */
const CANCEL_GRACE_MS = 1_000

const UNKNOWN_FATE_HINT =
  "Do not simply run it again. Look for the job on the service's dashboard, or for its pull request in the documentation's repository, first."

function parseBody<T>(schema: z.ZodMiniType<T>, { body }: WireAnswer): T | undefined {
  // Both JSON.parse and zod quote what they read in their errors, so neither error is kept.
  try {
    return schema.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

function isSuccess(result: WireResult): result is WireAnswer {
  return result.kind === 'answer' && result.status >= 200 && result.status < 300
}

function isTimeout(result: WireResult): boolean {
  return result.kind === 'failure' && result.cause === 'timeout'
}

function unknownFate({ message, hint, quote }: Pick<ActionError, 'message' | 'hint' | 'quote'>): ActionError {
  return new ActionError(
    'unknown-fate',
    `It is not known whether the service took the prompt: the job may exist. ${message}`,
    {
      hint: joinSentences([UNKNOWN_FATE_HINT, hint]),
      quote,
    },
  )
}

/** Nothing was contacted, so that the step ran out of time and no more. */
function nothingSentInTime({ message, hint }: ActionError): ActionError {
  return new ActionError(
    'deadline',
    `The deadline passed before the prompt was sent, so the service was asked for nothing. ${message}`,
    { hint },
  )
}

/** "Try again later" would be a second job, so of what an error advises only a wrong address is passed on. */
function mayHaveTaken({ code, message, hint, quote }: ActionError): ActionError {
  return unknownFate({ message, hint: code === 'redirected' ? hint : undefined, quote })
}

export function createClient(options: ClientOptions): DocsServiceClient {
  const { transport, projectId, clock, redact, signal, deadlineAt, random, log } = options
  const jobsPath = `/v2/agent/${projectId}/job`

  async function read<T>(
    operation: Operation,
    path: string,
    schema: z.ZodMiniType<T>,
    isWanted: (data: T) => boolean,
    endsAt = deadlineAt,
  ): Promise<T> {
    const leftMs = endsAt - clock.now() + LAST_READ_GRACE_MS
    const timeoutMs = Math.max(LAST_READ_GRACE_MS, Math.min(READ_TIMEOUT_MS, leftMs))
    const result = await transport.send({ method: 'GET', path, timeoutMs }, signal)
    if (!isSuccess(result)) throw errorOfResult(result, operation, redact)
    const data = parseBody(schema, result)
    if (data === undefined || !isWanted(data)) {
      throw new ActionError('bad-answer', `The service gave an answer that makes no sense (${result.status}).`, {
        hint: adviseOnAddress(result, redact),
      })
    }
    return data
  }

  /** A prompt on its way is not dropped the moment a run is cancelled: its answer names the job that now runs. */
  function patientSignal(done: AbortSignal): AbortSignal {
    const patient = new AbortController()
    const wait = (): void => {
      clock.sleep(CANCEL_GRACE_MS, done).then(
        () => {
          patient.abort(signal.reason)
        },
        () => undefined,
      )
    }
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true, signal: done })
    return patient.signal
  }

  async function sendOnce(path: string, body: string): Promise<WireResult> {
    const timeoutMs = Math.max(0, Math.min(POST_TIMEOUT_MS, deadlineAt - clock.now()))
    const done = new AbortController()
    try {
      return await transport.send({ method: 'POST', path, body, timeoutMs }, patientSignal(done.signal))
    } finally {
      done.abort()
    }
  }

  function accept(answer: WireAnswer, isWanted: (job: Job) => boolean): Job {
    const job = parseBody(acceptedJobSchema, answer)
    if (job === undefined || !isWanted(job)) {
      throw unknownFate({
        message: `The service answered ${answer.status} without a valid job id.`,
        hint: adviseOnAddress(answer, redact),
        quote: undefined,
      })
    }
    return job
  }

  /** A service may ask for much patience, and a step that says nothing for long looks like one that hangs. */
  async function pause(endsAt: number): Promise<void> {
    for (let leftMs = endsAt - clock.now(); leftMs > 0; leftMs = endsAt - clock.now()) {
      await clock.sleep(Math.min(leftMs, HEARTBEAT_MS), signal)
      if (clock.now() < endsAt) log(`Sending the prompt again in ${Math.ceil((endsAt - clock.now()) / 1000)} s.`)
    }
  }

  async function post(
    operation: Operation,
    path: string,
    prompt: string,
    isWanted: (job: Job) => boolean,
    beforeAgain?: () => Promise<void>,
  ): Promise<Job> {
    const body = JSON.stringify({ prompt })
    for (let attempt = 1; ; attempt++) {
      // A signal of the process is heard only when the loop turns, and a prompt that was sent cannot be taken back.
      await clock.turn()
      signal.throwIfAborted()
      const result = await sendOnce(path, body)
      const decision = decidePost(result)
      if (decision === 'accepted') return accept(result as WireAnswer, isWanted)
      const error = errorOfResult(result, operation, redact)
      if (decision === 'unknown') throw mayHaveTaken(error)
      if (decision === 'stop' && isTimeout(result) && deadlineAt - clock.now() < 1) throw nothingSentInTime(error)
      if (decision === 'stop' || (decision === 'again' && attempt >= MAX_POST_ATTEMPTS)) throw error
      const delayMs = postDelayMs(result, attempt, random())
      if (clock.now() + delayMs >= deadlineAt)
        throw decision === 'again' ? nothingSentInTime(error) : namingTheTime(error, clock)
      log(`${describeError(error)} Nothing was processed; sending the prompt again in ${Math.ceil(delayMs / 1000)} s.`)
      await pause(clock.now() + delayMs)
      await beforeAgain?.()
    }
  }

  return {
    createJob: (prompt) => post({ kind: 'create', projectId }, jobsPath, prompt, () => true),
    sendMessage(jobId, prompt, beforeAgain) {
      const operation = { kind: 'message', projectId, jobId } as const
      return post(operation, `${jobsPath}/${jobId}/message`, prompt, ({ id }) => id === jobId, beforeAgain)
    },
    getJob(jobId, endsAt) {
      const operation = { kind: 'read', projectId, jobId } as const
      return read(operation, `${jobsPath}/${jobId}`, jobSchema, ({ id }) => id === jobId, endsAt)
    },
    getVisitors(query) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) search.set(name, String(value))
      const path = `/v1/analytics/${projectId}/visitors${search.size === 0 ? '' : `?${search.toString()}`}`
      return read({ kind: 'visitors', projectId }, path, visitorsPageSchema, () => true)
    },
  }
}
