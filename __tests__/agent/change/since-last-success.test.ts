import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../../src/emulator/github/check-state.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { createRepositoryState, type RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { PUSH, type GivenRun } from '../../../testing/given-run.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { commit, madeCommit } from '../../../testing/github-state.ts'
import { playStep, type PlayedStep } from '../../../testing/play-step.ts'

const SINCE = { 'change-context': 'files', 'change-range': 'since-last-success' }
const IMPLICIT = { 'change-context': 'files' }
const [OLD, ADDED, NEW] = [commit('1'), commit('a'), commit('b')]

/** Three commits on the main branch, the second of which adds the workflow. */
const createRepository = (fields: Partial<RepositoryState> = {}): RepositoryState =>
  createRepositoryState({
    commits: [
      madeCommit({ sha: OLD, files: [{ filename: 'src/old.ts' }] }),
      madeCommit({ sha: ADDED, parents: [OLD], files: [{ filename: '.github/workflows/docs.yml' }] }),
      madeCommit({ sha: NEW, parents: [ADDED], files: [{ filename: 'src/new.ts' }] }),
    ],
    branches: { main: NEW },
    ...fields,
  })

const run = (id: number, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  id,
  headSha: OLD,
  workflow: 'docs.yml',
  branch: 'main',
  event: 'push',
  status: 'completed',
  conclusion: 'success',
  createdAtMs: 0,
  ...fields,
})

const SCHEDULE: Partial<GivenRun> = { eventName: 'schedule', payload: {} }
const PUSHED: Partial<GivenRun> = { eventName: 'push', payload: PUSH }

const play = (
  facts: Partial<GivenRun>,
  given: Readonly<Record<string, string>> = SINCE,
  fields: Partial<RepositoryState> = {},
): Promise<PlayedStep> =>
  playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, ...given }),
    repository: createRepository(fields),
    facts,
  })

const countLookUps = ({ operations }: PlayedStep): number =>
  operations.filter((name) => name === 'repos/list-commits').length

const getPrompt = ({ acceptedPrompts }: PlayedStep): string => acceptedPrompts.map(([, prompt]) => prompt).join()

test.each<[what: string, facts: Partial<GivenRun>, given: Readonly<Record<string, string>>]>([
  ['push', PUSHED, SINCE],
  ['schedule', SCHEDULE, SINCE],
  ['schedule without `change-range`', SCHEDULE, IMPLICIT],
])('the first run on a %s begins at the commit that changed the workflow file last', async (_what, facts, given) => {
  const played = await play(facts, given)
  expect(getPrompt(played)).toContain(
    'everything since the workflow file was changed last, from `aaaaaaa` to `bbbbbbb`',
  )
  expect(getPrompt(played)).toContain('src/new.ts')
  expect(getPrompt(played)).not.toContain('src/old.ts')
  expect(countLookUps(played)).toBe(1)
})

test.each([
  ['push', PUSHED],
  ['schedule', SCHEDULE],
])('the first run on a %s is skipped if nothing has changed since, and says how to try it', async (_what, facts) => {
  const payload = facts === PUSHED ? { ...PUSH, before: OLD, after: ADDED } : {}
  const played = await play({ ...facts, payload, sha: ADDED }, SINCE, { branches: { main: ADDED } })
  expect([played.isGreen, played.report.outcome, getPrompt(played)]).toEqual([true, 'skipped', ''])
  expect(played.line).toContain('use the recipe `try.yml`')
})

test('a run after a success begins there, and looks up no commit', async () => {
  const played = await play(SCHEDULE, SINCE, { workflowRuns: [run(31)] })
  expect(getPrompt(played)).toContain('everything since the last successful run, from `1111111`')
  expect(countLookUps(played)).toBe(0)
})

test.each([
  ['', []],
  [', whose workflow has run more than 500 times elsewhere', Array.from({ length: 501 }, (_, index) => run(index + 1))],
])('the first push to another branch%s covers the whole branch', async (_name, workflowRuns) => {
  const branches = { main: OLD, next: NEW }
  const payload = { ...PUSH, ref: 'refs/heads/next' }
  const played = await play({ ...PUSHED, payload, refName: 'next', runId: 1_000 }, SINCE, { branches, workflowRuns })
  expect(getPrompt(played)).toContain('the complete branch, from `main`')
  expect(countLookUps(played)).toBe(0)
})

test.each([
  ['the default branch', { repository: { default_branch: 'main' } }],
  ['what may be the default branch', { repository: undefined }],
])('a push to %s is red if none of the newest 500 runs was successful', async (_name, fields) => {
  const workflowRuns = Array.from({ length: 501 }, (_, index) => run(index + 1, { conclusion: 'failure' }))
  const played = await play({ ...PUSHED, payload: { ...PUSH, ...fields }, runId: 1_000 }, SINCE, { workflowRuns })
  expect([played.isGreen, getPrompt(played)]).toEqual([false, ''])
  expect(played.line).toContain('none of the newest 500 runs of `docs.yml` was successful on `main`')
})

test('a workflow file of another repository has no base, which a notice says', async () => {
  const played = await play({ ...PUSHED, workflow: undefined }, SINCE, { workflowRuns: [run(31)] })
  expect(getPrompt(played)).toContain('the push, from `aaaaaaa` to `bbbbbbb`')
  expect(played.hostCalls.join('\n')).toContain('the workflow file of this run is in another repository or unknown')
})

const COVERED = [run(31), run(50)]

test('a re-run whose commits a later run has covered is skipped, with a link to that run', async () => {
  const played = await play({ ...PUSHED, runAttempt: 2 }, SINCE, { workflowRuns: COVERED })
  expect([played.isGreen, played.report.outcome, getPrompt(played)]).toEqual([true, 'skipped', ''])
  expect(played.line).toMatch(/\/acme\/docs\/actions\/runs\/50 has succeeded/)
  expect(played.summary).toMatch(/\/acme\/docs\/actions\/runs\/50/)
})

test.each<[what: string, attempt: number, given: Readonly<Record<string, string>>, runs: readonly WorkflowRun[]]>([
  ['a first attempt', 1, SINCE, COVERED],
  ['a re-run without `since-last-success`', 2, IMPLICIT, COVERED],
  ['a re-run after which no run has succeeded', 2, SINCE, [run(31), run(50, { conclusion: 'failure' })]],
  [
    'a re-run after a manual run, which may have had another range',
    2,
    SINCE,
    [run(31), run(50, { event: 'workflow_dispatch' })],
  ],
])('%s is sent', async (_what, runAttempt, given, workflowRuns) => {
  const played = await play({ ...PUSHED, runAttempt }, given, { workflowRuns: [...workflowRuns] })
  expect(played.acceptedPrompts).toHaveLength(1)
})
