import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN, MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { playStep, type PlayedStep } from '../../testing/play-step.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { AGENT_ACTION, CENTRAL_RECIPE, readWorkflow } from '../../testing/workflow-files.ts'

const CALLER = 'docs.yml'

/**
 * Reads the inputs of the step in the central workflow. Its expressions have the given values, or those of
 * `agentInputs`.
 */
function readInputs(changed: Readonly<Record<string, string>>) {
  const steps = Object.values(readWorkflow(CENTRAL_RECIPE).jobs).flatMap(({ steps = [] }) => steps)
  const given = Object.entries(steps.find(({ uses }) => uses === AGENT_ACTION)?.with ?? {}).map(
    ([name, value]) => [name, String(value)] as const,
  )
  const plain = Object.fromEntries(given.filter(([, value]) => !value.startsWith('${{')))
  return agentInputs({}, { ...plain, paths: 'src/**', 'github-token': GITHUB_TOKEN, ...changed })
}

/** Creates a repository that calls the central workflow and has no successful run of it. */
function openRepository() {
  const github = combineScenarios([])
  const { 'acme/docs': docs = createRepositoryState() } = createDemoState(github, DEFAULT_START_MS).repositories
  docs.workflowRuns.length = 0
  let runId = 100
  let after: PlayedStep | undefined
  const now = (): number => DEFAULT_START_MS + (after?.baseClock.now() ?? 0)

  async function run(eventName: string, changed: Readonly<Record<string, string>> = {}): Promise<PlayedStep> {
    const sha = docs.branches['main'] ?? ''
    const payload = { repository: { default_branch: 'main' } }
    const facts = { eventName, payload, actor: MAINTAINER, sha, runId: ++runId, workflow: CALLER }
    after = await playStep({ inputs: readInputs(changed), github, repository: docs, facts, after })
    recordSuccess(docs, { id: runId, event: eventName, headSha: sha, createdAtMs: now() })
    return after
  }

  function push(filename: string): void {
    const files = [{ filename, patch: '@@ -1 +1 @@\n-a\n+b' }]
    pushCommit(docs, 'main', { message: `Change ${filename}`, author: MAINTAINER, files }, now())
  }

  return { run, push }
}

type Success = Pick<RepositoryState['workflowRuns'][number], 'id' | 'event' | 'headSha' | 'createdAtMs'>

function recordSuccess(docs: RepositoryState, run: Success): void {
  docs.workflowRuns.push({ ...run, workflow: CALLER, branch: 'main', status: 'completed', conclusion: 'success' })
}

test('the first run of a caller covers what changed since its file was changed, manually and at night', async () => {
  for (const eventName of ['workflow_dispatch', 'schedule']) {
    const { run, push } = openRepository()
    push('src/first.ts')
    const { report, acceptedPrompts } = await run(eventName)
    expect([report.outcome, acceptedPrompts.map(([to]) => to)]).toEqual(['pull-request', ['create']])
    expect(acceptedPrompts[0]?.[1]).toContain('src/first.ts')
  }
})

test('after a first run with `dry-run: true`, each run sends the changes since then, and no prompt without changes', async () => {
  const { run, push } = openRepository()
  push('src/first.ts')
  const dryRun = await run('schedule', { 'dry-run': 'true' })
  expect([dryRun.report.outcome, dryRun.acceptedPrompts]).toEqual(['previewed', []])

  const quiet = await run('schedule')
  expect([quiet.report.outcome, quiet.acceptedPrompts]).toEqual(['skipped', []])

  push('src/second.ts')
  const { report, acceptedPrompts } = await run('schedule')
  expect([report.outcome, acceptedPrompts.map(([to]) => to)]).toEqual(['pull-request', ['create']])
  expect(acceptedPrompts[0]?.[1]).toContain('src/second.ts')
  expect(acceptedPrompts[0]?.[1]).not.toContain('src/first.ts')
})
