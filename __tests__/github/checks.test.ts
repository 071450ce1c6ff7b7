import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { ALL_PERMISSIONS, type Permissions } from '../../src/emulator/github/state.ts'
import type { GitHub } from '../../src/github/github.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { answering, askingGitHub, errorOf, type AskingOptions } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'

const SHA = commit('c')
const BUILD = { name: 'build', headSha: SHA }
const readFrom = (github: GitHub) => github.readChecks('acme/docs', SHA, RUN_FACTS)

const read = (fields: Partial<RepositoryState>, permissions: Permissions = ALL_PERMISSIONS, rest: AskingOptions = {}) =>
  askingGitHub({ docs: repositoryState(fields), state: { permissions }, ...rest }, async (github, { asked }) => {
    const checks = await readFrom(github)
    return { checks, told: checks.map(({ name, state }) => `${name}: ${state}`), asked }
  })

test('check runs and commit statuses both count, with what they say', async () => {
  const detailsUrl = 'https://links.example/1'
  const run = { ...BUILD, id: 7, title: 'Fine', summary: 'All 31 pages.', app: 'links', detailsUrl }
  const status = { headSha: SHA, context: 'ci/preview', state: 'error', createdAtMs: 0 } as const
  const checkRuns = [checkRun({ ...run, startedAtMs: 1_000, completedAtMs: 4_000 })]
  expect((await read({ checkRuns, statuses: [status] })).checks).toMatchObject([
    {
      name: 'build',
      state: 'success',
      id: 7,
      app: 'links',
      title: 'Fine',
      summary: 'All 31 pages.',
      detailsUrl,
      tookMs: 3_000,
    },
    { name: 'ci/preview', state: 'failure' },
  ])
})

test.each([
  ['queued', Infinity],
  ['in progress', 0],
])('a check run that is %s is pending', async (_name, startedAtMs) => {
  const { told } = await read({ checkRuns: [checkRun({ ...BUILD, startedAtMs, completedAtMs: Infinity })] })
  expect(told).toEqual(['build: pending'])
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

test.each<[string, string, string, Permissions, readonly string[]]>([
  ['the same workflow and event takes the place', 'ci.yml', 'push', ALL_PERMISSIONS, ['build: success']],
  ['another workflow stands beside', 'other.yml', 'push', ALL_PERMISSIONS, ['build: failure', 'build: success']],
  ['another event stands beside', 'ci.yml', 'pull_request', ALL_PERMISSIONS, ['build: failure', 'build: success']],
  [
    'what is not known stands beside',
    'ci.yml',
    'push',
    { checks: 'read', statuses: 'read' },
    ['build: failure', 'build: success'],
  ],
])('a later run of %s of an older one', async (_what, workflow, event, permissions, told) => {
  const run = (id: number, of: string, started: string): WorkflowRun => ({
    ...{ id: id * 10, suiteId: id, workflow: of, event: started, branch: 'agent/guide', headSha: SHA, createdAtMs: 0 },
    ...{ status: 'completed', conclusion: 'success' },
  })
  const job = (id: number, conclusion: string) => checkRun({ ...BUILD, id, suiteId: id, runId: id * 10, conclusion })
  const checkRuns = [job(2, 'failure'), job(3, 'success')]
  const found = await read(
    { checkRuns, workflowRuns: [run(2, 'ci.yml', 'push'), run(3, workflow, event)] },
    permissions,
  )
  expect(found.told).toEqual(told)
  const hint = found.checks[0]?.doubt?.hint
  if (permissions === ALL_PERMISSIONS) expect(hint).toBeUndefined()
  else expect(hint).toContain('`actions: read`')
})

test('what GitHub counts and does not list is pending, and never passed', async () => {
  expect((await read({ checkRuns: [checkRun(BUILD)], unlistedChecks: 2 })).told).toEqual([
    'build: success',
    '2 check runs that GitHub does not list: pending',
    '2 commit statuses that GitHub does not list: pending',
  ])
})

test('runs that cannot be read for another reason than the token’s are waited for', async () => {
  const failing = (status: number) => ({
    faults: { 'actions/list-workflow-runs-for-repo': Array<number>(4).fill(status) },
  })
  expect(await errorOf(read({}, ALL_PERMISSIONS, failing(500)))).toMatchObject({ code: 'service-error' })
  expect((await read({}, ALL_PERMISSIONS, failing(404))).checks).toEqual([])
})

const NOTHING = { total_count: 0, check_suites: [], check_runs: [], statuses: [], workflow_runs: [] }

/** A GitHub that gives these in the place of what it describes, by the end of the path. */
const giving = (answers: Readonly<Record<string, unknown>>) =>
  answering((path) => {
    const [, told] = Object.entries(answers).find(([end]) => path.endsWith(end)) ?? []
    return told ?? NOTHING
  })

test('what is not as GitHub describes it costs no more than itself', async () => {
  const completed = { status: 'completed', conclusion: 'failure' }
  const runs = [null, { ...completed, id: 1, name: { is: 'build' }, app: 7 }, { ...completed, name: 'links' }]
  const checks = await readFrom(
    giving({
      'check-suites': { total_count: 'one', check_suites: [null, { id: {}, app: null, status: 7 }] },
      'check-runs': { total_count: 3, check_runs: runs },
      status: { total_count: 1, state: {}, statuses: [{ context: 5, state: null }] },
      'actions/runs': { workflow_runs: [null, { id: 'x' }, { id: 5 }] },
    }),
  )
  expect(checks.map(({ name, state }) => `${name}: ${state}`)).toEqual([
    'a check without a name: failure',
    'links: failure',
    'github-actions, which has not ended: pending',
    '1 check run that GitHub does not list: pending',
    '1 check suite that GitHub does not list: pending',
    'a commit status without a name: pending',
  ])
})

test.each(['check-suites', 'check-runs', 'status', 'actions/runs'])(
  'a page of %s that is no list is no answer',
  async (name) => {
    expect(await errorOf(readFrom(giving({ [name]: {} })))).toMatchObject({ code: 'bad-answer' })
  },
)

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
