import { expect, test } from '@jest/globals'

import { logLine } from '../../src/emulator/request-log.ts'
import type { RequestRecord } from '../../src/emulator/embedded-service.ts'

const record: RequestRecord = {
  method: 'GET',
  path: '/v2/agent/docs/job/job_1',
  query: '',
  prompt: undefined,
  asOfMs: 0,
  status: 200,
  delivery: 'whole',
  scenario: 'failed',
}

test('a line tells method, path, status and scenario', () => {
  expect(logLine(record)).toBe('GET /v2/agent/docs/job/job_1 -> 200 (failed)')
  expect(logLine({ ...record, path: '/x', query: 'a=1', scenario: undefined })).toBe('GET /x?a=1 -> 200')
})

test.each([
  ['truncated', 200, '200, broken off in the middle'],
  ['reset', 0, 'no answer, connection reset before the answer'],
  ['never', 0, 'no answer, never answered'],
] as const)('a line tells that the answer was %s', (delivery, status, text) => {
  expect(logLine({ ...record, delivery, status })).toContain(`-> ${text}`)
})

test('a line holds no prompt', () => {
  expect(logLine({ ...record, prompt: 'secret plan' })).not.toContain('secret')
})

test('what the caller sends stays on one line and is no command', () => {
  const line = logLine({ ...record, path: '/\n::error::x\u001b[31m##[error]\u202e\u2028', query: 'x'.repeat(5_000) })
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|##\[/u)
  expect(line).toMatch(/^GET /)
  expect(line.length).toBeLessThan(400)
})
