import { expect, test } from '@jest/globals'
import { type GitHubFault, applyGitHubFault } from '../../../src/emulator/github/github-faults.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'

function strike(fault: GitHubFault): { answered: number; response: ReturnType<typeof applyGitHubFault> } {
  let answered = 0
  const response = applyGitHubFault(fault, () => {
    answered += 1
    return jsonResponse(200, { fine: true })
  })
  return { answered, response }
}

test.each([
  ['none', 1, 200, 'whole'],
  ['unavailable', 0, 503, 'whole'],
  [422, 0, 422, 'whole'],
  ['primary-limit', 0, 403, 'whole'],
  ['secondary-limit', 0, 403, 'whole'],
  ['plain-limit', 0, 429, 'whole'],
  ['long-limit', 0, 429, 'whole'],
  ['html', 0, 200, 'whole'],
  ['reset', 0, 0, 'reset'],
  ['never', 0, 0, 'never'],
  ['answer-lost', 1, 200, 'reset'],
  ['late', 1, 200, 'whole'],
] as const)('%s does the work %d times, and answers %d, %s', (fault, answered, status, delivery) => {
  expect(strike(fault)).toMatchObject({ answered, response: { status, delivery } })
})

test('each rate limit tells in its own way how long it lasts', () => {
  expect(strike('primary-limit').response.headers).toMatchObject({
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '5',
  })
  expect(strike('secondary-limit').response.headers).toMatchObject({ 'retry-after': '5' })
  expect(strike('plain-limit').response).toMatchObject({ headers: { 'retry-after': '5' }, body: '' })
  expect(Number(strike('long-limit').response.headers['x-ratelimit-reset'])).toBeGreaterThan(3_600)
})

test('a late answer says how late it is', () => {
  expect(strike('late').response.delayMs).toBe(8_000)
})
