import { expect, jest, test } from '@jest/globals'
import { type Outcome, OUTCOMES } from '../../src/agent/record.ts'
import { DRAWING_TEST_TIMEOUT_MS, MUST_VARY } from '../../testing/seed.ts'
import { arbitraryLateLink, arbitraryOverlap, arbitrarySchedule } from './schedule.ts'
import { checkCases } from './check-cases.ts'
import { listProblems } from './invariants.ts'
import { runSchedule } from './run-schedule.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

const [SCHEDULES, OVERLAPS, LATE_LINKS] = [600, 125, 125]

test('every invariant holds for every random schedule', async () => {
  const outcomes = new Map<Outcome, number>()
  const runs = await checkCases(arbitrarySchedule, SCHEDULES, async (schedule) => {
    const trace = await runSchedule(schedule)
    const { outcome } = trace.report
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    return { problems: listProblems(trace), log: trace.log }
  })

  // If all schedules had the same outcome, the test would prove little.
  const drawn = OUTCOMES.filter((outcome) => outcome !== 'skipped' && outcome !== 'previewed')
  const rare = drawn.filter((outcome) => (outcomes.get(outcome) ?? 0) < runs / 1_000)
  expect(MUST_VARY ? rare : []).toEqual([])
})

test('every invariant holds for a follow-up right after the prompt of another client', async () => {
  await checkCases(arbitraryOverlap, OVERLAPS, async (schedule) => {
    const trace = await runSchedule(schedule)
    return { problems: listProblems(trace), log: trace.log }
  })
})

test('a step finds a late link although reads fail', async () => {
  const outcomes = new Set<Outcome>()
  await checkCases(arbitraryLateLink, LATE_LINKS, async (schedule) => {
    const trace = await runSchedule(schedule)
    outcomes.add(trace.report.outcome)
    return { problems: listProblems(trace), log: trace.log }
  })
  expect(outcomes).toContain('pull-request')
})
