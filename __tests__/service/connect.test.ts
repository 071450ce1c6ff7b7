import { expect, test } from '@jest/globals'
import { connect } from '../../src/service/connect.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'

function connectThrough(env: Record<string, string>): string[] {
  const masked: string[] = []
  connect(
    {
      baseUrl: 'https://docs.example.com',
      apiKey: 'docs_key',
      projectId: 'docs-demo',
      env,
      deadlineAt: CLOCK_START_MS + 60_000,
    },
    {
      clock: fakeClock(),
      signal: new AbortController().signal,
      random: () => 0.5,
      log: () => undefined,
      debug: () => undefined,
      mask: (secret) => masked.push(secret),
      redact: (text) => text,
    },
  )
  return masked
}

test("masks the proxy's password before anything is sent", () => {
  expect(connectThrough({ HTTPS_PROXY: 'http://user:p%40ss-word@proxy.example.com:8080' })).toContain('p@ss-word')
})

test('masks the password of a proxy that only GitHub is reached through', () => {
  const env = { HTTPS_PROXY: 'http://user:p%40ss-word@proxy.example.com:8080', NO_PROXY: 'docs.example.com' }
  expect(connectThrough(env)).toContain('p@ss-word')
})

test('has nothing to mask without a proxy', () => {
  expect(connectThrough({})).toEqual([])
})

test('refuses a proxy address that is none', () => {
  expect(() => connectThrough({ HTTPS_PROXY: 'http://[proxy' })).toThrow(ActionError)
})
