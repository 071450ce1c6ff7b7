import { expect, test } from '@jest/globals'
import { conclude } from '../../src/agent/report/conclusion.ts'
import type { GitHubInputs } from '../../src/agent/inputs/github-inputs.ts'
import type { AgentInputs, Task } from '../../src/agent/inputs/inputs.ts'
import { parsePathPatterns } from '../../src/agent/inputs/path-patterns.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runStep } from '../../src/agent/step.ts'
import { renderSummary } from '../../src/agent/report/summary.ts'
import type { GitHub } from '../../src/github/connect-github.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { ATTACH, CREATE } from '../support/agent-run.ts'
import { active, completed, fakeClient, type FakeClient, type Script } from '../support/fake-client.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'
import {
  fakeGitHub,
  GITHUB_INPUTS,
  inTurn,
  PULL_REQUEST,
  PUSH,
  refusal,
  rejecting,
  RUN_FACTS,
} from '../support/fake-github.ts'

interface StepRun {
  readonly report: Report
  readonly client: FakeClient
  /** How often GitHub's part was loaded, each with the deadline that it was given. */
  readonly loads: readonly number[]
}

interface StepOptions {
  readonly task?: Task
  readonly github?: Partial<GitHubInputs>
  readonly answers?: Partial<GitHub>
  readonly eventName?: string
  readonly script?: Partial<Script>
  readonly signal?: AbortSignal
  readonly loadError?: ActionError
}

const SCRIPT: Script = { create: active, reads: [completed] }

async function run({
  task = CREATE,
  github = {},
  answers,
  eventName = 'push',
  script,
  signal,
  loadError,
}: StepOptions): Promise<StepRun> {
  const clock = fakeClock()
  const client = fakeClient({ ...SCRIPT, ...script })
  const loads: number[] = []
  const serverUrl = new URL(completed.prLink ?? '').origin
  const inputs: AgentInputs = {
    task,
    projectId: 'docs-demo',
    apiKey: 'docs_key',
    baseUrl: 'https://docs.example.com',
    wait: true,
    timeoutMs: 3_600_000,
    pollIntervalMs: undefined,
    failOn: new Set(),
    summary: true,
    github: { ...GITHUB_INPUTS, ...github },
  }
  const report = await runStep(inputs, {
    client,
    clock,
    signal: signal ?? new AbortController().signal,
    random: () => 0.5,
    startedAt: clock.now(),
    log: () => undefined,
    warn: () => undefined,
    onJobAccepted: () => undefined,
    eventName,
    loadGitHub: (deadlineAt) => {
      loads.push(deadlineAt - CLOCK_START_MS)
      if (loadError !== undefined) return Promise.reject(loadError)
      const facts = { ...RUN_FACTS, eventName, payload: PUSH, serverUrl }
      return Promise.resolve({ facts, github: fakeGitHub(answers) })
    },
  })
  return { report, client, loads }
}

const skipping: StepOptions = { github: { pathFilter: { kind: 'paths', rules: parsePathPatterns('src/**').rules } } }

test('a change that does not count asks nothing of the service, and is green', async () => {
  const { report, client } = await run(skipping)
  expect(client.calls).toEqual([])
  expect(report.outcome).toBe('skipped')
  const conclusion = conclude(report, new Set(['no-changes']))
  expect(conclusion).toMatchObject({ isGreen: true, title: 'Skipped: no change for the agent', advice: [] })
  expect(conclusion.text).toContain('No changed file counts by `paths`')
  expect(renderSummary(report, conclusion)).toContain('What changed')
})

test('the prompt stays first, byte for byte, and what changed comes behind it', async () => {
  const { report } = await run({ github: { changeContext: 'files' } })
  const prompt = report.task?.kind === 'create' ? report.task.prompt : ''
  expect(prompt.startsWith('Fix the guide.\n\nWhat changed in acme/docs')).toBe(true)
  expect(report.change).toContain('Sent with the prompt')
})

test('without a context the prompt is what was given', async () => {
  expect((await run({})).report.task).toEqual(CREATE)
})

test('attaching asks GitHub nothing before, and is never skipped', async () => {
  const { report, loads } = await run({ ...skipping, task: ATTACH, script: { reads: [active, completed] } })
  expect(report.outcome).toBe('pull-request')
  expect(loads).toEqual([3_600_000])
})

test('a step that asks GitHub nothing does not load what would', async () => {
  const { loads } = await run({
    eventName: 'schedule',
    script: { reads: [{ ...completed, status: 'failed', prLink: undefined }] },
  })
  expect(loads).toEqual([])
})

test('a step without a token loads nothing for the pull request', async () => {
  expect((await run({ eventName: 'schedule', github: { token: '' } })).loads).toEqual([])
})

test('questions before the job get two minutes of the step, and those after it all that is left', async () => {
  expect((await run({})).loads).toEqual([120_000, 3_600_000])
})

test('the pull request is handed off', async () => {
  const { report } = await run({ answers: { readPullRequest: inTurn({ ...PULL_REQUEST, state: 'draft' }) } })
  expect(report.handOff).toMatchObject({ state: 'draft', branch: 'agent/guide' })
  expect(report.shortfalls).toEqual([])
})

test('whatever GitHub does, the result of the job stands', async () => {
  const forbidden = rejecting(refusal('forbidden', 'Grant it.'))
  const { report } = await run({ answers: { readPullRequest: forbidden, findPullRequestsOfCommit: forbidden } })
  expect(report).toMatchObject({ outcome: 'pull-request', error: undefined, handOff: {} })
  expect(report.shortfalls).toHaveLength(2)
  const conclusion = conclude(report, new Set(['failed']))
  expect(conclusion.isGreen).toBe(true)
  expect(renderSummary(report, conclusion)).toContain('Not done on GitHub')
})

test('a client that cannot be started costs what it was for, and not the result of the job', async () => {
  const { report } = await run({ loadError: refusal('proxy', 'Check it.') })
  expect(report).toMatchObject({ outcome: 'pull-request', error: undefined })
  expect(report.shortfalls).toHaveLength(2)
})

test('a run that is cancelled before the job has begun asks nothing of the service', async () => {
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  const { report, client } = await run({ answers: { findPullRequestsOfCommit: rejecting(cancelled) } })
  expect(report).toMatchObject({ outcome: 'cancelled', error: cancelled })
  expect(client.calls).toEqual([])
})

test('a run that is cancelled while GitHub is asked still tells its job and its pull request', async () => {
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  const { report } = await run({ answers: { readPullRequest: rejecting(cancelled) } })
  expect(report).toMatchObject({ outcome: 'cancelled', job: completed })
  const conclusion = conclude(report, new Set())
  expect(conclusion.isGreen).toBe(false)
  expect(conclusion.text).not.toContain('still runs')
})
