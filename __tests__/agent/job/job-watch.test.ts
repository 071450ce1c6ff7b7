import { expect, test } from '@jest/globals'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import { Course } from '../../../src/agent/report/turns.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { ATTACH, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job, withoutLink } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

/** A watch, after what was read. */
function watch(...reads: Parameters<JobWatch['observe' | 'observeProblem']>[0][]) {
  const [core, clock, course] = [fakeHost(), fakeClock(), new Course(ATTACH)]
  const step = fakeStep({ core, clock })
  const watch = new JobWatch(agentInputs(), step, course)
  for (const read of reads) {
    if (read instanceof ActionError) watch.observeProblem(read)
    else watch.observe(read)
  }
  return { watch, course, said: core.said, clock }
}

const unlisted = (unlistedStatus: string) => job({ unlistedStatus })
const [down, gone] = [failure('service-error'), failure('unreachable')]

test.each([
  [
    'a line for each change and none for what stays',
    [active, active, completed, completed, failed, archived],
    ['The job is active.', 'The job completed.', 'The job failed.', 'The job is archived.'],
  ],
  [
    'that a pull request turns up at a job whose status stays',
    [withoutLink, completed],
    ['The job completed.', 'The job has a pull request.'],
  ],
  [
    'a lasting problem once, and its end',
    [down, down, gone, active],
    [
      'It is service-error. Trying again until the deadline.',
      'It is unreachable. Trying again until the deadline.',
      'The service answers again.',
      'The job is active.',
    ],
  ],
])('says %s', (_what, reads, log) => {
  expect(watch(...reads).said).toEqual(log.map((line) => `log: ${line}`))
})

test('tells the next step of a job before anything else', () => {
  const { watch: seen, said } = watch()
  seen.accept(active)
  expect(said.slice(0, 4)).toEqual([
    'output: job-id | job_1',
    'output: status | active',
    'output: outcome | submitted',
    'log: The service accepted the prompt: job job_1 is active.',
  ])
})

test('knows why the last read failed, and forgets it when one succeeds', () => {
  expect(watch(down).course.newest.lastProblem).toBe(down)
  expect(watch(down, active).course.newest.lastProblem).toBeUndefined()
})

test('warns once of a status that no list has, and takes it for running', () => {
  const { said } = watch(unlisted('paused'), unlisted('paused'), unlisted('dreaming'))
  expect(said).toEqual([expect.stringMatching(/^warn: .*paused/), 'log: The job is active.'])
})

test('says once a minute that nothing has changed', () => {
  const { watch: seen, said, clock } = watch(active)
  for (const ms of [59_999, 1, 59_999, 1]) {
    clock.advance(ms)
    seen.beat()
  }
  expect(said.slice(1)).toEqual(Array(2).fill('log: The job is still active (checked 1 time).'))
})

test('says so even while a long interval passes', async () => {
  const inputs = { timeoutMs: 180_000, pollIntervalMs: 300_000 }
  const { log } = await runScripted({ task: ATTACH, reads: [active], inputs })
  expect(log.filter((line) => line.startsWith('The job is still active'))).toHaveLength(3)
})
