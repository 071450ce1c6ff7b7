import { expect, test } from '@jest/globals'
import type { GitHub } from '../../src/github/github.ts'
import { catchError } from '../../testing/github-client.ts'
import { connectInProcess } from '../../testing/in-process-github.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'

const TOKEN = 'github_pat_11ABCDEF0123456789'
const NOT_ACCESSIBLE = 'Resource not accessible by personal access token'
const OWN = { serverUrl: 'https://github.com', runId: 1 }
const readChecks = (github: GitHub) => github.readChecks('acme/docs', 'c'.repeat(40), OWN)
const addLabel = (github: GitHub) => github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs')

function refuse(token: string, status: number, message: string, perform: (github: GitHub) => Promise<unknown>) {
  const clock = virtualClock()
  const github = connectInProcess({
    clock,
    token,
    signal: new AbortController().signal,
    handle: () => ({ status, headers: {}, body: JSON.stringify({ message }), delivery: 'complete' }),
  })
  return clock.passUntil(catchError(perform(github))) as Promise<{ hint?: string; message: string }>
}

const ADVICE = /^A fine-grained personal token cannot read checks: .* own token with `checks: read`.* GitHub App\.$/

test.each([
  [403, NOT_ACCESSIBLE],
  [404, 'Not Found'],
])('explains a %d for checks to a fine-grained personal token, without the token', async (status, message) => {
  const error = await refuse(TOKEN, status, message, readChecks)
  expect(error.hint).toMatch(ADVICE)
  expect(error.hint).not.toContain(TOKEN)
  expect(error.message).not.toContain(TOKEN)
})

test.each([
  ['another token', 'ghs_0123456789', NOT_ACCESSIBLE, readChecks],
  ['another permission', TOKEN, NOT_ACCESSIBLE, addLabel],
  ['another reason', TOKEN, 'Resource protected by organization SAML enforcement.', readChecks],
] as const)('says nothing of it for %s', async (_what, token, message, perform) => {
  expect((await refuse(token, 403, message, perform)).hint ?? '').not.toContain('fine-grained')
})
