import { expect, test } from '@jest/globals'
import { hasSeenEnd, JobWatch } from '../../../src/agent/turn/job-watch.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { UNLISTED_STATUS } from '../../../src/emulator/service/job-machine.ts'
import { active, completed } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeStep } from '../../support/fake-step.ts'
import { ATTACH } from '../../support/report.ts'

test.each<[what: string, reads: readonly (readonly [Job, waitsMs: number])[], isSeen: boolean]>([
  [
    'after an active read',
    [
      [active, 1_000],
      [completed, 0],
    ],
    true,
  ],
  [
    'that has been stable for 15 s',
    [
      [completed, 15_000],
      [completed, 0],
    ],
    true,
  ],
  [
    'that has been stable for less than 15 s',
    [
      [completed, 14_999],
      [completed, 0],
    ],
    false,
  ],
  ['that only one read has shown', [[completed, 60_000]], false],
  [
    'that a later active read contradicts',
    [
      [active, 1_000],
      [completed, 1_000],
      [active, 0],
    ],
    false,
  ],
  [
    'after a read with an unknown status',
    [
      [{ ...active, unlistedStatus: UNLISTED_STATUS }, 1_000],
      [completed, 0],
    ],
    false,
  ],
])('the end of a job %s counts as seen: %j', async (_what, reads, isSeen) => {
  const clock = fakeClock()
  const step = fakeStep({ clock })
  step.journal.begin({ task: ATTACH })
  const watch = new JobWatch(step)
  for (const [job, waitsMs] of reads) {
    watch.observe(job)
    await clock.sleep(waitsMs)
  }
  expect(hasSeenEnd(completed.id, step)).toBe(isSeen)
  expect(hasSeenEnd('job_2', step)).toBe(false)
})
