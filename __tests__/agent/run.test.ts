import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../src/agent/facts.ts'
import { parsePathRules } from '../../src/agent/path-filter.ts'
import { conclude } from '../../src/agent/conclude.ts'
import { toOutputs } from '../../src/agent/output/outputs.ts'
import type { Run } from '../../src/agent/record.ts'
import { type Delivery, UNKNOWN_DELIVERY_HINT } from '../../src/docs-service/client.ts'
import { runAgent } from '../../src/agent/run.ts'
import type { GitHub } from '../../src/github/github.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import type { OnStop } from '../../src/action/run-action.ts'
import { ATTACH, CREATE, describeReport } from '../../testing/report.ts'
import { active, completed, failed, fakeClient, type Script } from '../../testing/fake-client.ts'
import { fakeGitHub, PUSH, createGitHubError, rejectWith, RUN_FACTS } from '../../testing/fake-github.ts'
import { agentInputs, fakeStep } from '../../testing/fake-step.ts'

interface StepOptions {
  readonly inputs?: Partial<AgentInputs>
  readonly responses?: Partial<GitHub>
  readonly script?: Partial<Script>
  readonly onStop?: OnStop<Run>
  readonly eventName?: string
}

/** Runs a step of an hour for a push. */
async function run({ inputs = {}, responses, script, onStop, eventName = 'push' }: StepOptions = {}) {
  const client = fakeClient({ create: active, reads: [completed], ...script })
  const github = fakeGitHub(responses)
  const serverUrl = `https://${completed.prLink?.host ?? ''}`
  const step = fakeStep({ client, github, context: { ...RUN_FACTS, eventName, payload: PUSH, serverUrl } })
  const all = agentInputs({ task: CREATE, githubToken: 'ghs_token', label: 'docs-agent', ...inputs })
  const report = describeReport(await runAgent(all, step, onStop))
  return { report, client, calls: github.calls }
}

test('attaching sends no GitHub requests before, and is never skipped', async () => {
  const { report } = await run({
    inputs: { task: ATTACH, paths: parsePathRules('src/**') },
    script: { reads: [active, completed] },
  })
  expect(report.outcome).toBe('pull-request')
})

test('attaching to a job that fails sends no GitHub requests', async () => {
  expect((await run({ inputs: { task: ATTACH }, script: { reads: [failed] } })).calls).toEqual([])
})

test('the outcome is cancelled, not submitted, if the run is cancelled while the prompt is sent', async () => {
  const controller = new AbortController()
  const createJob = (): Promise<Delivery> => {
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    return Promise.resolve({ kind: 'accepted', job: active })
  }
  const step = fakeStep({ client: { ...fakeClient({}), createJob }, signal: controller.signal })
  const report = describeReport(await runAgent(agentInputs({ task: CREATE, wait: false }), step))
  expect(report).toMatchObject({ outcome: 'cancelled', error: { code: 'cancelled' }, job: active })
})

describe('if GitHub cannot be reached', () => {
  const refuse = rejectWith(createGitHubError('proxy', 'Check it.'))
  const responses = Object.fromEntries(Object.keys(fakeGitHub()).map((name) => [name, refuse]))

  test('a manual run reports the result of the job, and warnings', async () => {
    const { report } = await run({ responses, eventName: 'workflow_dispatch' })
    expect(report.outcome).toBe('pull-request')
    expect(report.error).toBeUndefined()
    expect(report.warnings.length).toBeGreaterThan(0)
  })

  test('a push sends nothing, because its commits may be the agent’s', async () => {
    const { report, client } = await run({ responses })
    expect([report.outcome, report.error?.code, client.prompts]).toEqual(['error', 'not-sent', []])
  })
})

test('reports the job if an unexpected error stops the step after the job has ended', async () => {
  let reportStopped: ((error: ActionError) => Run) | undefined
  const readPullRequest = (): never => {
    throw new TypeError('unexpected')
  }
  const stopped = run({ responses: { readPullRequest }, onStop: (given) => (reportStopped = given) })
  await expect(stopped).rejects.toThrow('unexpected')
  const known = reportStopped?.(createGitHubError('internal'))
  expect(known && describeReport(known)).toMatchObject({ outcome: 'error', job: completed })
})

test('does not claim that nothing was sent if the step is stopped while its prompt is on its way', async () => {
  let interrupt: ((error: ActionError) => Run) | undefined
  let interrupted: Run | undefined
  const createJob = (): Promise<Delivery> => {
    interrupted = interrupt?.(createGitHubError('cancelled'))
    return Promise.resolve({ kind: 'accepted', job: active })
  }
  const step = fakeStep({ client: { ...fakeClient({ reads: [completed] }), createJob } })
  await runAgent(agentInputs({ task: CREATE }), step, (report) => (interrupt = report))
  if (interrupted === undefined) throw new Error('The step was not stopped.')
  expect(toOutputs(interrupted, conclude(interrupted))).toMatchObject({ changed: '', 'job-id': '' })
  expect(conclude(interrupted)).toMatchObject({
    advice: UNKNOWN_DELIVERY_HINT,
    text: expect.stringContaining('It is not known whether the service accepted the prompt.'),
  })
})
