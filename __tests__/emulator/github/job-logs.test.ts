import { expect, test } from '@jest/globals'
import { readLogAddress, signedLogAddress } from '../../../src/emulator/github/job-logs.ts'

const target = signedLogAddress('http://x', 12, 1_000).slice('http://x'.length)

test('an address leads to one log, for a minute', () => {
  expect(readLogAddress(target, 60_999)).toBe(12)
  expect(readLogAddress(target, 61_000)).toBe('forbidden')
})

test('what was not signed opens nothing', () => {
  expect(readLogAddress(target.replace('/12', '/13'), 1_000)).toBe('forbidden')
  expect(readLogAddress(target.replace('until=61000', 'until=99000'), 1_000)).toBe('forbidden')
  expect(readLogAddress('/job-logs/12', 1_000)).toBe('forbidden')
})

test('other addresses are none of a log', () => {
  expect(readLogAddress('/api/v3/job-logs/12', 1_000)).toBe('elsewhere')
})
