import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { type CheckPlan, startChecks } from '../../../src/emulator/github/check-plan.ts'
import { repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { AGAIN, IN_TURN, OF_TWO_EVENTS } from '../../../src/emulator/github/sample-checks.ts'
import { commit, driveGitHub } from './drive-github.ts'

/** What GitHub tells of a commit so many seconds after its push: jobs, suites, and runs of workflows. */
function tellsOf(plans: readonly CheckPlan[], seconds: readonly number[]): string[] {
  const driver = driveGitHub({ docs: {} })
  const { state } = driver.service.github
  const repository = state.repositories['acme/docs'] ?? repositoryState()
  const push = { branch: 'guide', headSha: commit('c'), event: 'pull_request' } as const
  startChecks(state, repository, push, plans, DEFAULT_START_MS)
  const say = (items: readonly { conclusion: string | null; status: string }[]): string =>
    items.map(({ conclusion, status }) => conclusion ?? status).join(' ')
  let at = 0
  return seconds.map((second) => {
    driver.advance(second - at)
    at = second
    const { check_runs } = driver.read(`/commits/${commit('c')}/check-runs`)
    const { check_suites } = driver.read(`/commits/${commit('c')}/check-suites`)
    const { workflow_runs } = driver.read(`/actions/runs?head_sha=${commit('c')}`)
    return [check_runs, check_suites, workflow_runs].map(say).join(', ')
  })
}

test('a job behind `needs` is registered when its turn comes, and its suite is in progress until then', () => {
  expect(
    tellsOf(
      IN_TURN.filter(({ kind }) => kind === 'job'),
      [16, 19, 30],
    ),
  ).toEqual([
    'success, in_progress, in_progress',
    'success in_progress, in_progress, in_progress',
    'success failure, failure, failure',
  ])
  const skipped = IN_TURN.map((one) => (one.kind === 'job' ? { ...one, result: { conclusion: 'failure' } } : one))
  expect(
    tellsOf(
      skipped.filter(({ kind }) => kind === 'job'),
      [30],
    ),
  ).toEqual(['failure skipped, failure, failure'])
})

test('a workflow that two events start has two suites', () => {
  expect(tellsOf(OF_TWO_EVENTS, [30])).toEqual(['failure success, failure success, success failure'])
})

test('a job that is started again takes the place of the one before, in the same suite', () => {
  expect(tellsOf(AGAIN, [20, 40, 60])).toEqual([
    'failure, failure, failure',
    'in_progress, in_progress, in_progress',
    'success, success, success',
  ])
})
