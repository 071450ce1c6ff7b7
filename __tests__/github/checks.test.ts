import { expect, test } from '@jest/globals'
import { readChecks } from '../../src/github/checks.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { ALL_PERMISSIONS, type Permissions } from '../../src/emulator/github/state.ts'
import { checkRun, commit } from '../support/github-state.ts'

const SHA = commit('c')

const holding = (fields: Partial<RepositoryState>) => ({ docs: repositoryState(fields) })

const BUILD = { name: 'build', headSha: SHA }
const status = (context: string, state: 'error' | 'pending') => ({ headSha: SHA, context, state, createdAtMs: 0 })

test('check runs and commit statuses both count', async () => {
  const server = holding({
    checkRuns: [checkRun(BUILD)],
    statuses: [status('ci/preview', 'error')],
  })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toMatchObject([
    { name: 'build', state: 'success' },
    { name: 'ci/preview', state: 'failure' },
  ])
})

test.each([
  ['success', 'success'],
  ['neutral', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'failure'],
  ['timed_out', 'failure'],
  ['action_required', 'failure'],
] as const)('a check run that ended with %s is a %s', async (conclusion, state) => {
  const server = holding({ checkRuns: [checkRun({ ...BUILD, conclusion })] })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toMatchObject([
    { name: 'build', state },
  ])
})

test.each([
  ['queued', Infinity],
  ['in progress', 0],
])('a check run that is %s is pending', async (_name, startedAtMs) => {
  const server = holding({ checkRuns: [checkRun({ ...BUILD, startedAtMs, completedAtMs: Infinity })] })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toMatchObject([
    { name: 'build', state: 'pending' },
  ])
})

test('reads all pages', async () => {
  const checkRuns = Array.from({ length: 101 }, (_, index) => checkRun({ ...BUILD, name: `check ${index}` }))
  const statuses = Array.from({ length: 101 }, (_, index) => status(`status ${index}`, 'pending'))
  const server = holding({ checkRuns, statuses })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toHaveLength(202)
})

test('leaves out the run that asks: it would wait for itself', async () => {
  const own = 'https://github.com/acme/docs/actions/runs/42/job/1'
  const other = 'https://github.com/acme/docs/actions/runs/421/job/1'
  const server = holding({
    checkRuns: [checkRun({ ...BUILD, name: 'docs', detailsUrl: own }), checkRun({ ...BUILD, detailsUrl: other })],
  })
  const found = await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 42))
  expect(found.map(({ name }) => name)).toEqual(['build'])
})

const read = (fields: Partial<RepositoryState>, permissions: Permissions = ALL_PERMISSIONS) =>
  askingGitHub({ ...holding(fields), state: { permissions } }, async ({ ask, github }) => {
    const checks = await readChecks(ask, 'acme/docs', SHA, 1)
    return { checks, asked: github.requests }
  })

test('the newest check run of a name and an app counts, in whichever suite it is', async () => {
  const old = { ...BUILD, id: 2, suiteId: 1, conclusion: 'failure' }
  const { checks } = await read({ checkRuns: [checkRun({ ...BUILD, id: 3, suiteId: 2 }), checkRun(old)] })
  expect(checks).toMatchObject([{ name: 'build', state: 'success' }])
  const other = await read({
    checkRuns: [checkRun({ ...BUILD, id: 3, suiteId: 2, app: 'link-checker' }), checkRun(old)],
  })
  expect(other.checks).toContainEqual(expect.objectContaining({ name: 'build', state: 'failure' }))
})

test('a job of another workflow does not take the place of one that has its name', async () => {
  const job = (id: number, fields = {}) => checkRun({ ...BUILD, id, suiteId: id, runId: id * 10, ...fields })
  const run = (id: number, workflow: string): WorkflowRun => ({
    ...{ id, workflow, branch: 'agent/guide', headSha: SHA, event: 'pull_request', createdAtMs: 0 },
    ...{ status: 'completed', conclusion: 'success' },
  })
  const checkRuns = [job(2, { conclusion: 'failure' }), job(3)]
  const states = async (workflow: string, permissions: Permissions = ALL_PERMISSIONS) => {
    const workflowRuns = [run(20, 'ci.yml'), run(30, workflow)]
    const { checks } = await read({ checkRuns, workflowRuns }, permissions)
    return checks.map(({ state }) => state)
  }
  expect(await states('other.yml')).toEqual(['failure', 'success'])
  expect(await states('ci.yml')).toEqual(['success'])
  expect(await states('other.yml', { checks: 'read', statuses: 'read' })).toEqual(['success'])
})

test('what GitHub counts and does not list is pending, and never passed', async () => {
  const { checks } = await read({ checkRuns: [checkRun(BUILD)], unlistedChecks: 2 })
  expect(checks).toMatchObject([
    { name: 'build', state: 'success' },
    { name: '2 check runs that GitHub does not list', state: 'pending' },
    { name: '2 commit statuses that GitHub does not list', state: 'pending' },
  ])
})

const SUITE = {
  id: 50,
  headSha: SHA,
  app: 'github-actions',
  status: 'queued',
  conclusion: null,
  createdAtMs: 0,
} as const

test('a workflow that has not begun keeps checks that have passed from being all', async () => {
  const { checks } = await read({ checkSuites: [SUITE], checkRuns: [checkRun(BUILD)] })
  expect(checks.map(({ state }) => state)).toEqual(['success', 'pending'])
})

test('check suites are asked for only where they could change something', async () => {
  const { asked } = await read({ checkRuns: [checkRun({ ...BUILD, conclusion: 'failure' })], checkSuites: [SUITE] })
  expect(asked).toEqual(['checks/list-for-ref', 'repos/get-combined-status-for-ref'])
})

test.each(['checks', 'statuses'] as const)('without `%s: read` it does not pretend to know', async (name) => {
  const permissions = Object.fromEntries(Object.entries(ALL_PERMISSIONS).filter(([key]) => key !== name))
  const server = { state: { permissions } }
  const error = await askingGitHub(server, ({ ask }) => errorOf(readChecks(ask, 'acme/docs', SHA, 1)))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining(`\`${name}: read\``) as unknown })
})
