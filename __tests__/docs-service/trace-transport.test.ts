import { expect, test } from '@jest/globals'
import { traceTransport } from '../../src/docs-service/trace-transport.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { fakeClock } from '../support/fake-clock.ts'

async function trace(result: WireResult): Promise<string[]> {
  const clock = fakeClock()
  const signal = new AbortController().signal
  const lines: string[] = []
  const slow = {
    async send() {
      await clock.sleep(34.6, signal)
      return result
    },
  }
  const request = { method: 'POST', path: '/v2/agent/docs/job', body: 'a secret', timeoutMs: 1_000 } as const
  expect(await traceTransport(slow, clock, (line) => lines.push(line)).send(request, signal)).toBe(result)
  return lines
}

test('an answer is told by its status and size, and nothing of a body is', async () => {
  expect(await trace({ kind: 'answer', status: 201, body: '“secret”', retryAfterMs: undefined })).toEqual([
    'POST /v2/agent/docs/job: 201, 12 bytes, in 35 ms.',
  ])
})

test('a failure is told by its cause, and whether anything was sent', async () => {
  expect(await trace({ kind: 'failure', cause: 'broken', code: 'ECONNRESET', sent: true })).toEqual([
    'POST /v2/agent/docs/job: broken (ECONNRESET), after it was sent, in 35 ms.',
  ])
  expect(await trace({ kind: 'failure', cause: 'timeout', code: undefined, sent: false })).toEqual([
    'POST /v2/agent/docs/job: timeout, not sent, in 35 ms.',
  ])
})
