import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a run that is cancelled while it waits for checks leaves at once, and has told its pull request', async () => {
  const controller = new AbortController()
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true' },
    gitHubScenarios: ['checks-pending'],
    faults: { 'repos/get-combined-status-for-ref': ['never'] },
    beforeAnswer: (operation) => {
      if (operation === 'repos/get-combined-status-for-ref') controller.abort()
    },
    cancel: controller.signal,
    cancelTimes: { sigtermAfterMs: 2_000, killAfterMs: 2_000 },
  })

  expect(run.conclusion).toBe('cancelled')
  expect(run.exitCode).toBe(1)
  expect(run.outputs).toMatchObject({ outcome: 'cancelled', status: 'completed', 'pr-number': '4' })
  expect(run.summary).toMatch(/^## 🛑 .*: Cancelled$/m)
})
