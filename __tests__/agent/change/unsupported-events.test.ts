import { expect, test } from '@jest/globals'
import { UNSUPPORTED_EVENTS } from '../../../src/agent/change/loop.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { playStep, type PlayedStep } from '../../../testing/play-step.ts'

type Given = Readonly<Record<string, string>>

const play = (eventName: string, given: Given = {}): Promise<PlayedStep> =>
  playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    facts: { eventName, payload: { sender: { login: 'ann', type: 'User' } } },
  })

test.each<[what: string, given: Given]>([
  ['a prompt', {}],
  ['a follow-up', { 'job-id': 'job_finished' }],
  ['a command', { command: '/docs' }],
  ['a dry run', { 'dry-run': 'true' }],
])(
  'sends no request for %s if the event cannot start the agent, and names the events that can',
  async (_what, given) => {
    for (const eventName of UNSUPPORTED_EVENTS) {
      const { isGreen, line, report, allRequests } = await play(eventName, given)
      expect([isGreen, report.error?.code, allRequests]).toEqual([false, 'invalid-input', []])
      expect(line).toContain(`The event \`${eventName}\` cannot start the agent`)
      expect(line).toMatch(/use `push` .*`pull_request`, `release`, `workflow_run`, `schedule` or `workflow_dispatch`/)
    }
  },
)

test('attaches to a job on these events', async () => {
  const attached = await play('check_suite', { prompt: '', 'job-id': 'job_finished' })
  expect([attached.isGreen, attached.report.outcome]).toEqual([true, 'pull-request'])
})

test.each(['label', 'image_version'])(
  'starts the agent on the event %s, which the list does not name',
  async (name) => {
    const { isGreen, acceptedPrompts } = await play(name)
    expect([isGreen, acceptedPrompts.map(([to]) => to)]).toEqual([true, ['create']])
  },
)
