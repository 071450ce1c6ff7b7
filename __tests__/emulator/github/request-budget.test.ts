import { expect, test } from '@jest/globals'
import { createRequestBudget } from '../../../src/emulator/github/request-budget.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { driveGitHub } from './drive-github.ts'

test('tells what is left of the hour, and refuses all that comes when it is spent', () => {
  const budget = createRequestBudget(2)
  const request = { method: 'POST', target: '/', headers: {}, body: '' }
  const charge = (nowMs: number) => budget.charge(request, jsonResponse(201, {}), nowMs).headers
  expect(charge(1_000)).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' })
  expect(charge(61_000)).toMatchObject({ 'x-ratelimit-used': '2', 'x-ratelimit-reset': '3540' })
  expect([61_000, 3_600_999, 3_601_000].map((nowMs) => budget.isSpent(nowMs))).toEqual([true, true, false])
})

test('answers 304 to who has the answer already, and does not count it', () => {
  const { ask } = driveGitHub()
  const { headers } = ask('GET', '/commits/main')
  const known = ask('GET', '/commits/main', undefined, { 'if-none-match': headers['etag'] ?? '' })
  expect(headers['etag']).toMatch(/^W\/"\w+"$/)
  expect(known).toMatchObject({ status: 304, body: undefined })
  expect(known.headers['x-ratelimit-remaining']).toBe('999')
  expect(ask('GET', '/commits/main', undefined, { 'if-none-match': 'W/"other"' }).status).toBe(200)
})

test('an hour has a thousand requests, and then GitHub’s own refusal', () => {
  const { ask } = driveGitHub()
  for (let before = 0; before < 1_000; before++) ask('GET', '/tags')
  const { status, headers, body } = ask('GET', '/tags')
  expect([status, body.message]).toEqual([403, 'API rate limit exceeded for installation.'])
  expect(headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3600' })
})
