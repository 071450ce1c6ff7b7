import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { OutputsLost } from '../../src/action/toolkit.ts'
import type { AgentInputs } from '../../src/agent/facts.ts'
import { parsePathRules } from '../../src/agent/path-filter.ts'
import { conclude } from '../../src/agent/conclude.ts'
import { writeEarlyOutputs } from '../../src/agent/output/outputs.ts'
import type { Turn } from '../../src/agent/record.ts'
import { runAgent } from '../../src/agent/run.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import type { GitHub } from '../../src/github/github.ts'
import { checkResult, parseResult } from '../../testing/check-result.ts'
import { active, completed, failed, failure, fakeClient, LINK, type Script } from '../../testing/fake-client.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { fakeGitHub, RUN_FACTS } from '../../testing/fake-github.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'
import { agentInputs, fakeStep } from '../../testing/fake-step.ts'
import { commit } from '../../testing/github-state.ts'
import { root } from '../../testing/markdown-files.ts'
import { ATTACH, CREATE, createReport, endWith, FOLLOW_UP, turnIn } from '../../testing/report.ts'
import { flattenResult } from '../../testing/flatten-result.ts'

/** Runs a step and returns each `result` that it wrote, with all outputs at that time, and when it wrote it. */
async function listMilestones(inputs: Partial<AgentInputs>, script: Partial<Script>, responses?: Partial<GitHub>) {
  type Outputs = Readonly<Record<string, string>>
  const written: { atMs: number; result: ReturnType<typeof parseResult>; outputs: Outputs }[] = []
  let outputs: Outputs = {}
  const clock = fakeClock()
  const startedAt = clock.now()
  const setOutput = (name: string, value: string): void => {
    outputs = { ...outputs, [name]: value }
    if (name !== 'result') return
    checkResult(outputs)
    written.push({ atMs: clock.now() - startedAt, result: parseResult(value), outputs: flattenResult(outputs) })
  }
  const client = fakeClient({ create: active, reads: [active, completed], ...script })
  const serverUrl = `https://${completed.prLink?.host ?? ''}`
  const context = { ...RUN_FACTS, serverUrl }
  const step = fakeStep({
    client,
    clock,
    runner: { ...fakeRunner(), setOutput },
    github: fakeGitHub(responses),
    context,
  })
  await runAgent(agentInputs({ task: CREATE, githubToken: 'ghs_token', label: '', ...inputs }), step)
  return written
}

const UNENDED = { green: false, title: 'The step has not ended' }

test('a killed step leaves the result of its last milestone', async () => {
  const written = await listMilestones({ waitForChecks: true, timeoutMs: 600_000 }, {})
  expect(written.map(({ result }) => result)).toMatchObject([
    { ...UNENDED, outcome: 'submitted', changed: null, job: { id: 'job_1', status: 'active' }, pull_request: null },
    { ...UNENDED, outcome: 'pull-request', changed: true, pull_request: { number: 7, state: null } },
    { ...UNENDED, pull_request: { state: 'open', checks: 'pending' } },
    { ...UNENDED, pull_request: { state: 'open', checks: expect.any(String) as unknown } },
  ])
  expect(written[0]?.atMs).toBe(0)
  // All except the last are written before the step waits for checks.
  expect(new Set(written.slice(1, 3).map(({ atMs }) => atMs)).size).toBe(1)
  expect(written[3]?.atMs).toBeGreaterThan(written[2]?.atMs ?? Infinity)
})

const AT_END = ['checks', 'in-scope']

