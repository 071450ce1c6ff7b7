import { expect, test } from '@jest/globals'
import { hasSeenEnd } from '../../../src/agent/turn/job-state.ts'
import { JobWatch } from '../../../src/agent/turn/job-watch.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { active, completed } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeStep } from '../../support/fake-step.ts'
import { ATTACH } from '../../support/report.ts'

test.each<[what: string, reads: readonly (readonly [Job, waitsMs: number])[], isSeen: boolean]>([
  [
    'after a read that showed it at work',
    [
      [active, 1_000],
      [completed, 0],
    ],
    true,
  ],
  [
    'that has been the same for 15 s',
    [
      [completed, 15_000],
      [completed, 0],
    ],
    true,
  ],
  [
    'that has been the same for less',
    [
      [completed, 14_999],
      [completed, 0],
    ],
    false,
  ],
  ['that was read once', [[completed, 60_000]], false],
  [
    'that an active read has taken back',
    [
      [active, 1_000],
      [completed, 1_000],
      [active, 0],
    ],
    false,
  ],
  [
    'after a status that no list has',
    [
      [{ ...active, unlistedStatus: 'paused' }, 1_000],
      [completed, 0],
    ],
    false,
  ],
])('an end of a job %s counts as seen: %j', async (_what, reads, isSeen) => {
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
