import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { OUTCOMES, type Outcome, type Report } from '../../src/agent/report/report.ts'
import { arbitraryRounds, arbitrarySchedule, gitHubPlan } from './arbitrary-schedule.ts'
import { IS_SOAK, SEED } from '../support/seed.ts'
import { problemsOf } from './invariants.ts'
import { runSchedule } from './run-schedule.ts'
import type { Schedule } from './schedule.ts'

/** A failure prints the environment that replays it. */
const runs = Number(process.env['SCHEDULES'] ?? (IS_SOAK ? 200_000 : 2_000))
const path = process.env['MODEL_PATH']

jest.setTimeout(3_600_000)

async function problemsIn(schedule: Schedule, onEnd: (report: Report) => void = () => undefined): Promise<string[]> {
  try {
    const trace = await runSchedule(schedule)
    onEnd(trace.report)
    return problemsOf(trace)
  } catch (error) {
    return [`It crashed. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
  }
}

async function describeFailure(details: fc.RunDetails<[Schedule]>): Promise<string> {
  const [schedule] = details.counterexample ?? []
  if (schedule === undefined) return 'No schedule was run to its end.'
  const log = await runSchedule(schedule).then(
    (trace) => trace.log,
    () => [],
  )
  return [
    ...(await problemsIn(schedule)),
    '',
    `Replay: SEED=${details.seed} MODEL_PATH=${details.counterexamplePath ?? ''} npm test -- __tests__/model -t '<this test>'`,
    `Found after ${details.numRuns} schedules, shrunk ${details.numShrinks} times to:`,
    JSON.stringify(schedule, null, 2),
    'Its log:',
    ...log,
  ].join('\n')
}

async function expectPromises(
  schedules: fc.Arbitrary<Schedule>,
  numRuns: number,
  onEnd: (report: Report) => void,
): Promise<void> {
  const property = fc.asyncProperty(schedules, async (schedule) => (await problemsIn(schedule, onEnd)).length === 0)
  const details = await fc.check(property, { numRuns, seed: SEED, ...(path === undefined ? {} : { path }) })
  if (details.failed) throw new Error(await describeFailure(details))
}

test(`every promise holds on ${runs} schedules`, async () => {
  const outcomes = new Map<Outcome, number>()
  await expectPromises(arbitrarySchedule, runs, ({ outcome }) =>
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1),
  )

  // A proof about schedules that all end alike would prove nothing.
  const rare = OUTCOMES.filter((outcome) => (outcomes.get(outcome) ?? 0) < runs / 500)
  expect(path === undefined && runs >= 2_000 ? rare : []).toEqual([])
})

test('every promise holds where failing checks go back to the agent', async () => {
  const ends = { sent: 0, again: 0, passed: 0, stopped: 0 }
  await expectPromises(arbitraryRounds, runs / 2, ({ rounds: { length: sent }, stop }) => {
    if (sent > 0) ends[stop === 'passed' ? 'passed' : 'stopped']++
    if (sent > 0) ends[sent > 1 ? 'again' : 'sent']++
  })
  const fewest = Math.min(...Object.values(ends))
  expect(path === undefined && runs >= 2_000 ? fewest : runs).toBeGreaterThan(runs / 500)
})

/** Nothing is left to go wrong but GitHub. */
function withoutOtherFaults(schedule: Schedule): Schedule {
  const { wait, ours, before } = schedule
  // GitHub may be asked for a minute before the job is, and a turn that archives the job may end meanwhile.
  const ending = before.ending === 'archived' && before.durationMs > 0 ? 'completed' : before.ending
  return {
    ...schedule,
    before: { ...before, ending },
    ...{ posts: [], reads: [], lagsMs: [], staleMs: 0, cancelAtMs: undefined, archivedAtMs: undefined },
    timeoutMs: wait && ours.ending !== 'unlisted' && before.ending !== 'unlisted' ? 3_600_000 : 600_000,
  }
}

test('no failure of GitHub changes what becomes of a job', async () => {
  const property = fc.asyncProperty(arbitrarySchedule, gitHubPlan, async (schedule, github) => {
    const calm = withoutOtherFaults(schedule)
    const [alone, { report }] = await Promise.all([
      runSchedule({ ...calm, github: undefined }),
      runSchedule({ ...calm, github }),
    ])
    const wasTold =
      report.outcome === 'skipped' || (report.outcome === 'no-changes' && report.operation === 'unchanged')
    if (!wasTold && alone.report.outcome !== 'unconfirmed') expect(report.outcome).toBe(alone.report.outcome)
  })
  await fc.assert(property, { numRuns: runs / 20, seed: SEED })
})
