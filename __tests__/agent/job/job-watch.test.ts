import { expect, test } from '@jest/globals'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { Course } from '../../../src/agent/report/turns.ts'
import { ATTACH, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job } from '../../support/fake-client.ts'
import { fakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

function history(): { history: JobWatch; course: Course; log: string[]; warnings: string[]; clock: FakeClock } {
  const log: string[] = []
  const warnings: string[] = []
  const host = {
    ...fakeHost(),
    log: (line: string) => log.push(line),
    warn: (line: string) => warnings.push(line),
  }
  const clock = fakeClock()
  const step = fakeStep({ core: host, clock })
  const course = new Course(ATTACH)
  return {
    history: new JobWatch(agentInputs(), step, new Journal(agentInputs(), step), course),
    course,
    log,
    warnings,
    clock,
  }
}

test('says a line for each change and none for what stays', () => {
  const { history: seen, log } = history()
  ;[active, active, active, completed, completed, failed, archived].forEach((job) => {
    seen.observe(job)
  })
  expect(log).toEqual(['The job is active.', 'The job is completed.', 'The job failed.', 'The job is archived.'])
})

test('says when a pull request turns up at a job whose status stays', () => {
  const { history: seen, log } = history()
  seen.observe(job({ status: 'completed' }))
  seen.observe(completed)
  expect(log).toEqual(['The job is completed.', 'The job has a pull request.'])
})

test('says a lasting problem once, and its end', () => {
  const { history: seen, log } = history()
  seen.observe(active)
  seen.observeProblem(failure('service-error'))
  seen.observeProblem(failure('service-error'))
  seen.observeProblem(failure('unreachable'))
  seen.observe(active)
  expect(log).toEqual([
    'The job is active.',
    'It is service-error. Looking again until the deadline.',
    'It is unreachable. Looking again until the deadline.',
    'The service answers again.',
  ])
})

test('knows why the last read failed, and forgets it when one succeeds', () => {
  const { history: seen, course } = history()
  seen.observeProblem(failure('service-error'))
  expect(course.newest.lastProblem?.code).toBe('service-error')
  seen.observe(active)
  expect(course.newest.lastProblem).toBeUndefined()
})

test('warns once of a status that no list has, and takes it for running', () => {
  const { history: seen, log, warnings } = history()
  seen.observe(job({ unlistedStatus: 'paused' }))
  seen.observe(job({ unlistedStatus: 'paused' }))
  seen.observe(job({ unlistedStatus: 'dreaming' }))
  expect(warnings).toEqual([expect.stringContaining('paused')])
  expect(log).toEqual(['The job is active.'])
})

test('says once a minute that nothing has changed', () => {
  const { history: seen, log, clock } = history()
  seen.observe(active)
  for (const ms of [59_999, 1, 59_999, 1]) {
    clock.advance(ms)
    seen.beat()
  }
  expect(log.slice(1)).toEqual(Array(2).fill('The job is still active (checked 1 time).'))
})

test('says so even while a long interval passes', async () => {
  const { log } = await runScripted({
    task: ATTACH,
    reads: [active],
    inputs: { timeoutMs: 180_000, pollIntervalMs: 300_000 },
  })

  expect(log.filter((line) => line.startsWith('The job is still active'))).toHaveLength(3)
})