test('the docs list the outputs that a killed step leaves empty', () => {
  const page = readFileSync(path.join(root, 'docs/internals/how-it-works.md'), 'utf8')
  const [, names = ''] = /^.*?((?:`[a-z-]+`(?:, | and )?)+) stay empty until the end of the step/m.exec(page) ?? []
  expect(names.match(/[a-z]+(?:-[a-z]+)*(?=`)/g)).toEqual(AT_END)
})

test('a killed step leaves its other outputs, except those about checks, scope and mergeability', async () => {
  const written = await listMilestones(
    { waitForChecks: true, allowedPaths: parsePathRules('**'), timeoutMs: 600_000 },
    {},
  )
  const accepted = { 'job-id': 'job_1', status: 'active', outcome: 'submitted', changed: '', 'pr-link': '' }
  const ended = { 'job-id': 'job_1', status: 'completed', outcome: 'pull-request', changed: 'true' }
  const opened = { ...ended, 'pr-link': LINK, 'pr-number': '7', 'pull_request.operation': 'created' }
  expect(written.map(({ outputs }) => outputs)).toMatchObject([
    { ...accepted, 'pull_request.operation': '' },
    { ...opened, 'pr-state': '', 'pr-head-sha': '' },
    { ...opened, 'pr-state': 'open', 'pr-head-sha': commit('c') },
    { ...opened, 'pr-state': 'open', 'pr-head-sha': commit('c') },
  ])
  expect(written.at(-1)?.result).toMatchObject({ pull_request: { checks: 'success', in_scope: true, mergeable: true } })
  for (const { outputs } of written) for (const name of AT_END) expect(outputs).not.toHaveProperty(name)
})

test('writes `result` after the first read of an attached job', async () => {
  const reads = [...Array<Job>(30).fill(active), completed]
  const [first, ...later] = await listMilestones({ task: ATTACH }, { reads })
  expect(first).toMatchObject({
    atMs: 0,
    result: { ...UNENDED, outcome: 'submitted', changed: null, job: { id: 'job_1', status: 'active' } },
    outputs: { 'job-id': 'job_1', status: 'active', outcome: 'submitted', changed: '', 'pr-link': '' },
  })
  expect(later[0]).toMatchObject({ result: { outcome: 'pull-request' }, outputs: { 'pr-link': LINK } })
})

test('does not report `no-changes` while a fix round is running', () => {
  const outputs: Record<string, string> = {}
  const setOutput = (name: string, value: string): void => {
    outputs[name] = value
  }
  const runner = { ...fakeRunner(), setOutput }
  const write = (...rounds: readonly Turn[]): void => {
    const run = createReport({ task: FOLLOW_UP, state: endWith('unchanged'), rounds })
    writeEarlyOutputs({ ...run, state: 'running' }, runner)
  }
  write()
  expect(flattenResult(outputs)).toMatchObject({
    outcome: 'no-changes',
    changed: 'false',
    'pull_request.operation': 'unchanged',
  })
  write(turnIn({ sent: 'started', job: active }, { failing: [] }))
  expect(flattenResult(outputs)).toMatchObject({
    outcome: 'submitted',
    changed: '',
    'pull_request.operation': '',
    fix_rounds: '1',
  })
  expect(parseResult(outputs['result'] ?? '')).toMatchObject({ ...UNENDED, outcome: 'submitted', changed: null })
})

test('continues if the output file cannot be written', async () => {
  const setOutput = (): never => {
    throw new OutputsLost(new Error('no space left on device'))
  }
  const host = fakeRunner()
  const step = fakeStep({ client: fakeClient({ create: active, reads: [completed] }), runner: { ...host, setOutput } })
  expect(conclude(await runAgent(agentInputs({ task: CREATE }), step)).outcome).toBe('pull-request')
  expect(host.calls).toContainEqual(expect.stringContaining('no space left on device'))
})

test('does not write `result` after each read of a job', async () => {
  const written = await listMilestones({}, { reads: [...Array<Job>(50).fill(active), failed] })
  expect(written.map(({ result }) => result.outcome)).toEqual(['submitted', 'failed'])
})

test('writes `result` when a prompt with unknown delivery is confirmed by its turn', async () => {
  const script = { before: [completed], reads: [active, completed], message: failure('maybe-sent') }
  const written = await listMilestones({ task: FOLLOW_UP }, script)
  expect(written[0]?.result).toMatchObject({ ...UNENDED, outcome: 'submitted', job: { id: 'job_1' } })
})
