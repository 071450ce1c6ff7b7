import { expect, test } from '@jest/globals'
import { conclude } from '../../src/agent/conclude.ts'
import { toOutputs } from '../../src/agent/output/outputs.ts'
import type { Run } from '../../src/agent/record.ts'
import { UNKNOWN_DELIVERY_HINT } from '../../src/docs-service/client.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { PUSH } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { playStep } from '../../testing/play-step.ts'
import { describeReport } from '../../testing/report.ts'

const ON_PUSH = { facts: { eventName: 'push', payload: PUSH } }
const MARKED = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
const ATTACH = { ...MARKED, prompt: '', 'job-id': 'job_running' }

test('attaching sends no GitHub requests before the job has ended, and is never skipped', async () => {
  const { report, allRequests } = await playStep({
    inputs: agentInputs({}, { ...ATTACH, paths: 'src/**' }),
    ...ON_PUSH,
  })
  const requests = allRequests.map(({ what }) => what)
  expect(report.outcome).toBe('pull-request')
  expect(requests.slice(0, 4)).toEqual(Array(4).fill('read job_running'))
  expect(requests.slice(4)).not.toContain('read job_running')
})

test('attaching to a job that fails sends no GitHub requests', async () => {
  const { operations, report } = await playStep({ inputs: agentInputs({}, ATTACH), scenario: 'failed', ...ON_PUSH })
  expect([report.outcome, operations]).toEqual(['failed', []])
})

test('the outcome is cancelled, not submitted, if the run is cancelled while the prompt is sent', async () => {
  const { report } = await playStep({
    inputs: agentInputs({}, { wait: 'false' }),
    latencyMs: 300,
    cancelAfterMs: 450,
  })
  expect(report).toMatchObject({ outcome: 'cancelled', error: { code: 'cancelled' }, job: { status: 'active' } })
})

test('if GitHub cannot be reached, a push sends nothing, because its commits may be the agent’s', async () => {
  const { report, acceptedPrompts } = await playStep({
    inputs: agentInputs({}, MARKED),
    github: combineScenarios(['github-down']),
    ...ON_PUSH,
  })
  expect([report.outcome, report.error?.code, acceptedPrompts]).toEqual(['error', 'not-sent', []])
})

test('reports the job if an unexpected error stops the step after the job has ended', async () => {
  let reportStopped: ((error: ActionError) => Run) | undefined
  const step = playStep({
    inputs: agentInputs({}, MARKED),
    onStop: (report) => (reportStopped = report),
    responses: {
      'pulls/get': () => {
        throw new TypeError('x is not a function')
      },
    },
  })
  await expect(step).rejects.toThrow('x is not a function')
  const known = reportStopped?.(new ActionError('internal', 'The action failed.'))
  expect(known && describeReport(known)).toMatchObject({
    outcome: 'error',
    job: { id: 'job_000001', status: 'completed', prLink: { number: '4' } },
  })
})

test('does not claim that nothing was sent if the step is stopped while its prompt is on its way', async () => {
  let interrupt: ((error: ActionError) => Run) | undefined
  let interrupted: Run | undefined
  await playStep({
    inputs: agentInputs(),
    onStop: (report) => (interrupt = report),
    onRequest: (what) => {
      if (what === 'create') interrupted = interrupt?.(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  if (interrupted === undefined) throw new Error('The step was not stopped.')
  expect(toOutputs(interrupted, conclude(interrupted))).toMatchObject({ changed: '', 'job-id': '' })
  expect(conclude(interrupted)).toMatchObject({
    advice: UNKNOWN_DELIVERY_HINT,
    text: expect.stringContaining('It is not known whether the service accepted the prompt.'),
  })
})
