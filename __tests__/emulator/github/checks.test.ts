import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import type { CheckPlan } from '../../../src/emulator/github/check-plan.ts'
import { startChecks } from '../../../src/emulator/github/start-checks.ts'
import type { StoredAnnotation, WorkflowRun } from '../../../src/emulator/github/check-state.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { parseLogUrl, createLogUrl } from '../../../src/emulator/github/workflow-operations.ts'
import { RERUN, AWAITING_ENVIRONMENT, WITH_NEEDS, TWO_EVENTS } from '../../../src/emulator/github/check-scenarios.ts'
import { checkRun, commit } from '../../../testing/github-state.ts'
import { BASE_URL } from '../drive-service.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

const target = createLogUrl('http://x', 12, 1_000).slice('http://x'.length)

test.each([
  [target, 60_999, 12],
  [target, 61_000, 'forbidden'],
  [target.replace('/12', '/13'), 1_000, 'forbidden'],
  [target.replace('until=61000', 'until=99000'), 1_000, 'forbidden'],
  ['/job-logs/12', 1_000, 'forbidden'],
  ['/api/v3/job-logs/12', 1_000, 'elsewhere'],
])('the log URL %s at %d ms results in %s', (address, nowMs, log) => {
  expect(parseLogUrl(address, nowMs)).toBe(log)
})

const headSha = commit('c')
const NOTE: StoredAnnotation = {
  path: 'a.md',
  start_line: 4,
  end_line: 4,
  annotation_level: 'failure',
  title: null,
  message: 'Gone.',
}

test('puts the jobs of a workflow into one run and suite, and an app into its own suite', () => {
  const { service, docs } = driveGitHub({ docs: {} })
  startChecks(
    service.github.state,
    docs,
    { branch: 'guide', headSha, event: 'pull_request', by: 'mona' },
    WITH_NEEDS,
    1_000,
  )
  const { checkRuns, workflowRuns } = docs
  expect(checkRuns[0]).toMatchObject({ createdAtMs: 3_000, startedAtMs: 4_000, completedAtMs: 16_000 })
  expect(workflowRuns).toMatchObject([{ workflow: 'ci.yml', branch: 'guide', event: 'pull_request' }])
  const [{ id, suiteId } = {}] = workflowRuns
  expect(checkRuns.map((run) => [run.name, run.runId, run.suiteId === suiteId])).toEqual([
    ['build', id, true],
    ['links', undefined, false],
    ['deploy', id, true],
  ])
  expect(new Set(checkRuns.map((run) => run.id)).size).toBe(3)
})

/** Returns the states of a commit's check runs, suites and workflow runs at several seconds after its push. */
function describeChecks(plans: readonly CheckPlan[], seconds: readonly number[]): string[] {
  const driver = driveGitHub({ docs: {} })
  const push = { branch: 'guide', headSha, event: 'pull_request', by: 'mona' } as const
  startChecks(driver.service.github.state, driver.docs, push, plans, START)
  const formatStates = (items: readonly { conclusion: string | null; status: string }[]): string =>
    items.map(({ conclusion, status }) => conclusion ?? status).join(' ')
  let at = 0
  return seconds.map((second) => {
    driver.advance(second - at)
    at = second
    const { check_runs } = driver.read(`/commits/${headSha}/check-runs`)
    const { check_suites } = driver.read(`/commits/${headSha}/check-suites`)
    const { workflow_runs } = driver.read(`/actions/runs?head_sha=${headSha}`)
    return [check_runs, check_suites, workflow_runs].map(formatStates).join(', ')
  })
}

const selectJobs = (plans: readonly CheckPlan[]) => plans.filter(({ kind }) => kind === 'job')
const FAILURE = { conclusion: 'failure' }

