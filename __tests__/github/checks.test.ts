import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { ALL_PERMISSIONS, type TokenPermissions } from '../../src/emulator/github/state.ts'
import type { Check } from '../../src/github/checks.ts'
import type { GitHub } from '../../src/github/github.ts'
import { RUN_FACTS } from '../../testing/given-run.ts'
import { stubGitHub, withGitHub, catchError, type EmbeddedGitHubOptions } from '../../testing/github-client.ts'
import { checkRun, commit } from '../../testing/github-state.ts'
import { connectInProcess } from '../../testing/in-process-github.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'

const SHA = commit('c')
const BUILD = { name: 'build', headSha: SHA }
const readChecks = async (github: GitHub) => (await github.readChecks('acme/docs', SHA, RUN_FACTS)).checks

const read = (
  fields: Partial<RepositoryState>,
  permissions: TokenPermissions = ALL_PERMISSIONS,
  rest: EmbeddedGitHubOptions = {},
  options?: Parameters<GitHub['readChecks']>[3],
) =>
  withGitHub(
    { docs: createRepositoryState(fields), state: { permissions }, ...rest },
    async (github, { operations }) => {
      const { checks, ignored, isComplete } = await github.readChecks('acme/docs', SHA, RUN_FACTS, options)
      const states = checks.map(({ name, state }) => `${name}: ${state}`)
      return { checks, ignored: ignored?.map(({ name }) => name), isComplete, states, operations }
    },
  )

test('reads check runs and commit statuses, with their texts', async () => {
  const detailsUrl = 'https://links.example/1'
  const run = { ...BUILD, id: 7, title: 'Fine', summary: 'All 31 pages.', app: 'links', detailsUrl }
  const status = { headSha: SHA, context: 'ci/preview', state: 'error', createdAtMs: 0 } as const
  const checkRuns = [checkRun({ ...run, startedAtMs: 1_000, completedAtMs: 4_000 })]
  const fields = { id: 7, app: 'links', title: 'Fine', summary: 'All 31 pages.', detailsUrl, tookMs: 3_000 }
  expect((await read({ checkRuns, statuses: [status] })).checks).toMatchObject([
    { name: 'build', state: 'success', ...fields },
    { name: 'ci/preview', state: 'failure' },
  ])
})

test('reads hundreds of check runs in four requests', async () => {
  const run = (index: number) => checkRun({ ...BUILD, id: index, name: `check ${index}`, suiteId: index % 3 })
  const runs = Array.from({ length: 350 }, (_, index) => run(index + 1))
  const { states, operations } = await read({ checkRuns: runs })
  expect(operations.toSorted()).toEqual([
    'actions/list-workflow-runs-for-repo',
    'checks/list-for-ref',
    'checks/list-suites-for-ref',
    'repos/get-combined-status-for-ref',
  ])
  expect(states.slice(100)).toHaveLength(3)
  expect(states.every((one) => one.endsWith(': success'))).toBe(true)
  const late = await read({ checkRuns: runs.map((one) => (one.id === 349 ? { ...one, conclusion: 'failure' } : one)) })
  expect(late.states).toContain('github-actions: failure')
})

test('a later run replaces an older one, if the token can read the runs', async () => {
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
  expect((await read(given)).states).toEqual(['build: success'])
  for (const suffices of [true, false]) {
    const seen: string[][] = []
    const suffice = (listed: readonly Check[]) => (seen.push(listed.map(({ state }) => state)), suffices)
    const { states, operations } = await read(given, ALL_PERMISSIONS, {}, { suffices: suffice })
    expect([seen, states.length, operations.length]).toEqual([
      [['failure', 'success']],
      suffices ? 2 : 1,
      suffices ? 2 : 4,
    ])
  }
  const { states } = await read(given, { checks: 'read', statuses: 'read' })
  expect(states).toEqual(['build: failure', 'build: success'])
})

