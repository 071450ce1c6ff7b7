import { expect, test } from '@jest/globals'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import { connect } from '../../src/docs-service/connect.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'
import { httpAnswer, serveSockets } from '../support/socket-server.ts'

interface Connected {
  readonly client: DocsServiceClient
  readonly masked: readonly string[]
  /** What was masked by the time of each debug line. */
  readonly maskedBefore: readonly (readonly string[])[]
}

function connectThrough(env: Record<string, string>, baseUrl = 'https://docs.example.com'): Connected {
  const masked: string[] = []
  const maskedBefore: string[][] = []
  // No limit of time is reached: its sleeps never end.
  const standing = { ...fakeClock(), sleep: () => new Promise<void>(() => undefined) }
  const client = connect(
    {
      baseUrl,
      apiKey: 'docs_key',
      projectId: 'docs-demo',
      env,
      deadlineAt: CLOCK_START_MS + 60_000,
    },
    {
      clock: standing,
      signal: new AbortController().signal,
      random: () => 0.5,
      log: () => undefined,
      debug: () => maskedBefore.push([...masked]),
      mask: (secret) => masked.push(secret),
      redact: (text) => text,
    },
  )
  return { client, masked, maskedBefore }
}

const PROXY = 'http://user:p%40ss-word@proxy.example.com:8080'

test("masks the proxy's password before anything is said or sent", () => {
  const { masked, maskedBefore } = connectThrough({ HTTPS_PROXY: PROXY })
  expect(masked).toContain('p@ss-word')
  expect(maskedBefore).toEqual([masked])
})

test('masks the password of a proxy that only GitHub is reached through', () => {
  expect(connectThrough({ HTTPS_PROXY: PROXY, NO_PROXY: 'docs.example.com' }).masked).toContain('p@ss-word')
})

test('has nothing to mask without a proxy', () => {
  expect(connectThrough({}).masked).toEqual([])
})

test('says by its user agent who asks', async () => {
  const server = await serveSockets({ onRequest: (socket) => socket.end(httpAnswer(404, '')) })
  const { client } = connectThrough({}, `http://127.0.0.1:${server.port}`)
  await expect(client.getJob('job_1')).rejects.toThrow(ActionError)
  await server.close()
  expect(server.requests[0]).toMatch(/^user-agent: docs-agent-action\r$/im)
})

test('refuses a proxy address that is none', () => {
  expect(() => connectThrough({ HTTPS_PROXY: 'http://[proxy' })).toThrow(ActionError)
})
