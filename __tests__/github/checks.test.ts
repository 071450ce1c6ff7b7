import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { ALL_PERMISSIONS, type Permissions } from '../../src/emulator/github/state.ts'
import type { Check } from '../../src/github/checks.ts'
import type { GitHub } from '../../src/github/github.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { answering, askingGitHub, errorOf, type AskingOptions } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'

const SHA = commit('c')
const BUILD = { name: 'build', headSha: SHA }
const readFrom = (github: GitHub) => github.readChecks('acme/docs', SHA, RUN_FACTS)

const read = (
  fields: Partial<RepositoryState>,
  permissions: Permissions = ALL_PERMISSIONS,
  rest: AskingOptions = {},
  suffices?: (listed: readonly Check[]) => boolean,
) =>
  askingGitHub({ docs: repositoryState(fields), state: { permissions }, ...rest }, async (github, { asked }) => {
    const checks = await github.readChecks('acme/docs', SHA, RUN_FACTS, suffices)
    return { checks, told: checks.map(({ name, state }) => `${name}: ${state}`), asked }
  })

test('check runs and commit statuses both count, with what they say', async () => {
  const detailsUrl = 'https://links.example/1'
  const run = { ...BUILD, id: 7, title: 'Fine', summary: 'All 31 pages.', app: 'links', detailsUrl }
  const status = { headSha: SHA, context: 'ci/preview', state: 'error', createdAtMs: 0 } as const
  const checkRuns = [checkRun({ ...run, startedAtMs: 1_000, completedAtMs: 4_000 })]
  const said = { id: 7, app: 'links', title: 'Fine', summary: 'All 31 pages.', detailsUrl, tookMs: 3_000 }
  expect((await read({ checkRuns, statuses: [status] })).checks).toMatchObject([
    { name: 'build', state: 'success', ...said },
    { name: 'ci/preview', state: 'failure' },
  ])
})

test('one look takes four requests, with hundreds of check runs', async () => {
  const run = (index: number) => checkRun({ ...BUILD, id: index, name: `check ${index}`, suiteId: index % 3 })
  const runs = Array.from({ length: 350 }, (_, index) => run(index + 1))
  const { told, asked } = await read({ checkRuns: runs })
  expect(asked).toEqual([
    'checks/list-suites-for-ref',
    'checks/list-for-ref',
    'repos/get-combined-status-for-ref',
    'actions/list-workflow-runs-for-repo',
  ])
  expect(told.slice(100)).toHaveLength(3)
  expect(told.every((one) => one.endsWith(': success'))).toBe(true)
  const late = await read({ checkRuns: runs.map((one) => (one.id === 349 ? { ...one, conclusion: 'failure' } : one)) })
  expect(late.told).toContain('github-actions, which ended with failure: failure')
})

test('a later run takes the place of an older one, if the token may know of it', async () => {
  const run = (id: number): WorkflowRun => ({
    id: id * 10,
    suiteId: id,
    workflow: 'ci.yml',
    event: 'push',
    branch: 'agent/guide',
    headSha: SHA,
    createdAtMs: 0,
    status: 'completed',
    conclusion: 'success',
  })
  const job = (id: number, conclusion: string) => checkRun({ ...BUILD, id, suiteId: id, runId: id * 10, conclusion })
  const given = { checkRuns: [job(2, 'failure'), job(3, 'success')], workflowRuns: [run(2), run(3)] }
  expect((await read(given)).told).toEqual(['build: success'])
  for (const suffices of [true, false]) {
    const seen: string[][] = []
    const look = (listed: readonly Check[]) => (seen.push(listed.map(({ state }) => state)), suffices)
    const { told, asked } = await read(given, ALL_PERMISSIONS, {}, look)
    expect([seen, told.length, asked.length]).toEqual([[['failure', 'success']], suffices ? 2 : 1, suffices ? 2 : 4])
  }
  const { told, checks } = await read(given, { checks: 'read', statuses: 'read' })
  expect(told).toEqual(['build: failure', 'build: success'])
  expect(checks.map(({ doubt }) => doubt?.hint)).toEqual([expect.stringContaining('`actions: read`'), undefined])
})

test('runs that cannot be read for another reason than the token’s are waited for', async () => {
  const failing = (status: number) => ({
    faults: { 'actions/list-workflow-runs-for-repo': Array<number>(4).fill(status) },
  })
  expect(await errorOf(read({}, ALL_PERMISSIONS, failing(500)))).toMatchObject({ code: 'service-error' })
  expect((await read({}, ALL_PERMISSIONS, failing(404))).checks).toEqual([])
})

test('what is not as GitHub describes it costs no more than itself', async () => {
  const completed = { status: 'completed', conclusion: 'failure' }
  const runs = [null, { ...completed, id: 1, name: { is: 'build' }, app: 7 }, { ...completed, name: 'links' }]
  const answers: Readonly<Record<string, unknown>> = {
    'check-suites': { total_count: 'one', check_suites: [null, { id: {}, app: null, status: 7 }] },
    'check-runs': { total_count: 3, check_runs: runs },
    status: { total_count: 1, state: {}, statuses: [{ context: 5, state: null }] },
    runs: { workflow_runs: [null, { id: 'x' }, { id: 5 }] },
  }
  const checks = await readFrom(answering((path) => answers[path.replace(/.*\//, '')]))
  expect(checks.map(({ name, state }) => `${name}: ${state}`)).toEqual([
    'a check without a name: failure',
    'links: failure',
    'github-actions, which has not ended: pending',
    '1 check run that GitHub does not list: pending',
    '1 check suite that GitHub does not list: pending',
    'a commit status without a name: pending',
  ])
})

test('gives where each annotation is, and what it says', async () => {
  const said = { path: 'docs/a.md', annotation_level: 'failure', message: 'It is gone.' } as const
  const annotations = [
    { ...said, start_line: 4, end_line: 4, title: 'Missing' },
    { ...said, start_line: 9, end_line: 9, title: null },
  ]
  const docs = repositoryState({ checkRuns: [checkRun({ ...BUILD, id: 7, annotations })] })
  const list = (github: GitHub) => github.listAnnotations('acme/docs', 7)
  expect(await askingGitHub({ docs }, list)).toEqual([
    { path: 'docs/a.md', line: 4, title: 'Missing', message: 'It is gone.' },
    { path: 'docs/a.md', line: 9, title: '', message: 'It is gone.' },
  ])
  const wrong = [null, { path: 5, start_line: '4', title: {}, message: 'It is gone.' }]
  const worth = { path: 'a file', line: 0, title: '', message: 'It is gone.' }
  expect(await list(answering(() => wrong))).toEqual([worth])
})
