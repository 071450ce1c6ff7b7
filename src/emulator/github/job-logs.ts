import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'
import type { GitHubState } from './state.ts'

const GOOD_FOR_MS = 60_000
const PATH = /^\/job-logs\/(\d+)$/

const signatureOf = (id: number, untilMs: number): string =>
  createHash('sha256').update(`job log ${id} until ${untilMs}`).digest('hex')

/** Where the log of a job can be read for a minute, by whoever has the address. */
export function signedLogAddress(baseUrl: string, id: number, nowMs: number): string {
  const untilMs = nowMs + GOOD_FOR_MS
  return `${baseUrl}/job-logs/${id}?until=${untilMs}&sig=${signatureOf(id, untilMs)}`
}

/** The job whose log a request may read. `elsewhere`: the request is for something else. */
export function readLogAddress(target: string, nowMs: number): number | 'forbidden' | 'elsewhere' {
  const [path = '', query] = target.split('?')
  const id = PATH.exec(path)?.[1]
  if (id === undefined) return 'elsewhere'
  const given = new URLSearchParams(query)
  const untilMs = Number(given.get('until'))
  return nowMs < untilMs && given.get('sig') === signatureOf(Number(id), untilMs) ? Number(id) : 'forbidden'
}

/** The log store is not GitHub: it knows addresses, and no tokens. */
export function answerLog(
  job: number | 'forbidden',
  { headers }: ServiceRequest,
  { repositories }: GitHubState,
): ServiceResponse {
  const text = (status: number, body: string): ServiceResponse => ({
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
    delivery: 'whole',
  })
  if (headers['authorization'] !== undefined) return text(400, 'The authorization header is not accepted here.')
  if (job === 'forbidden') return text(403, 'The signature is not valid, or has expired.')
  const runs = Object.values(repositories).flatMap(({ checkRuns }) => checkRuns)
  return text(200, runs.find(({ id }) => id === job)?.log ?? '')
}
