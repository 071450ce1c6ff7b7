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
