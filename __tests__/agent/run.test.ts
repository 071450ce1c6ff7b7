import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../src/agent/inputs.ts'
import { parsePathRules } from '../../src/agent/path-filter.ts'
import { conclude } from '../../src/agent/report/outcomes.ts'
import { toOutputs } from '../../src/agent/report/outputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { type Delivery, UNKNOWN_DELIVERY_HINT } from '../../src/docs-service/client.ts'
import { runAgent } from '../../src/agent/run.ts'
import type { GitHub } from '../../src/github/github.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import type { OnStop } from '../../src/action/run-action.ts'
import { ATTACH, CREATE, describeReport } from '../support/report.ts'
import { active, completed, failed, fakeClient, type Script } from '../support/fake-client.ts'
import { fakeGitHub, PUSH, createGitHubError, rejectWith, RUN_FACTS } from '../support/fake-github.ts'
import { agentInputs, fakeStep } from '../support/fake-step.ts'

interface StepOptions {
  readonly inputs?: Partial<AgentInputs>
  readonly responses?: Partial<GitHub>
  readonly script?: Partial<Script>
  readonly onStop?: OnStop<Report>
}

/** The deadline of the log's writes, if the job was read once. */
const LOG_DEADLINE = 40_000
/** The deadline of all reads that only improve the summary. */
const END_DEADLINE = 70_000
const FILES_DEADLINE = 20_000

/** Runs a step of an hour for a push. `deadlines`: those of GitHub's requests that come before the step's deadline. */
async function run({ inputs = {}, responses, script, onStop }: StepOptions = {}) {
  const client = fakeClient({ create: active, reads: [completed], ...script })
  const github = fakeGitHub(responses)
  const serverUrl = `https://${completed.prLink?.host ?? ''}`
  const step = fakeStep({ client, github, context: { ...RUN_FACTS, eventName: 'push', payload: PUSH, serverUrl } })
  const all = agentInputs({ task: CREATE, githubToken: 'ghs_token', label: 'docs-agent', ...inputs })
  const report = describeReport(await runAgent(all, step, onStop))
  const deadlines = github.deadlines.map((at) => at - step.startedAt).filter((ms) => ms < 3_600_000)
  return { report, client, calls: github.calls, deadlines }
}

test('attaching sends no GitHub requests before, and is never skipped', async () => {
  const paths = parsePathRules('src/**')
  const { report, deadlines } = await run({
    inputs: { task: ATTACH, paths },
    script: { reads: [active, completed] },
  })
  expect(report.outcome).toBe('pull-request')
  expect(deadlines).toEqual([END_DEADLINE, LOG_DEADLINE])
})

test('attaching to a job that fails sends no GitHub requests', async () => {
  expect((await run({ inputs: { task: ATTACH }, script: { reads: [failed] } })).calls).toEqual([])
})

test('requests before the job get two minutes or half of the step, later ones the time that is left, and the log its own time', async () => {
  expect((await run()).deadlines).toEqual([120_000, END_DEADLINE, FILES_DEADLINE, LOG_DEADLINE])
  expect((await run({ inputs: { timeoutMs: 60_000 } })).deadlines).toEqual([
    30_000,
    END_DEADLINE,
    FILES_DEADLINE,
    LOG_DEADLINE,
  ])
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

test('reports the result of the job and warnings if GitHub cannot be reached', async () => {
  const refuse = rejectWith(createGitHubError('proxy', 'Check it.'))
  const responses = Object.fromEntries(Object.keys(fakeGitHub()).map((name) => [name, refuse]))
  const { report } = await run({ responses })
  expect(report.outcome).toBe('pull-request')
  expect(report.error).toBeUndefined()
  expect(report.warnings).toHaveLength(2)
})

test('reports the job if an unexpected error stops the step after the job has ended', async () => {
  let reportStopped: ((error: ActionError) => Report) | undefined
  const readPullRequest = (): never => {
    throw new TypeError('unexpected')
  }
  const stopped = run({ responses: { readPullRequest }, onStop: (given) => (reportStopped = given) })
  await expect(stopped).rejects.toThrow('unexpected')
  const known = reportStopped?.(createGitHubError('internal'))
  expect(known && describeReport(known)).toMatchObject({ outcome: 'error', job: completed })
})

test('does not claim that nothing was sent if the step is stopped while its prompt is on its way', async () => {
  let interrupt: ((error: ActionError) => Report) | undefined
  let interrupted: Report | undefined
  const createJob = (): Promise<Delivery> => {
    interrupted = interrupt?.(createGitHubError('cancelled'))
    return Promise.resolve({ kind: 'accepted', job: active })
  }
  const step = fakeStep({ client: { ...fakeClient({ reads: [completed] }), createJob } })
  await runAgent(agentInputs({ task: CREATE }), step, (report) => (interrupt = report))
  if (interrupted === undefined) throw new Error('The step was not stopped.')
  expect(toOutputs(interrupted)).toMatchObject({ changed: '', 'job-id': '' })
  expect(conclude(interrupted)).toMatchObject({
    advice: UNKNOWN_DELIVERY_HINT,
    text: expect.stringContaining('It is not known whether the service accepted the prompt.'),
  })
})
