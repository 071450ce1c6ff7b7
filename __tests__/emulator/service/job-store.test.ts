import { expect, test } from '@jest/globals'

import { type JobRecord, stateAt } from '../../../src/emulator/service/job-machine.ts'
import { createJobStore } from '../../../src/emulator/service/job-store.ts'
import { USUAL_TURN } from '../../../src/emulator/service/scenarios.ts'

const START_MS = 1_000_000_000
const FAILING = { ...USUAL_TURN, ending: 'failed' } as const

test('every project starts with a finished, a running and an archived job', () => {
  const jobs = createJobStore(START_MS)
  const read = (id: string, nowMs: number): object | undefined => {
    const job = jobs.find('docs', id, FAILING)
    return job && stateAt(job, nowMs)
  }
  expect(read('job_finished', START_MS)).toMatchObject({ status: 'completed', pullRequest: 'linked' })
  expect(read('job_running', START_MS)).toMatchObject({ status: 'active' })
  expect(read('job_running', START_MS + USUAL_TURN.durationMs)).toMatchObject({ status: 'failed' })
  expect(read('job_archived', START_MS)).toMatchObject({ status: 'archived', pullRequest: 'none' })
})

test('created jobs are counted over all projects, and belong to one', () => {
  const jobs = createJobStore(START_MS)
  const ids = ['a', 'b', 'a'].map((projectId) => jobs.create(projectId, 'x', USUAL_TURN, START_MS).id)
  expect(ids).toEqual(['job_000001', 'job_000002', 'job_000003'])
  expect(jobs.find('a', 'job_000003', USUAL_TURN)?.projectId).toBe('a')
  expect(jobs.find('a', 'job_000002', USUAL_TURN)).toBeUndefined()
})

test('no two jobs share a pull request, whatever their projects', () => {
  const jobs = createJobStore(START_MS)
  const all = ['a', 'b'].flatMap((projectId) => [
    jobs.create(projectId, 'x', USUAL_TURN, START_MS),
    ...['job_finished', 'job_running', 'job_archived'].map((id) => jobs.find(projectId, id, USUAL_TURN)),
  ])
  const numbers = all.map((job) => job?.pullNumber)
  expect(new Set(numbers).size).toBe(8)
  expect(numbers.map((number) => jobs.findByPullNumber(number ?? 0))).toEqual(all)
})

test('a replaced job is found under its id and under its pull request', () => {
  const jobs = createJobStore(START_MS)
  const job = jobs.create('a', 'x', USUAL_TURN, START_MS)
  const changed: JobRecord = { ...job, createdAtMs: 5 }
  jobs.replace(changed)
  expect(jobs.find('a', job.id, USUAL_TURN)).toBe(changed)
  expect(jobs.findByPullNumber(job.pullNumber)).toBe(changed)
})
