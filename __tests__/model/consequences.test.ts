import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { DRAWING_TEST_TIMEOUT_MS } from '../support/soak.ts'
import { type ConsequenceHistory, findExtraJobs, playConsequences } from './consequences.ts'
import { checkCases, IS_REPLAY } from './check-cases.ts'
import { between, mostly } from './weighted.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

const seconds = (min: number, max: number): fc.Arbitrary<number> => between(min, max).map((drawn) => drawn * 1_000)

/** If the agent pushes earlier than this before it opens its pull request, its push looks like that of another user. */
const MAX_EARLY_PUSH_MS = 55_000

const turn: fc.Arbitrary<TurnPlan> = fc
  .record({
    durationMs: seconds(5, 400),
    pushShares: fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { maxLength: 2 }),
  })
  .map(({ durationMs, pushShares }) => {
    const pushesMs = [...pushShares, 1]
      .map((share) => Math.round((durationMs * share) / 1_000) * 1_000)
      .toSorted((a, b) => a - b)
    return { startDelayMs: 0, durationMs, ending: 'pull-request', linkDelayMs: 0, pause: undefined, pushesMs }
  })

function leaveOutEarlyPushes(plan: TurnPlan): TurnPlan {
  const { durationMs, pushesMs = [] } = plan
  return { ...plan, pushesMs: pushesMs.filter((ms) => ms >= durationMs - MAX_EARLY_PUSH_MS) }
}

const history: fc.Arbitrary<ConsequenceHistory> = fc
  .record({
    turns: fc.tuple(turn, turn),
    agentType: fc.constantFrom('Bot', 'User'),
    isKnown: fc.boolean(),
    pollInterval: mostly('', 2, fc.constantFrom('60', '200')),
    changeContext: fc.constantFrom('none', 'files'),
    mergeAfterMs: mostly<number | undefined>(undefined, 1, seconds(1, 600)),
    mergeMethod: fc.constantFrom('squash', 'merge', 'rebase'),
    lag: fc.record({ headMs: mostly(0, 2, seconds(0, 9)), commitPullsMs: mostly(0, 1, seconds(0, 40)) }),
    latenciesMs: fc.array(fc.integer({ min: 10, max: 900 }), { minLength: 1, maxLength: 3 }),
    queuedMs: fc.array(seconds(0, 60), { minLength: 1, maxLength: 4 }),
    followedBy: fc.array(
      fc.constantFrom(
        '',
        'push',
        'pull_request',
        'issue_comment',
        'label',
        'check_run',
        'workflow_run',
        'pull_request_target',
      ),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map((drawn) => {
    const { agentType } = drawn
    const isKnown = agentType === 'User' || drawn.isKnown
    if (agentType === 'Bot' && isKnown) return drawn
    const [first, later] = drawn.turns
    return { ...drawn, isKnown, turns: [leaveOutEarlyPushes(first), leaveOutEarlyPushes(later)] as const }
  })

test('the work of the agent starts no job in any random history', async () => {
  let startedByAgent = 0
  const plan = { what: 'histories of consequences', runs: 25, soakShare: 0.9 }
  const played = await checkCases(history, plan, async (drawn) => {
    const trace = await playConsequences(drawn)
    startedByAgent += trace.runs.filter(({ cause }) => cause.isByAgent).length
    const log = trace.runs.flatMap((run) => [
      `--- ${new Date(run.startMs).toISOString()} ${run.cause.name} ${run.cause.branch}`,
      ...run.log,
    ])
    return { problems: findExtraJobs(trace), log }
  })
  // If the agent started no run, the test would not check anything.
  expect(IS_REPLAY || startedByAgent > played).toBe(true)
})
