import { readFileSync } from 'node:fs'
import { describe, expect, jest, test } from '@jest/globals'
import { parse } from 'yaml'
import type { AgentInputs } from '../src/agent/facts.ts'
import type { Outcome } from '../src/agent/record.ts'
import { DEFAULT_START_MS } from '../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN, MAINTAINER } from '../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../src/emulator/github/github-scenarios.ts'
import { pushCommit } from '../src/emulator/github/repository-changes.ts'
import { createRepositoryState, type RepositoryState } from '../src/emulator/github/repository-state.ts'
import type { TokenPermissions } from '../src/emulator/github/state.ts'
import { playStep, type PlayedStep } from '../testing/play-step.ts'
import { PUSH, type GivenRun } from '../testing/given-run.ts'
import { agentInputs } from '../testing/agent-inputs.ts'
import { listCodeBlocks, root } from '../testing/markdown-files.ts'
import { AGENT_ACTION, getPermissions, listWorkflowsToCopy, readExampleStep } from '../testing/workflow-files.ts'

const EXAMPLE = listWorkflowsToCopy().find(({ name }) => name.startsWith('README.md'))
const JOB = Object.values(EXAMPLE?.workflow.jobs ?? {})[0]
const { inputs: declared } = parse(readFileSync(`${root}action.yml`, 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
}

const FIRST_RUN = 100

/** A row for each run. */
const HISTORY = /opened(?:.*\n)+?.*1 new commit.*\n.*1 new commit/

/** The permissions in the workflow, and no others. */
function readPermissions(): TokenPermissions {
  if (EXAMPLE === undefined || JOB === undefined) throw new Error('README.md has no workflow of the action.')
  return getPermissions(EXAMPLE.workflow, JOB)
}

function omitIssues(permissions: TokenPermissions): TokenPermissions {
  return Object.fromEntries(Object.entries(permissions).filter(([name]) => name !== 'issues'))
}

const agentStep = () => JOB?.steps?.find(({ uses }) => uses === AGENT_ACTION)

/** The inputs of the step as the runner passes them. An expression names a secret or variable, which `agentInputs` has. */
function readInputs(): AgentInputs {
  const defaults = Object.entries(declared).map(([name, { default: value = '' }]) => [name, value] as const)
  const plain = defaults.filter(([, value]) => value !== '' && !value.startsWith('${{'))
  return agentInputs({}, { ...Object.fromEntries(plain), ...readExampleStep().inputs, 'github-token': GITHUB_TOKEN })
}

/** Somebody changes the code. @returns what the runner says to the run of the next night */
function pushCode(docs: RepositoryState, serial: number, nowMs: number): Partial<GivenRun> & { readonly sha: string } {
  const files = [{ filename: 'src/deploy.ts', patch: `@@ -1 +1 @@\n-${serial - 1}\n+${serial}` }]
  const { sha } = pushCommit(docs, 'main', { message: `Change ${serial}`, author: MAINTAINER, files }, nowMs)
  const payload = { schedule: '23 3 * * 1-5', repository: PUSH.repository }
  return { eventName: 'schedule', actor: MAINTAINER, sha, runId: FIRST_RUN + serial, payload }
}

/** The pull requests of the workflow's jobs. The embedded service has finished and running jobs of others from the start. */
const listPulls = (docs: RepositoryState) =>
  Object.values(docs.pulls).filter(({ branch }) => !['agent/job_finished', 'agent/job_running'].includes(branch))

/** Three pushes, each before a night with a run of the workflow, as the runs leave the repository. */
async function runThreeNights(permissions: TokenPermissions) {
  const github = { ...combineScenarios([]), permissions }
  const { 'acme/docs': docs = createRepositoryState() } = createDemoState(github, DEFAULT_START_MS).repositories
  const run = {
    workflow: 'docs.yml',
    branch: 'main',
    event: 'schedule',
    status: 'completed',
    conclusion: 'success',
  } as const
  const ends: { outcome: Outcome; pulls: number; sentTo: readonly string[] }[] = []
  let after: PlayedStep | undefined
  for (const serial of [1, 2, 3]) {
    const nowMs = DEFAULT_START_MS + (after?.baseClock.now() ?? 0)
    const facts = pushCode(docs, serial, nowMs)
    after = await playStep({ inputs: readInputs(), github, repository: docs, facts, after })
    docs.workflowRuns.push({ ...run, id: FIRST_RUN + serial, headSha: facts.sha, createdAtMs: nowMs })
    const { report, acceptedPrompts } = after
    ends.push({
      outcome: report.outcome,
      pulls: listPulls(docs).length,
      sentTo: acceptedPrompts.map(([to]) => to),
    })
  }
  return { docs, ends }
}

const readRecipe = (name: string) => listWorkflowsToCopy().find((one) => one.name === name)?.workflow

test('the workflow in the README is the recipe on-schedule.yml, with other comments', () => {
  expect(EXAMPLE?.workflow).toEqual(readRecipe('on-schedule.yml'))
})

test('the example in the README is one step with at most eight inputs, all of them inputs of the workflow', () => {
  const [example = ''] = listCodeBlocks(readFileSync(`${root}README.md`, 'utf8'), 'yaml')
  const [{ with: given = {} } = {}, ...others] = parse(example) as { with?: Readonly<Record<string, unknown>> }[]
  expect(others).toEqual([])
  expect(Object.keys(given).length).toBeLessThanOrEqual(8)
  expect(Object.keys(agentStep()?.with ?? {})).toEqual(expect.arrayContaining(Object.keys(given)))
})

test('the line in the README for every push turns it into the recipe on-push.yml', () => {
  const [, workflow = '', push = ''] = listCodeBlocks(readFileSync(`${root}README.md`, 'utf8'), 'yaml')
  const changed = workflow.replace(/ {2}schedule:\n.*cron.*\n/, `  ${push.trimEnd()}\n`)
  expect(parse(changed)).toEqual(readRecipe('on-push.yml'))
})

// Each run plays all requests of a step to two servers, which takes long on a busy machine.
jest.setTimeout(120_000)

describe('three nights of the workflow in the README, in a repository without the label,', () => {
  const permissions = readPermissions()

  test('with its permissions, end with one pull request and one job', async () => {
    const { docs, ends } = await runThreeNights(permissions)
    const each = { outcome: 'pull-request', pulls: 1 }
    const followUp = { ...each, sentTo: ['job_000001'] }
    expect(ends).toEqual([{ ...each, sentTo: ['create'] }, followUp, followUp])
    const comments = [{ body: expect.stringMatching(HISTORY) as unknown }]
    expect(listPulls(docs)).toMatchObject([{ labels: ['docs-agent'], comments }])
    expect(docs.labels).toEqual(['documentation', 'docs-agent'])
  })

  test('without `issues: write`, are red and send nothing, because the label cannot be created', async () => {
    const { docs, ends } = await runThreeNights(omitIssues(permissions))
    const each = { outcome: 'error', pulls: 0, sentTo: [] }
    expect(ends).toEqual([each, each, each])
    expect(docs.labels).toEqual(['documentation'])
  })
})
