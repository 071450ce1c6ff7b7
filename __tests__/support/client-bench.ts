import { expect } from '@jest/globals'
import { createClient, type ClientOptions, type DocsServiceClient } from '../../src/docs-service/client.ts'
import type { FailureCause } from '../../src/http/failure-cause.ts'
import type { Transport, WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { CLOCK_START_MS, fakeClock, type FakeClock } from './fake-clock.ts'

export const KEY = 'dk_0123456789abcdef'
export const CANCELLED = new ActionError('cancelled', 'The run was cancelled.')

export const answered = (
  status: number,
  body: unknown = { id: 'job_1', status: 'active' },
  retryAfterMs?: number,
): WireResult => ({
  kind: 'answer',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs,
})
export const failed = (cause: FailureCause, sent: boolean): WireResult => ({
  kind: 'failure',
  cause,
  code: 'ECODE',
  sent,
})

export type Send = Transport['send']

export interface Bench {
  readonly client: DocsServiceClient
  readonly clock: FakeClock
  readonly requests: WireRequest[]
  readonly lines: string[]
}

/** A client over a transport that answers by a script; the last answer stays. */
export function bench(
  script: readonly (WireResult | Send)[],
  options: Partial<ClientOptions> = {},
  clock = fakeClock(),
): Bench {
  const requests: WireRequest[] = []
  const lines: string[] = []
  const transport: Transport = {
    async send(request, signal) {
      const step = script[Math.min(requests.length, script.length - 1)]
      if (step === undefined) throw new Error('Nobody expected this request.')
      requests.push(request)
      return typeof step === 'function' ? step(request, signal) : step
    },
  }
  const client = createClient({
    transport,
    projectId: 'project',
    clock,
    redact: createRedactor([KEY]),
    signal: new AbortController().signal,
    deadlineAt: CLOCK_START_MS + 3_600_000,
    random: () => 0.5,
    log: (line) => lines.push(line),
    ...options,
  })
  return { client, clock, requests, lines }
}

export async function errorOf(promise: Promise<unknown>): Promise<ActionError> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(ActionError)
  return error as ActionError
}

export const everything = ({ message, hint, quote, stack }: ActionError): string =>
  [message, hint, quote, stack].join('\n')

export const untilAborted =
  (run: AbortController, sent: boolean): Send =>
  (_request, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(failed('cancelled', sent))
      })
      run.abort(CANCELLED)
    })
