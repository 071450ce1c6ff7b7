import { countRateLimits } from '../src/docs-service/retry.ts'
import type { Delivery, DocsServiceClient } from '../src/docs-service/client.ts'
import { type Job, parsePullRequestLink, type TerminalJob } from '../src/docs-service/schemas.ts'
import { type TerminalStatus } from '../src/docs-service/interface.ts'
import { ActionError, type ErrorCode } from '../src/runtime/errors.ts'

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
  return new ActionError(code, `It is ${code}.`, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(code === 'not-found' && { status: 404 }),
  })
}

export interface Script {
  /** The results of the reads, in order. The last one also applies to all later reads. */
  readonly reads?: readonly (Job | Error)[]
  /** The results of the reads before a message. Default: `reads`. */
  readonly before?: readonly (Job | Error)[]
  readonly create?: Job | Error
  readonly message?: Job | Error
  /** Whether the first attempt to send a message must be retried. */
  readonly isPutOff?: boolean
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
  if (given instanceof ActionError && given.code === 'maybe-sent')
    return Promise.resolve({ kind: 'delivery-unknown', error: given })
  return settle(given).then((job) => ({ kind: 'accepted', job }))
}

function settle(given: Job | Error | undefined): Promise<Job> {
  if (given === undefined) throw new Error('Unexpected request.')
  return given instanceof Error ? Promise.reject(given) : Promise.resolve(given)
}

/** Creates a client that returns the results of a script. */
export function fakeClient({ reads = [], create, message, isPutOff = false, before }: Script): FakeClient {
  const calls: string[] = []
  const prompts: string[] = []
  const endsAts: (number | undefined)[] = []
  let read = 0
  let refusals = 0
  let isSent = false
  let readBefore = 0

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
      isSent = true
      calls.push('message')
      prompts.push(prompt)
      return deliver(message)
    },
    getJob(_jobId, endsAt) {
      calls.push('get')
      endsAts.push(endsAt)
      const given =
        before === undefined || isSent
          ? reads[Math.min(read++, reads.length - 1)]
          : before[Math.min(readBefore++, before.length - 1)]
      if (!(given instanceof Error)) refusals = countRateLimits(refusals, WELL)
      else if (given instanceof ActionError && given.code === 'rate-limited')
        refusals = countRateLimits(refusals, REFUSED)
      return settle(given)
    },
    rateLimitsInARow: () => refusals,
    getVisitors: () => Promise.reject(new Error('Unexpected request.')),
  }
}
