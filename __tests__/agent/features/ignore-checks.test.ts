import { expect, test } from '@jest/globals'
import type { CheckPlan } from '../../../src/emulator/github/check-plan.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { playStep, type PlayedStep } from '../../../testing/play-step.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'

const job = (name: string, fields: Partial<Extract<CheckPlan, { kind: 'job' }>> = {}) => ({
  ...({ kind: 'job', name } as const),
  afterMs: 2_000,
  takesMs: 5_000,
  result: { conclusion: 'success' },
  ...fields,
})
const FAILS = { result: { conclusion: 'failure' } } as const
const ENDLESS = { takesMs: Infinity } as const
const PREVIEW = { kind: 'status', name: 'ci/preview', afterMs: 1_000, takesMs: 1_000, conclusion: 'failure' } as const

function play(plans: readonly CheckPlan[], names: string): Promise<PlayedStep> {
  const given = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'fix-rounds': '1', 'ignore-checks': names }
  return playStep({ inputs: agentInputs({}, given), github: { checks: [plans] } })
}

const listResults = ({ outputs }: PlayedStep): readonly string[] => {
  const { checks } = JSON.parse(outputs['result'] ?? '') as { checks: { name: string; result: string }[] }
  return checks.map(({ name, result }) => `${name}: ${result}`)
}

test.each([
  ['that never ends, in the suite of one that passes', [job('build'), job('slow', ENDLESS)], 'slow'],
  ['that never ends, in a workflow of its own', [job('build'), job('slow', { ...ENDLESS, workflow: 's.yml' })], 's*'],
  ['that fails', [job('build'), job('flaky (18, ubuntu)', FAILS)], 'flaky (18, ubuntu)'],
  ['that is a failed commit status', [job('build'), PREVIEW], 'other\nci/*'],
] as const)('an ignored check %s is neither awaited nor sent back', async (_what, plans, names) => {
  const played = await play(plans, names)
  expect(played.outputs).toMatchObject({ outcome: 'pull-request', checks: 'success' })
  expect([played.isGreen, played.messages]).toEqual([true, []])
  const ignored = plans[1].name
  expect(listResults(played)).toEqual(['build: success', `${ignored}: ignored`])
  expect(played.summary).toContain('<td>➖ ignored</td>')
  expect(played.log.join('\n')).toContain(`all 1 passed, 1 ignored (${ignored}).`)
})

test('sends back the failed checks that are not ignored', async () => {
  const { messages, outputs } = await play([job('build', FAILS), job('flaky', FAILS)], 'flaky')
  expect(messages.map((message) => message.match(/^Check: .+$/gm))).toEqual([['Check: build']])
  expect(outputs).toMatchObject({ checks: 'failure' })
})

test('reports `none` if all checks are ignored, and says so', async () => {
  const played = await play([job('build')], '*')
  expect(played.outputs).toMatchObject({ checks: 'none' })
  expect([played.isGreen, listResults(played)]).toEqual([false, ['build: ignored']])
  expect(played.summary).toContain('but all its checks are ignored')
})
