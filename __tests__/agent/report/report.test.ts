import { expect, test } from '@jest/globals'
import { jobIdOf } from '../../../src/agent/report/report.ts'
import { ATTACH, CREATE } from '../../support/agent-run.ts'
import { reportOf } from '../../support/report.ts'

test('the job is the one that was read, else the one that was asked for, else none', () => {
  expect(jobIdOf(reportOf({ task: CREATE }))).toBe('job_1')
  expect(jobIdOf(reportOf({ task: ATTACH, job: undefined }))).toBe('job_1')
  expect(jobIdOf(reportOf({ task: CREATE, job: undefined }))).toBeUndefined()
  expect(jobIdOf(reportOf({ task: undefined, job: undefined }))).toBeUndefined()
})