test('ignored checks explain the state of their suite, and end no wait early', async () => {
  const isIgnored = ({ name }: Check): boolean => name === 'slow' || name === 'coverage'
  const slow = { ...BUILD, id: 2, name: 'slow', suiteId: 1 }
  const build = checkRun({ ...BUILD, id: 1, suiteId: 1 })
  const coverage = { headSha: SHA, context: 'coverage', state: 'failure', createdAtMs: 0 } as const
  for (const change of [{ completedAtMs: Infinity }, { conclusion: 'failure' }]) {
    const checkRuns = [build, checkRun({ ...slow, ...change })]
    const found = await read({ checkRuns, statuses: [coverage] }, ALL_PERMISSIONS, {}, { isIgnored })
    expect([found.states, found.ignored, found.isComplete]).toEqual([['build: success'], ['slow', 'coverage'], false])
  }
})

test('fails if the runs cannot be read, unless the token lacks the permission', async () => {
  const failing = (status: number) => ({
    faults: { 'actions/list-workflow-runs-for-repo': Array<number>(4).fill(status) },
  })
  expect(await catchError(read({}, ALL_PERMISSIONS, failing(500)))).toMatchObject({ code: 'service-error' })
  expect((await read({}, ALL_PERMISSIONS, failing(404))).checks).toEqual([])
})

test.each([
  ['No commit found for SHA: ccccccc', 'service-error'],
  ['No such ref: ccccccc', 'rejected'],
])('reports the 422 “%s” for a head commit as %s', async (message, code) => {
  const refused = connectInProcess({
    clock: virtualClock(),
    signal: new AbortController().signal,
    handle: () => ({ status: 422, headers: {}, body: JSON.stringify({ message }), delivery: 'complete' }),
  })
  expect(await catchError(readChecks(refused))).toMatchObject({
    code,
    message: expect.stringContaining(message) as unknown,
  })
})

test('ignores malformed fields and skips malformed items', async () => {
  const completed = { status: 'completed', conclusion: 'failure' }
  const runs = [null, { ...completed, id: 1, name: { is: 'build' }, app: 7 }, { ...completed, name: 'links' }]
  const responses: Readonly<Record<string, unknown>> = {
    'check-suites': { total_count: 'one', check_suites: [null, { id: {}, app: null, status: 7 }] },
    'check-runs': { total_count: 3, check_runs: runs },
    status: { total_count: 1, state: {}, statuses: [{ context: 5, state: null }] },
    runs: { workflow_runs: [null, { id: 'x' }, { id: 5 }] },
  }
  const checks = await readChecks(stubGitHub((path) => responses[path.replace(/.*\//, '')]))
  expect(checks.map(({ name, state }) => `${name}: ${state}`)).toEqual([
    'a check without a name: failure',
    'links: failure',
    'github-actions, which has not ended: pending',
    '1 check run that GitHub does not list: pending',
    '1 check suite that GitHub does not list: pending',
    'a commit status without a name: pending',
  ])
})

test('reads the position and the text of each annotation', async () => {
  const fields = { path: 'docs/a.md', annotation_level: 'failure', message: 'It is gone.' } as const
  const annotations = [
    { ...fields, start_line: 4, end_line: 4, title: 'Missing' },
    { ...fields, start_line: 9, end_line: 9, title: null },
  ]
  const docs = createRepositoryState({ checkRuns: [checkRun({ ...BUILD, id: 7, annotations })] })
  const listAnnotations = (github: GitHub) => github.listAnnotations('acme/docs', 7)
  expect(await withGitHub({ docs }, listAnnotations)).toEqual([
    { path: 'docs/a.md', line: 4, level: 'failure', title: 'Missing', message: 'It is gone.' },
    { path: 'docs/a.md', line: 9, level: 'failure', title: '', message: 'It is gone.' },
  ])
  const malformed = [null, { path: 5, start_line: '4', title: {}, message: 'It is gone.' }]
  const expected = { path: 'a file', line: 0, level: '', title: '', message: 'It is gone.' }
  expect(await listAnnotations(stubGitHub(() => malformed))).toEqual([expected])
})
