import { expect, test } from '@jest/globals'
import { formatPullRequest } from '../../src/agent/words.ts'
import { ROUND_STOP_REASONS, type RoundStop, type Turn } from '../../src/agent/record.ts'
import { createReport, endWith, stopWith, turnIn } from '../../testing/report.ts'

test.each<[number, RoundStop | undefined, string]>([
  [0, undefined, ''],
  [0, 'nothing-failed', ''],
  [0, 'not-fixable', `Failing checks were not sent back to the agent. ${ROUND_STOP_REASONS['not-fixable']}`],
  [1, 'nothing-failed', 'Failing checks were sent back to the agent once.'],
  [3, 'used-up', `Failing checks were sent back to the agent 3 times. ${ROUND_STOP_REASONS['used-up']}`],
])('describes %i fix rounds and the reason for the stop: %s', (sent, roundStop, text) => {
  const rounds = Array<Turn>(sent).fill(turnIn(endWith('updated')))
  const last = turnIn(endWith('updated'), { roundStop })
  const fields = sent === 0 ? { roundStop } : { rounds: [...rounds.slice(1), last] }
  expect(formatPullRequest(createReport({ state: endWith('created'), ...fields }))).toBe(text)
})

test('says that it is unknown whether the service accepted the prompt of the last fix round', () => {
  const rounds = [turnIn(endWith('updated')), turnIn(stopWith('maybe-sent', { sent: 'maybe' }))]
  expect(formatPullRequest(createReport({ rounds }))).toBe(
    `Failing checks were sent back to the agent 2 times. It is unknown whether the service accepted the last of these prompts. ${ROUND_STOP_REASONS.failed}`,
  )
})
