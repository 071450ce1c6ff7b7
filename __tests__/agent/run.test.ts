import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import { parsePathPatterns } from '../../src/agent/inputs/path-patterns.ts'
import type { Task } from '../../src/agent/inputs/task.ts'
import { agentAction } from '../../src/agent/agent-action.ts'
import { conclude } from '../../src/agent/report/conclusion.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { renderSummary } from '../../src/agent/report/summary.ts'
import { runAgent } from '../../src/agent/run.ts'
import type { GitHub } from '../../src/github/github.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import type { OnCrash } from '../../src/action/action.ts'
import { ATTACH, CREATE } from '../support/agent-run.ts'
import { active, completed, failed, fakeClient, type FakeClient, type Script } from '../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, PUSH, refusal, rejecting, RUN_FACTS } from '../support/fake-github.ts'
import { fakeHost } from '../support/fake-host.ts'
import { agentInputs, fakeStep } from '../support/fake-step.ts'

interface StepRun {
  readonly report: Report
  readonly client: FakeClient
  /** How often GitHub's client was asked for. */
  readonly loads: number
  /** The deadlines that questions were given besides the step's own, since its beginning. */
  readonly deadlines: readonly number[]
}

interface StepOptions {
  readonly task?: Task
  readonly inputs?: Partial<AgentInputs>
  readonly answers?: Partial<GitHub>
  readonly eventName?: string
  readonly script?: Partial<Script>
  readonly loadError?: ActionError
}

/** Of what is written when the job was read once. */
const LOG_DEADLINE = 30_000
const FILES_DEADLINE = 20_000
const SCRIPT: Script = { create: active, reads: [completed] }

async function run(
  { task = CREATE, inputs = {}, answers, eventName = 'push', script, loadError }: StepOptions,
  onCrash?: OnCrash<Report>,
): Promise<StepRun> {
  const client = fakeClient({ ...SCRIPT, ...script })
  const github = fakeGitHub(answers)
  let loads = 0
  const serverUrl = `https://${completed.prLink?.host ?? ''}`
  const step = {
    ...fakeStep({ client, context: { ...RUN_FACTS, eventName, payload: PUSH, serverUrl } }),
    github: () => {
      loads++
      return loadError === undefined ? Promise.resolve(github) : Promise.reject(loadError)
    },
  }
  const report = await runAgent(
    agentInputs({ task, githubToken: 'ghs_token', label: 'docs-agent', ...inputs }),
    step,
    onCrash,
  )
  return { report, client, loads, deadlines: github.deadlines.map((at) => at - step.startedAt) }
}

const skipping: StepOptions = {
  inputs: { pathFilter: { kind: 'paths', rules: parsePathPatterns('src/**').rules } },
}

test('a change that does not count asks nothing of the service, and is green', async () => {
  const { report, client } = await run(skipping)
  expect(client.calls).toEqual([])
  expect(report.outcome).toBe('skipped')
  const conclusion = conclude(report, new Set(['no-changes']))
  expect(conclusion).toMatchObject({
    isGreen: true,
    title: 'Skipped, nothing to do',
    advice: undefined,
  })
  expect(conclusion.text).toContain('No changed file matches `paths`')
  expect(renderSummary(report, conclusion)).toContain('Triggered by')
})

test('an event that cannot be read is none, said with one notice before anything else', async () => {
  const notices: string[] = []
  const host = { ...fakeHost(), notice: (title: string) => notices.push(title) }
  const client = fakeClient(SCRIPT)
  for (const facts of [RUN_FACTS, { ...RUN_FACTS, payload: 'cut' }])
    await runAgent(agentInputs({ task: CREATE }), fakeStep({ core: host, client, context: facts }))
  expect(notices).toEqual(['The event could not be read'])
  expect(client.calls.filter((call) => call === 'create')).toHaveLength(2)
})

test.each([
  ['commits', 'the commits'],
  ['files', 'the commits and the names of the files'],
  ['diff', 'the commits, the files and their changes'],
] as const)(
  'the prompt stays first, byte for byte, and what changed (%s) comes behind it',
  async (changeContext, what) => {
    const { report } = await run({ inputs: { changeContext } })
    const prompt = report.task?.kind === 'create' ? report.task.prompt : ''
    expect(prompt.startsWith('Fix the guide.\n\nWhat changed in acme/docs')).toBe(true)
    expect(report.change).toContain(`Added to the prompt: ${what} (`)
  },
)

test('without a context the prompt is what was given', async () => {
  expect((await run({})).report.task).toEqual(CREATE)
})

test('attaching asks GitHub nothing before, and is never skipped', async () => {
  const { report, deadlines } = await run({ ...skipping, task: ATTACH, script: { reads: [active, completed] } })
  expect(report.outcome).toBe('pull-request')
  expect(deadlines).toEqual([LOG_DEADLINE])
})

test('a step that asks GitHub nothing does not load what would', async () => {
  const { loads } = await run({
    eventName: 'schedule',
    script: { reads: [failed] },
  })
  expect(loads).toBe(0)
})

test('a step without a token loads nothing for the pull request', async () => {
  expect((await run({ eventName: 'schedule', inputs: { githubToken: '' } })).loads).toBe(0)
})

test('questions before the job get two minutes of the step, those after it all that is left, and the log its own time', async () => {
  expect((await run({})).deadlines).toEqual([120_000, FILES_DEADLINE, LOG_DEADLINE])
  expect((await run({ inputs: { timeoutMs: 60_000 } })).deadlines).toEqual([30_000, FILES_DEADLINE, LOG_DEADLINE])
})

test('the pull request is handed off', async () => {
  const { report } = await run({ answers: { readPullRequest: inTurn({ ...PULL_REQUEST, state: 'draft' }) } })
  expect(report.pullRequest).toMatchObject({ state: 'draft', branch: 'agent/guide' })
  expect(report.shortfalls).toEqual([])
})

test('whatever GitHub does, the result of the job stands', async () => {
  const forbidden = rejecting(refusal('forbidden', 'Grant it.'))
  const { report } = await run({ answers: { readPullRequest: forbidden, findPullRequestsOfCommit: forbidden } })
  expect(report).toMatchObject({ outcome: 'pull-request', pullRequest: {} })
  expect(report.error).toBeUndefined()
  expect(report.shortfalls).toHaveLength(2)
  const conclusion = conclude(report, new Set(['failed']))
  expect(conclusion.isGreen).toBe(true)
  expect(renderSummary(report, conclusion)).toContain('Not done on GitHub')
})

test('a client that cannot be started costs what it was for, and not the result of the job', async () => {
  const { report } = await run({ loadError: refusal('proxy', 'Check it.') })
  expect(report.outcome).toBe('pull-request')
  expect(report.error).toBeUndefined()
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

test('of a step that a defect stops after its job has ended, job and pull request are told', async () => {
  let tellKnown: ((error: ActionError) => Report) | undefined
  const readPullRequest = (): never => {
    throw new TypeError('nobody foresaw this')
  }
  const stopped = run({ answers: { readPullRequest } }, (given) => (tellKnown = given))
  await expect(stopped).rejects.toThrow('nobody foresaw this')
  const report = tellKnown?.(refusal('internal'))
  if (report === undefined) throw new Error('Nothing is known.')
  const { conclusion, outputs, summary } = agentAction.render(report, agentInputs(), (text) => text)
  expect(conclusion).toMatchObject({ isGreen: false, title: 'Internal error' })
  expect(outputs).toMatchObject({ outcome: 'error', 'job-id': completed.id, 'pr-link': completed.prLink?.href })
  expect(summary()).toContain(completed.prLink?.href)
})
