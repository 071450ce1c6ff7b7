import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { changeResponse, playFollowUp, playStep, respondInOrder } from '../../../testing/play-step.ts'

const ROLLING = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'on-open-pr': 'follow-up' }
const github = combineScenarios(['open-pull-request'])

test('a step that is cancelled while it waits does not hide the turn that it waits for', async () => {
  const turns = [{}, { startDelayMs: 50_000 }, { startDelayMs: 50_000 }]
  const first = await playStep({ inputs: agentInputs({}, ROLLING), github, turns, cancelAfterMs: 4_000 })
  const second = await playFollowUp({}, { after: first, cancelAfterMs: 5_000 })
  const third = await playFollowUp({}, { after: second, facts: { runId: 44 } })
  expect([first, second, third].map(({ acceptedPrompts }) => acceptedPrompts.length)).toEqual([1, 0, 1])
  // Its own commit, and that of the first step.
  expect(third.docs.pulls[1]?.earlierHeads).toHaveLength(2)
})

test('a turn that the step itself has seen end costs no further wait, although its row was completed just now', async () => {
  const turns = [{}, { durationMs: 305_000 }, {}]
  const first = await playStep({ inputs: agentInputs({ timeoutMs: 300_000 }, ROLLING), github, turns })
  const { report, acceptedPrompts } = await playFollowUp({}, { after: first })
  expect([first.report.outcome, report.outcome, acceptedPrompts.length]).toEqual(['timed-out', 'pull-request', 1])
  expect(report.durationMs).toBeLessThan(60_000)
})

test('the prompt does not ask to resolve a conflict that the newest read says is gone', async () => {
  const as = (mergeable: boolean) => changeResponse(() => ({ mergeable }))
  const first = await playFollowUp({}, { cancelAfterMs: 4_000 })
  const responses = { 'pulls/get': respondInOrder(as(false), as(true)) }
  const { messages } = await playFollowUp({}, { after: first, responses })
  expect(messages).toHaveLength(1)
  expect(messages[0]).not.toContain('conflict')
})