test.each<[what: string, plans: readonly CheckPlan[], expected: Readonly<Record<number, string>>]>([
  [
    'registers a job with `needs` after the jobs it needs, and keeps the suite in progress until then',
    selectJobs(WITH_NEEDS),
    {
      16: 'success, in_progress, in_progress',
      19: 'success in_progress, in_progress, in_progress',
      30: 'success failure, failure, failure',
    },
  ],
  [
    'skips a job that needs a failed job',
    selectJobs(WITH_NEEDS).map((job) => ({ ...job, result: FAILURE })),
    { 30: 'failure skipped, failure, failure' },
  ],
  [
    'creates one suite for each event that starts a workflow',
    TWO_EVENTS,
    { 30: 'failure success, failure success, success failure' },
  ],
  [
    'replaces a job that is re-run, in the same suite',
    RERUN,
    { 20: 'failure, failure, failure', 40: 'in_progress, in_progress, in_progress', 60: 'success, success, success' },
  ],
  [
    'a job waits for its environment, and so does the run once its other jobs have completed',
    selectJobs(AWAITING_ENVIRONMENT).map((job) => ({ ...job, workflow: 'ci.yml' })),
    { 10: 'in_progress waiting, in_progress, in_progress', 30: 'success waiting, waiting, waiting' },
  ],
  [
    'a workflow that cannot start has a suite and a run, but no check run',
    [{ kind: 'unstarted', conclusion: 'action_required' }],
    { 0: ', action_required, action_required' },
  ],
])('%s', (_what, plans, expected) => {
  const seconds = Object.keys(expected).map(Number)
  expect(describeChecks(plans, seconds)).toEqual(Object.values(expected))
})

const HEAD = `/commits/${headSha}`
const drive = (docs: Partial<RepositoryState>): GitHubDriver => driveGitHub({ docs })

test('a check run is registered, queued, in progress and then completed with its output', () => {
  const times = { createdAtMs: START + 1_000, startedAtMs: START + 2_000, completedAtMs: START + 3_000 }
  const report = { conclusion: 'failure', title: 'Broken', summary: 'All', annotations: [NOTE] }
  const { read, advance } = drive({ checkRuns: [checkRun({ id: 9, name: 'build', headSha, ...times, ...report })] })
  const states = [0, 1, 1, 1].map((seconds) => {
    advance(seconds)
    const { total_count, check_runs } = read(`${HEAD}/check-runs`)
    const notes = read('/check-runs/9/annotations').length
    const [{ status, conclusion, output } = { output: {} }] = check_runs
    return [total_count, status, conclusion, output.annotations_count, notes]
  })
  expect(states).toEqual([
    [0, undefined, undefined, undefined, 0],
    [1, 'queued', null, 0, 0],
    [1, 'in_progress', null, 0, 0],
    [1, 'completed', 'failure', 1, 1],
  ])
})

const CHECK_RUNS = [
  checkRun({ id: 1, name: 'build', headSha, suiteId: 1, conclusion: 'failure' }),
  checkRun({ id: 2, name: 'build', headSha, suiteId: 1 }),
  checkRun({ id: 3, name: 'build', headSha, suiteId: 2, conclusion: 'failure' }),
  checkRun({ id: 4, name: 'links', headSha, suiteId: 2, app: 'link-checker' }),
]
test('lists the latest check runs of each suite, so a name can appear twice', () => {
  expect(drive({ checkRuns: CHECK_RUNS }).read(`${HEAD}/check-runs`).check_runs).toMatchObject([
    { id: 2 },
    { id: 3 },
    { id: 4 },
  ])
})

test('lists a suite that waits for approval, and suites derived from check runs', () => {
  const suite = { id: 7, headSha, app: 'github-actions', status: 'completed', conclusion: 'action_required' } as const
  const runs = [...CHECK_RUNS, checkRun({ id: 5, name: 'slow', headSha, suiteId: 3, completedAtMs: Infinity })]
  const { read } = drive({ checkSuites: [{ ...suite, createdAtMs: START }], checkRuns: runs })
  expect(read(`${HEAD}/check-suites`)).toMatchObject({
    total_count: 4,
    check_suites: [
      { id: 7, conclusion: 'action_required', latest_check_runs_count: 0 },
      { id: 1, status: 'completed', conclusion: 'success', latest_check_runs_count: 1 },
      { id: 2, status: 'completed', conclusion: 'failure', latest_check_runs_count: 2 },
      { id: 3, status: 'in_progress', conclusion: null },
    ],
  })
})

