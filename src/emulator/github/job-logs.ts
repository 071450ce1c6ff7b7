import { createHash } from 'node:crypto'

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
