import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { writeEarlyOutputs } from '../../src/agent/output/outputs.ts'
import type { Turn } from '../../src/agent/record.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { checkResult, parseResult } from '../../testing/check-result.ts'
import { active } from '../../testing/jobs.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { root } from '../../testing/markdown-files.ts'
import { playStep, type PlayStepOptions } from '../../testing/play-step.ts'
import { createReport, endWith, FOLLOW_UP, turnIn } from '../../testing/report.ts'
import { flattenResult } from '../../testing/flatten-result.ts'

const LINK = 'https://git.example.com/acme/docs/pull/4'

/** Runs a step and returns each `result` that it wrote, with all outputs at that time, and when it wrote it. */
async function listMilestones(given: Readonly<Record<string, string>> = {}, options: Partial<PlayStepOptions> = {}) {
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, ...given })
  const { outputWrites } = await playStep({ inputs, ...options })
  let outputs: Readonly<Record<string, string>> = {}
  return outputWrites.flatMap(({ name, value, at }) => {
    outputs = { ...outputs, [name]: value }
    if (name !== 'result') return []
    checkResult(outputs)
    return [{ atMs: at, result: parseResult(value), outputs: flattenResult(outputs) }]
  })
}

const SHA: unknown = expect.stringMatching(/^[0-9a-f]{40}$/)
const UNENDED = { green: false, title: 'The step has not ended' }

test('a killed step leaves the result of its last milestone', async () => {
  const written = await listMilestones({ 'wait-for-checks': 'true' })
  expect(written.map(({ result }) => result)).toMatchObject([
    {
      ...UNENDED,
      outcome: 'submitted',
      changed: null,
      job: { id: 'job_000001', status: 'active' },
      pull_request: null,
    },
    { ...UNENDED, outcome: 'pull-request', changed: true, pull_request: { number: 4, state: null } },
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
  const written = await listMilestones({ 'wait-for-checks': 'true', 'allowed-paths': '**' })
  const accepted = { 'job-id': 'job_000001', status: 'active', outcome: 'submitted', changed: '', 'pr-link': '' }
  const ended = { 'job-id': 'job_000001', status: 'completed', outcome: 'pull-request', changed: 'true' }
  const opened = { ...ended, 'pr-link': LINK, 'pr-number': '4', 'pull_request.operation': 'created' }
  expect(written.map(({ outputs }) => outputs)).toMatchObject([
    { ...accepted, 'pull_request.operation': '' },
    { ...opened, 'pr-state': '', 'pr-head-sha': '' },
    { ...opened, 'pr-state': 'open', 'pr-head-sha': SHA },
    { ...opened, 'pr-state': 'open', 'pr-head-sha': SHA },
  ])
  expect(written.at(-1)?.result).toMatchObject({ pull_request: { checks: 'success', in_scope: true, mergeable: true } })
  for (const { outputs } of written) for (const name of AT_END) expect(outputs).not.toHaveProperty(name)
})

test('writes `result` after the first read of an attached job', async () => {
  const [first, ...later] = await listMilestones({ prompt: '', 'job-id': 'job_running' })
  expect(first).toMatchObject({
    atMs: 0,
    result: { ...UNENDED, outcome: 'submitted', changed: null, job: { id: 'job_running', status: 'active' } },
    outputs: { 'job-id': 'job_running', status: 'active', outcome: 'submitted', changed: '', 'pr-link': '' },
  })
  expect(later[0]).toMatchObject({
    result: { outcome: 'pull-request' },
    outputs: { 'pr-link': expect.stringMatching(/\/pull\/2$/) },
  })
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

test('does not write `result` after each read of a job', async () => {
  const written = await listMilestones({}, { turns: [{ durationMs: 300_000, ending: 'failed' }] })
  expect(written.map(({ result }) => result.outcome)).toEqual(['submitted', 'failed'])
})

test('writes `result` when a prompt with unknown delivery is confirmed by its turn', async () => {
  const written = await listMilestones({ 'job-id': 'job_finished' }, { scenario: 'lost-answer' })
  expect(written[0]?.result).toMatchObject({ ...UNENDED, outcome: 'submitted', job: { id: 'job_finished' } })
})