test.each([
  [[], 'pending', 0],
  [['success'], 'success', 1],
  [['pending', 'success'], 'success', 1],
  [['success', 'error'], 'failure', 1],
] as const)('uses only the newest of the statuses %j of one context', (states, state, total_count) => {
  const context = { headSha, context: 'ci' }
  const statuses = states.map((status, index) => ({ ...context, state: status, createdAtMs: START - 9 + index }))
  const { read } = drive({ statuses: [...statuses, { ...context, state: 'error', createdAtMs: START + 1 }] })
  expect(read(`${HEAD}/status`)).toMatchObject({ state, total_count, sha: headSha })
})

test('orders statuses by time, although the plans of two pull requests overlap', () => {
  const context = { headSha, context: 'ci' }
  const planned = [
    { ...context, state: 'success', createdAtMs: START - 9 },
    { ...context, state: 'failure', createdAtMs: START - 1 },
    { ...context, state: 'success', createdAtMs: START - 5 },
  ] as const
  const { read } = drive({ statuses: [...planned] })
  expect(read(`${HEAD}/status`)).toMatchObject({ state: 'failure', total_count: 1 })
})

const run: WorkflowRun = {
  id: 1,
  workflow: 'docs.yml',
  branch: 'main',
  headSha: commit('a'),
  event: 'push',
  status: 'completed',
  conclusion: 'success',
  createdAtMs: 0,
}

test('lists workflow runs by commit, and responds with 404 to an unknown workflow', () => {
  const ids = (runs: object[]) => runs.map((found) => (found as WorkflowRun).id)
  const workflowRuns = [
    run,
    { ...run, id: 4, headSha: commit('b'), workflow: 'ci.yml' },
    { ...run, id: 6, createdAtMs: Infinity },
  ]
  const { read, request } = driveGitHub({ docs: { workflowRuns } })
  expect(ids(read('/actions/runs').workflow_runs)).toEqual([4, 1])
  expect(ids(read(`/actions/runs?head_sha=${commit('b')}`).workflow_runs)).toEqual([4])
  expect(request('GET', '/actions/workflows/none.yml/runs').status).toBe(404)
})

test('redirects to the log of a job, at a signed URL that rejects tokens', () => {
  const job = checkRun({ id: 9, name: 'build', headSha: commit('a'), runId: 1, log: 'It failed.\n' })
  const { request, send } = driveGitHub({ docs: { workflowRuns: [run], checkRuns: [job] } })
  const { status, headers, body } = request('GET', '/actions/jobs/9/logs')
  expect([status, body]).toEqual([302, undefined])
  const target = headers['location']?.slice(BASE_URL.length) ?? ''
  const statuses = [target, target.replace('/9', '/8')].map((address) => {
    const response = send({ target: address, headers: { authorization: undefined } })
    return [response.status, response.body]
  })
  expect(statuses).toEqual([
    [200, 'It failed.\n'],
    [403, 'The signature is not valid, or has expired.'],
  ])
  expect(send({ target }).status).toBe(400)
})

test('has no log of a running job, of a job whose log was deleted, and of a check run that is not a job', () => {
  const fields = { name: 'build', headSha: commit('a') }
  const checkRuns = [
    checkRun({ ...fields, id: 1, runId: 1, log: 'x', completedAtMs: START + 1 }),
    checkRun({ ...fields, id: 2, runId: 1 }),
    checkRun({ ...fields, id: 3, log: 'x' }),
  ]
  const { request } = driveGitHub({ docs: { checkRuns } })
  expect([1, 2, 3].map((id) => request('GET', `/actions/jobs/${id}/logs`).status)).toEqual([404, 410, 404])
})

test('shows the latest attempt of a run, and when the first one was created', () => {
  const { service, docs, read, advance } = driveGitHub({ docs: {} })
  startChecks(service.github.state, docs, { branch: 'guide', headSha, event: 'push', by: 'mona' }, RERUN, START)
  const [first] = read('/actions/runs').workflow_runs
  expect(first.run_attempt).toBe(1)
  advance(60)
  const [again] = read('/actions/runs').workflow_runs
  expect([again.run_attempt, again.created_at]).toEqual([2, first.created_at])
})
