import { countRefusals } from '../../src/docs-service/retry.ts'
import type { Delivery, DocsServiceClient } from '../../src/docs-service/client.ts'
import {
  isTerminal,
  type Job,
  parsePullRequestLink,
  type TerminalJob,
  type TerminalStatus,
} from '../../src/docs-service/schemas.ts'
import { isSameEnd, STABLE_END_MS } from '../../src/agent/turn/job-watch.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { ActionError, type ErrorCode } from '../../src/runtime/errors.ts'

export const LINK = 'https://git.example.com/acme/docs/pull/7'

export interface JobFields extends Partial<Omit<Job, 'prLink'>> {
  readonly prLink?: string
}

export function job({ prLink, ...fields }: JobFields = {}): Job {
  return {
    id: 'job_1',
    status: 'active',
    unlistedStatus: undefined,
    repository: 'acme/docs',
    ref: 'main',
    model: 'writer-1',
    prLink: prLink === undefined ? undefined : parsePullRequestLink(prLink),
    createdAt: undefined,
    ...fields,
  }
}

export function terminalJob(status: TerminalStatus, fields: Omit<JobFields, 'status'> = {}): TerminalJob {
  return { ...job(fields), status }
}

export const active = job()
export const completed = terminalJob('completed', { prLink: LINK })
export const failed = terminalJob('failed')
export const archived = terminalJob('archived')
export const withoutLink = terminalJob('completed')

export function failure(code: ErrorCode, retryAfterMs?: number): ActionError {
  return new ActionError(code, `It is ${code}.`, retryAfterMs === undefined ? {} : { retryAfterMs })
}

export interface Script {
  /** The results of the reads, in order. The last one also applies to all later reads. */
  readonly reads?: readonly (Job | Error)[]
  readonly create?: Job | Error
  readonly message?: Job | Error
  /** Whether the first attempt to send a message must be retried. */
  readonly isPutOff?: boolean
  /**
   * Repeats each terminal read before the message until it has been stable by this clock. `calls` omits the
   * repetitions.
   */
  readonly standsBy?: Pick<Clock, 'now'>
}

export interface FakeClient extends DocsServiceClient {
  /** The calls in order: `create`, `message` or `get`. */
  readonly calls: string[]
  readonly prompts: string[]
  /** The deadlines of the reads, as timestamps of the clock. */
  readonly endsAts: (number | undefined)[]
}

const REFUSED = { kind: 'response', status: 429, body: '', retryAfterMs: undefined } as const
const WELL = { ...REFUSED, status: 200 } as const

/** Returns the delivery of a prompt, as the script defines it. */
function deliver(given: Job | Error | undefined): Promise<Delivery> {
  if (given instanceof ActionError && given.code === 'unknown-fate')
    return Promise.resolve({ kind: 'delivery-unknown', error: given })
  return settle(given).then((job) => ({ kind: 'accepted', job }))
}

function settle(given: Job | Error | undefined): Promise<Job> {
  if (given === undefined) throw new Error('Unexpected request.')
  return given instanceof Error ? Promise.reject(given) : Promise.resolve(given)
}

/** Creates a client that returns the results of a script. */
export function fakeClient({ reads = [], create, message, isPutOff = false, standsBy }: Script): FakeClient {
  const calls: string[] = []
  const prompts: string[] = []
  const endsAts: (number | undefined)[] = []
  let read = 0
  let refusals = 0
  let stableEnd: { readonly job: Job; readonly sinceMs: number } | undefined

  /** Returns the terminal read to repeat. */
  function getRepeatedEnd(): Job | undefined {
    if (standsBy === undefined || stableEnd === undefined || calls.includes('message')) return undefined
    const stoodMs = standsBy.now() - stableEnd.sinceMs
    const { job } = stableEnd
    if (stoodMs >= STABLE_END_MS) stableEnd = undefined
    return stoodMs <= STABLE_END_MS ? job : undefined
  }

  function trackEnd(given: Job | Error | undefined): void {
    if (standsBy === undefined || given === undefined || given instanceof Error) return
    if (!isTerminal(given)) stableEnd = undefined
    else
      stableEnd = {
        job: given,
        sinceMs: stableEnd && isSameEnd(stableEnd.job, given) ? stableEnd.sinceMs : standsBy.now(),
      }
  }

  return {
    calls,
    prompts,
    endsAts,
    createJob(prompt) {
      calls.push('create')
      prompts.push(prompt)
      return deliver(create)
    },
    sendMessage(_jobId, prompt, attempt) {
      if (isPutOff && attempt === 1)
        return Promise.resolve({ kind: 'retry', afterMs: 0, error: failure('rate-limited') })
      calls.push('message')
      prompts.push(prompt)
      return deliver(message)
    },
    getJob(_jobId, endsAt) {
      const repeated = getRepeatedEnd()
      if (repeated !== undefined) return settle(repeated)
      calls.push('get')
      endsAts.push(endsAt)
      const given = reads[Math.min(read++, reads.length - 1)]
      trackEnd(given)
      if (!(given instanceof Error)) refusals = countRefusals(refusals, WELL)
      else if (given instanceof ActionError && given.code === 'rate-limited')
        refusals = countRefusals(refusals, REFUSED)
      return settle(given)
    },
    refusals: () => refusals,
    getVisitors: () => Promise.reject(new Error('Unexpected request.')),
  }
}
