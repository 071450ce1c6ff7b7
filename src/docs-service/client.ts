import type * as z from 'zod/mini'
import { badAnswer, errorOfResult, type Operation } from './answer-meaning.ts'
import { countRefusals } from './retry.ts'
import { jobWithId, parseBody, visitorsPageSchema, type Job, type VisitorsPage } from './schemas.ts'
import { sendPrompt, type PromptSender } from './send-prompt.ts'
import { isSuccess, type Transport, type WireResult } from './transport.ts'

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
  /** How many requests of the step were refused (429, 425) in a row, up to now. */
  refusals(): number
}

interface ClientOptions extends Omit<PromptSender, 'refusals' | 'totalMs'> {
  readonly projectId: string
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
}

const READ_TIMEOUT_MS = 30_000
/** The last look at a job starts at the deadline, and has to end soon. */
const LAST_READ_GRACE_MS = 1_000

function describeResult(result: WireResult): string {
  if (result.kind === 'answer') return `${result.status}, ${Buffer.byteLength(result.body)} bytes`
  const code = result.code === undefined ? '' : ` (${result.code})`
  return `${result.cause}${code}, ${result.sent ? 'after it was sent' : 'not sent'}`
}

export function createClient(options: ClientOptions): DocsServiceClient {
  const { projectId, clock, redact, signal, deadlineAt, debug } = options
  const jobsPath = `/v2/agent/${projectId}/job`
  let refusals = 0
  const transport: Transport = async (request, signal) => {
    const startedAt = clock.now()
    const result = await options.transport(request, signal)
    refusals = countRefusals(refusals, result)
    const tookMs = Math.round(clock.now() - startedAt)
    // No header and no body.
    debug(`${request.method} ${request.path}: ${describeResult(result)}, in ${tookMs} ms.`)
    return result
  }
  const totalMs = deadlineAt - clock.now()
  const sender = { ...options, transport, totalMs, refusals: () => refusals }

  async function read<T>(operation: Operation, schema: z.ZodMiniType<T>, endsAt = deadlineAt): Promise<T> {
    const leftMs = endsAt - clock.now() + LAST_READ_GRACE_MS
    const timeoutMs = Math.max(LAST_READ_GRACE_MS, Math.min(READ_TIMEOUT_MS, leftMs))
    const result = await transport({ method: 'GET', path: operation.path, timeoutMs }, signal)
    if (result.kind === 'failure' || !isSuccess(result)) throw errorOfResult(result, operation, redact)
    const data = parseBody(schema, result.body)
    if (data === undefined) throw badAnswer(result, redact)
    return data
  }

  return {
    refusals: sender.refusals,
    createJob: (prompt) => sendPrompt(sender, { kind: 'create', projectId, path: jobsPath }, prompt),
    sendMessage: (jobId, prompt, beforeAgain) => {
      const path = `${jobsPath}/${jobId}/message`
      return sendPrompt(sender, { kind: 'message', projectId, jobId, path }, prompt, beforeAgain)
    },
    getJob: (jobId, endsAt) =>
      read({ kind: 'read', projectId, jobId, path: `${jobsPath}/${jobId}` }, jobWithId(jobId), endsAt),
    getVisitors: (query) => {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) search.set(name, String(value))
      const path = `/v1/analytics/${projectId}/visitors?${search.toString()}`
      return read({ kind: 'visitors', projectId, path }, visitorsPageSchema)
    },
  }
}
