import { expect, jest, test } from '@jest/globals'
import { OUTCOMES, type Outcome } from '../../src/agent/report/report.ts'
import { IS_SOAK } from '../support/seed.ts'
import { arbitrarySchedule } from './schedule.ts'
import { holdAlways, IS_REPLAY } from './hold-always.ts'
import { problemsOf } from './invariants.ts'
import { runSchedule } from './run-schedule.ts'

const runs = Number(process.env['SCHEDULES'] ?? (IS_SOAK ? 200_000 : 2_000))

jest.setTimeout(3_600_000)

test(`every promise holds on ${runs} schedules`, async () => {
  const outcomes = new Map<Outcome, number>()
  await holdAlways(arbitrarySchedule, runs, async (schedule) => {
    const trace = await runSchedule(schedule)
    const { outcome } = trace.report
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    return { problems: problemsOf(trace), log: trace.log }
  })

  // A proof about schedules that all end alike would prove nothing.
  const rare = OUTCOMES.filter((outcome) => outcome !== 'skipped' && (outcomes.get(outcome) ?? 0) < runs / 500)
  expect(IS_REPLAY || runs < 2_000 ? [] : rare).toEqual([])
})
