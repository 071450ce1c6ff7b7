import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { PUSH } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { changeResponse, playFollowUp, playStep, respondInOrder, respondWith } from '../../testing/play-step.ts'

const ACCESS = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
const onPush = { facts: { eventName: 'push', payload: PUSH } }

test('a step that a mistake in `paths` stops still shows the change', async () => {
  const inputs = agentInputs({}, { ...ACCESS, 'change-range': 'v1.1.0...main', paths: 'src' })
  const { outputs, summary } = await playStep({ inputs, ...onPush })
  expect(JSON.parse(outputs['result'] ?? '')).toMatchObject({
    error: { code: 'invalid-input' },
    change: expect.stringContaining('No file matches `paths`') as unknown,
  })
  expect(summary).toContain('<td><b>Change</b></td>')
})

test('a step that sends its prompt shows the change, and what is added to the prompt', async () => {
  const inputs = agentInputs({}, { ...ACCESS, 'change-range': 'v1.1.0...main', 'change-context': 'files' })
  const { outputs } = await playStep({ inputs, ...onPush })
  expect(JSON.parse(outputs['result'] ?? '')).toMatchObject({
    change: expect.stringMatching(
      /^1 commit, 1 file: .* Added to the prompt: the commits and the names of the files/,
    ) as unknown,
  })
})

test('a step that cannot send its prompt shows why nothing was compared', async () => {
  const { outputs } = await playFollowUp(
    { 'change-context': 'commits' },
    { facts: { eventName: 'workflow_dispatch' }, github: combineScenarios(['follow-ups-used-up']) },
  )
  expect(JSON.parse(outputs['result'] ?? '')).toMatchObject({
    error: { code: 'not-sent' },
    change: expect.stringContaining('Nothing to compare: ') as unknown,
  })
})

test('is red if the row cannot be completed at the end, because somebody has deleted the history comment', async () => {
  const usual = ({ respond }: Parameters<ReturnType<typeof changeResponse>>[0]) => respond()
  const { isGreen, title } = await playFollowUp(
    { 'wait-for-checks': 'true', 'fail-on': 'failed' },
    {
      github: combineScenarios(['open-pull-request', 'checks-fail']),
      responses: { 'issues/get-comment': respondInOrder(usual, usual, respondWith(404)) },
    },
  )
  expect([isGreen, title]).toEqual([false, 'The next run would not find the pull request'])
})

test('shows whether the pull request has a conflict, although GitHub computes that late', async () => {
  const late = (mergeable: boolean | null) => changeResponse(() => ({ mergeable }))
  let reads = 0
  const inputs = agentInputs({}, { ...ACCESS, 'wait-for-checks': 'true' })
  const { outputs } = await playStep({
    inputs,
    responses: { 'pulls/get': (request) => late(++reads > 2 ? true : null)(request) },
  })
  expect(outputs['pull_request.mergeable']).toBe('true')
})
