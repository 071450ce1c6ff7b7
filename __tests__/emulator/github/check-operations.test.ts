import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { checkRun } from '../../support/github-state.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

const headSha = commit('c')
const HEAD = `/commits/${headSha}`
const drive = (docs: Partial<RepositoryState>): GitHubDriver => driveGitHub({ docs })

test('a check run is registered, queued, in progress and then over, with its report', () => {
  const times = { createdAtMs: START + 1_000, startedAtMs: START + 2_000, completedAtMs: START + 3_000 }
  const annotation = {
    path: 'a.md',
    start_line: 1,
    end_line: 1,
    annotation_level: 'failure',
    title: null,
    message: 'No',
  } as const
  const report = { conclusion: 'failure', title: 'Broken', summary: 'All', annotations: [annotation] }
  const { read, advance } = drive({ checkRuns: [checkRun({ id: 9, name: 'build', headSha, ...times, ...report })] })
  const look = () => {
    const { total_count, check_runs } = read(`${HEAD}/check-runs`)
    return [total_count, check_runs[0]?.status, check_runs[0]?.conclusion, check_runs[0]?.output.annotations_count]
  }
  expect(look()).toEqual([0, undefined, undefined, undefined])
  advance(1)
  expect(look()).toEqual([1, 'queued', null, 0])
  advance(1)
  expect(look()).toEqual([1, 'in_progress', null, 0])
  expect(read('/check-runs/9/annotations')).toEqual([])
  advance(1)
  expect(look()).toEqual([1, 'completed', 'failure', 1])
  expect(read('/check-runs/9/annotations')).toEqual([annotation])
})

const two = [
  checkRun({ id: 1, name: 'build', headSha, suiteId: 1, conclusion: 'failure' }),
  checkRun({ id: 2, name: 'build', headSha, suiteId: 1 }),
  checkRun({ id: 3, name: 'build', headSha, suiteId: 2, conclusion: 'failure' }),
  checkRun({ id: 4, name: 'links', headSha, suiteId: 2, app: 'link-checker' }),
]
const idsOf = (body: { check_runs: readonly { id: number }[] }): number[] => body.check_runs.map(({ id }) => id)

test('the latest are those of each suite, so a name can be there twice', () => {
  const { read } = drive({ checkRuns: two })
  expect(idsOf(read(`${HEAD}/check-runs`))).toEqual([2, 3, 4])
  expect(idsOf(read(`${HEAD}/check-runs?filter=all`))).toEqual([1, 2, 3, 4])
  expect(idsOf(read(`${HEAD}/check-runs?check_name=links`))).toEqual([4])
})

test('more can be counted than is listed', () => {
  const { read } = drive({ checkRuns: two, unlistedChecks: 5 })
  expect(read(`${HEAD}/check-runs`)).toMatchObject({ total_count: 8, check_runs: { length: 3 } })
  expect(read(`${HEAD}/status`)).toMatchObject({ total_count: 5, statuses: [] })
})

test('a suite that waits for approval has no check runs, and others follow from theirs', () => {
  const waits = { id: 7, headSha, app: 'github-actions', status: 'completed', conclusion: 'action_required' } as const
  const runs = [...two, checkRun({ id: 5, name: 'slow', headSha, suiteId: 3, completedAtMs: Infinity })]
  const { read } = drive({ checkSuites: [{ ...waits, createdAtMs: START }], checkRuns: runs })
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
] as const)('of the statuses %j of one context the newest counts', (states, state, total_count) => {
  const statuses = states.map((one, index) => ({ headSha, context: 'ci', state: one, createdAtMs: START - 9 + index }))
  const { read } = drive({ statuses: [...statuses, { headSha, context: 'x', state: 'error', createdAtMs: START + 1 }] })
  expect(read(`${HEAD}/status`)).toMatchObject({ state, total_count, sha: headSha })
})
