import { expect, test } from '@jest/globals'
import { connectChecks } from '../../src/github/checks.ts'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { ALL_PERMISSIONS, type Permissions } from '../../src/emulator/github/state.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { answering, askingGitHub, errorOf } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'
import { askingEmbedded } from '../support/embedded-github.ts'

const SHA = commit('c')
const BUILD = { name: 'build', headSha: SHA }
const status = (context: string, state: 'error' | 'pending' | 'success') => ({
  ...{ headSha: SHA, context, state, createdAtMs: 0 },
})

const read = (fields: Partial<RepositoryState>, permissions: Permissions = ALL_PERMISSIONS) =>
  askingGitHub({ docs: repositoryState(fields), state: { permissions } }, async ({ ask, github }) => {
    const checks = await connectChecks(ask).readChecks('acme/docs', SHA, RUN_FACTS)
    return { checks, told: checks.map(({ name, state }) => `${name}: ${state}`), asked: github.requests }
  })

test('check runs and commit statuses both count, with what they say', async () => {
  const detailsUrl = 'https://links.example/1'
  const run = { ...BUILD, id: 7, title: 'Fine', summary: 'All 31 pages.', app: 'links', detailsUrl }
  const { checks } = await read({ checkRuns: [checkRun(run)], statuses: [status('ci/preview', 'error')] })
  expect(checks).toMatchObject([
    { name: 'build', state: 'success', id: 7, app: 'links', title: 'Fine', summary: 'All 31 pages.', detailsUrl },
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

test('only a later run of the same workflow and event takes the place of an older one', async () => {
  const job = (id: number, fields = {}) => checkRun({ ...BUILD, id, suiteId: id, runId: id * 10, ...fields })
  const run = (id: number, workflow: string, event: string): WorkflowRun => ({
    ...{ id, suiteId: id / 10, workflow, event, branch: 'agent/guide', headSha: SHA, createdAtMs: 0 },
    ...{ status: 'completed', conclusion: 'success' },
  })
  const checkRuns = [job(2, { conclusion: 'failure' }), job(3)]
  const after = (workflow: string, event: string, permissions?: Permissions) =>
    read({ checkRuns, workflowRuns: [run(20, 'ci.yml', 'push'), run(30, workflow, event)] }, permissions)
  expect((await after('ci.yml', 'push')).told).toEqual(['build: success'])
  expect((await after('other.yml', 'push')).told).toEqual(['build: failure', 'build: success'])
  expect((await after('ci.yml', 'pull_request')).told).toEqual(['build: failure', 'build: success'])
  const { told, checks } = await after('ci.yml', 'push', { checks: 'read', statuses: 'read' })
  expect(told).toEqual(['build: failure', 'build: success'])
  expect(checks[0]?.doubt?.hint).toContain('`actions: read`')
})

test('what GitHub counts and does not list is pending, and never passed', async () => {
  expect((await read({ checkRuns: [checkRun(BUILD)], unlistedChecks: 2 })).told).toEqual([
    'build: success',
    '2 check runs that GitHub does not list: pending',
    '2 commit statuses that GitHub does not list: pending',
  ])
})

test.each(['checks', 'statuses'] as const)('without `%s: read` it does not pretend to know', async (name) => {
  const permissions = Object.fromEntries(Object.entries(ALL_PERMISSIONS).filter(([key]) => key !== name))
  const error = await errorOf(read({}, permissions))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining(`\`${name}: read\``) as unknown })
})

/** A GitHub that gives these in the place of what it describes. */
function readFrom(answers: Readonly<Record<string, unknown>>) {
  const empty = { total_count: 0, check_suites: [], check_runs: [], statuses: [], workflow_runs: [] }
  const give = (name: string) => () =>
    answers[name] instanceof ActionError
      ? Promise.reject(answers[name])
      : Promise.resolve({ headers: {}, data: name in answers ? answers[name] : empty })
  const ask = answering({
    checks: { listSuitesForRef: give('suites'), listForRef: give('runs') },
    repos: { getCombinedStatusForRef: give('statuses') },
    actions: { listWorkflowRunsForRepo: give('workflows') },
  })
  return connectChecks(ask).readChecks('acme/docs', SHA, RUN_FACTS)
}

test('what is not as GitHub describes it costs no more than itself', async () => {
  const completed = { status: 'completed', conclusion: 'failure' }
  const runs = [null, { ...completed, id: 1, name: { is: 'build' }, app: 7 }, { ...completed, name: 'links' }]
  const checks = await readFrom({
    suites: { total_count: 'one', check_suites: [null, { id: {}, app: null, status: 7 }] },
    runs: { total_count: 3, check_runs: runs },
    statuses: { total_count: 1, state: {}, statuses: [{ context: 5, state: null }] },
    workflows: { workflow_runs: [null, { id: 'x' }, { id: 5 }] },
  })
  expect(checks.map(({ name, state }) => `${name}: ${state}`)).toEqual([
    'a check without a name: failure',
    'links: failure',
    'github-actions, which has not ended: pending',
    '1 check run that GitHub does not list: pending',
    '1 check suite that GitHub does not list: pending',
    'a commit status without a name: pending',
  ])
})

test.each(['suites', 'runs', 'statuses', 'workflows'])('a page of %s that is no list is no answer', async (name) => {
  expect(await errorOf(readFrom({ [name]: '<html>Sign in</html>' }))).toBeInstanceOf(TypeError)
})

test('runs that cannot be read for another reason than the token’s are waited for', async () => {
  expect(await errorOf(readFrom({ workflows: new ActionError('unreachable', 'No.') }))).toMatchObject({
    code: 'unreachable',
  })
  expect(await readFrom({ workflows: new ActionError('not-found', 'No.') })).toEqual([])
})

const annotation = (line: number, title: string | null) =>
  ({
    path: 'docs/a.md',
    start_line: line,
    end_line: line,
    annotation_level: 'failure',
    title,
    message: 'It is gone.',
  }) as const
const run = checkRun({
  id: 7,
  name: 'build',
  headSha: commit('c'),
  annotations: [annotation(4, 'Missing'), annotation(9, null)],
})

test('gives where each is, and what it says', async () => {
  const found = await askingEmbedded({ docs: { checkRuns: [run] } }, (github) => github.listAnnotations('acme/docs', 7))
  expect(found).toEqual([
    { path: 'docs/a.md', line: 4, title: 'Missing', message: 'It is gone.' },
    { path: 'docs/a.md', line: 9, title: '', message: 'It is gone.' },
  ])
})

test('an annotation that is not as GitHub describes it costs no more than itself', async () => {
  const data = [null, { path: 5, start_line: '4', title: {}, message: 'It is gone.' }]
  const ask = answering({ checks: { listAnnotations: () => Promise.resolve({ data }) } })
  expect(await connectChecks(ask).listAnnotations('acme/docs', 7)).toEqual([
    { path: 'a file', line: 0, title: '', message: 'It is gone.' },
  ])
})

test('without `checks: read` it says what is missing', async () => {
  const world = { docs: { checkRuns: [run] }, permissions: {} }
  const error = await askingEmbedded(world, (github) => errorOf(github.listAnnotations('acme/docs', 7)))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('`checks: read`') as unknown })
})
