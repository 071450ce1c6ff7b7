import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import type { WorkflowRun } from '../../../src/emulator/github/check-state.ts'
import { checkRun } from '../../support/github-state.ts'
import { BASE_URL } from '../drive-service.ts'
import { commit, driveGitHub } from './drive-github.ts'

const run: WorkflowRun = {
  ...{ id: 1, workflow: 'docs.yml', branch: 'main', headSha: commit('a'), event: 'push', status: 'completed' },
  ...{ conclusion: 'success', createdAtMs: 0 },
}

test('runs are found by workflow, branch, event, end and commit, newest first; those of forks as well', () => {
  const workflowRuns = [
    run,
    { ...run, id: 2, headRepository: 'dora/docs', event: 'pull_request' },
    { ...run, id: 3, branch: 'next' },
    { ...run, id: 4, conclusion: 'failure', headSha: commit('b') },
    { ...run, id: 5, workflow: 'ci.yml' },
    { ...run, id: 6, createdAtMs: Infinity },
  ]
  const { read } = driveGitHub({ docs: { workflowRuns } })
  const ids = (query: string) =>
    read(`/actions/workflows/docs.yml/runs?${query}`).workflow_runs.map(({ id }: { id: number }) => id)
  expect(ids('')).toEqual([4, 3, 2, 1])
  expect(ids('branch=main&status=success')).toEqual([2, 1])
  expect(ids('event=push&status=completed')).toEqual([4, 3, 1])
  expect(ids(`head_sha=${commit('b')}`)).toEqual([4])
  expect(read('/actions/runs').total_count).toBe(5)
  expect(read('/actions/runs').workflow_runs.at(-2).head_repository.full_name).toBe('dora/docs')
})

test('a job’s log is elsewhere, where the address is enough and a token is refused', () => {
  const job = checkRun({ id: 9, name: 'build', headSha: commit('a'), runId: 1, log: 'It failed.\n' })
  const { ask, send, advance } = driveGitHub({ docs: { workflowRuns: [run], checkRuns: [job] } })
  const { status, headers, body } = ask('GET', '/actions/jobs/9/logs')
  expect([status, body]).toEqual([302, undefined])
  const target = headers['location']?.slice(BASE_URL.length) ?? ''
  expect(send({ target, headers: { authorization: undefined } }).body).toBe('It failed.\n')
  expect(send({ target }).status).toBe(400)
  advance(60)
  expect(send({ target, headers: { authorization: undefined } }).status).toBe(403)
})

test('there is no log of a job that runs, of one whose log was deleted, and of what is no job', () => {
  const fields = { name: 'build', headSha: commit('a') }
  const checkRuns = [
    checkRun({ ...fields, id: 1, runId: 1, log: 'x', completedAtMs: DEFAULT_START_MS + 1 }),
    checkRun({ ...fields, id: 2, runId: 1 }),
    checkRun({ ...fields, id: 3, log: 'x' }),
  ]
  const { ask } = driveGitHub({ docs: { checkRuns } })
  expect([1, 2, 3].map((id) => ask('GET', `/actions/jobs/${id}/logs`).status)).toEqual([404, 410, 404])
})
